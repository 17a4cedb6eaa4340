#!/usr/bin/env python3
"""A campaign on four MPI ranks of which one is killed has the same results as one without ranks.

  ranks.py HEDDLE

The compiler is a script that, in rank 2 and only the first time, kills the process that called it: the rank dies in the
middle of a range of seeds. gcc gets a flag that breaks the rules, so that there are failures to compare. Exit code 77
(skipped) without Open MPI.
"""
import os, pathlib, sqlite3, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from heddle import open_mpi, without_ranks

WRAPPER = """#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 2 ] && mkdir '{folder}/killed' 2> /dev/null; then kill -9 $PPID; fi
exec gcc "$@"
"""


def contents(database):
    """Everything in the database, in an order that does not depend on when a range was done."""
    connection = sqlite3.connect(database)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {table: sorted(connection.execute(f"SELECT * FROM {table}")) for table in tables}


def main():
    heddle = sys.argv[1]
    mpirun = open_mpi(4)
    with tempfile.TemporaryDirectory() as folder:
        compiler = pathlib.Path(folder, "gcc-ranks")
        compiler.write_text(WRAPPER.format(folder=folder))
        compiler.chmod(0o755)
        options = ["--threads", "40", "--batch", "5", "--size", "8", "--seed", "1", "--environments", "1", "--jobs", "1",
                   "--cc", str(compiler), "--levels", "O0,O2", "--cflags=-fallow-store-data-races"]
        environment = {**without_ranks(os.environ), "TMPDIR": folder}
        alone = subprocess.run([heddle, "refine", "campaign", f"{folder}/alone.db", *options], env=environment,
                               capture_output=True, text=True)
        ranks = subprocess.run([*mpirun, heddle, "refine", "campaign", f"{folder}/ranks.db", *options], env=environment,
                               capture_output=True, text=True)
        said = f"alone ({alone.returncode}):\n{alone.stdout}{alone.stderr}\nranks ({ranks.returncode}):\n{ranks.stdout}{ranks.stderr}"
        if not os.path.isdir(f"{folder}/killed"):
            sys.exit("no rank was killed\n" + said)
        if alone.returncode not in (0, 1):
            sys.exit("the campaign without ranks failed\n" + said)
        expected, found = contents(f"{folder}/alone.db"), contents(f"{folder}/ranks.db")
        if not expected["failures"]:
            sys.exit("no failures to compare\n" + said)
        if expected != found:
            for table in expected:
                print(table, "\n  alone:", expected[table], "\n  ranks:", found.get(table))
            sys.exit("the results differ\n" + said)
        last = lambda text: [line for line in text.splitlines() if " threads, " in line][-1].split(": ", 1)[1]
        if last(alone.stdout) != last(ranks.stdout):
            sys.exit("the last lines differ\n" + said)
        print(f"same results: {last(ranks.stdout)}")


main()
