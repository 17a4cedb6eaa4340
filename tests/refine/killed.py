#!/usr/bin/env python3
"""A campaign that is killed in the middle of a range, or whose disk is full, leaves a whole database; started again, it
ends with the results of one that was left alone. So does one that is first asked for fewer threads.

  killed.py HEDDLE

The compiler is a script that, at its tenth call, kills the process that called it. The full disk is a small tmpfs; that
part needs the right to mount one and is left out otherwise.
"""
import os, pathlib, sqlite3, subprocess, sys, tempfile

WRAPPER = """#!/bin/sh
echo call >> '{folder}/calls'
[ -e '{folder}/kill' ] && [ "$(wc -l < '{folder}/calls')" = 10 ] && kill -9 $PPID
exec gcc "$@"
"""
FULL = """mount -t tmpfs -o size=200k none "$1" || exit 77
shift
"$@" --threads 8 || exit 1
head -c 1M /dev/zero > "$FOLDER/disk/fill" 2> /dev/null
"$@" --threads 20 2> "$FOLDER/said" && exit 2
rm "$FOLDER/disk/fill"
cp "$FOLDER/disk/c.db" "$FOLDER/kept.db"
"$@" --threads 20 || exit 3
cp "$FOLDER/disk/c.db" "$FOLDER/full.db"
"""


def contents(database):
    connection = sqlite3.connect(database)
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        sys.exit(f"{database} is damaged")
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {table: sorted(connection.execute(f"SELECT * FROM {table}")) for table in tables}


def main():
    heddle = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        compiler = pathlib.Path(folder, "gcc-killer")
        compiler.write_text(WRAPPER.format(folder=folder))
        compiler.chmod(0o755)
        environment = dict(os.environ, TMPDIR=folder, FOLDER=folder)
        options = ["--batch", "4", "--size", "4", "--environments", "1", "--jobs", "1", "--cc", str(compiler), "--levels",
                   "O0,O1"]

        def campaign(name, threads=20):
            return subprocess.run([heddle, "refine", "campaign", f"{folder}/{name}.db", *options, "--threads", str(threads)],
                                  env=environment, capture_output=True, text=True)

        alone = campaign("alone")
        if alone.returncode != 0:
            sys.exit(f"not clean: {alone.stdout}{alone.stderr}")
        os.remove(f"{folder}/calls")
        open(f"{folder}/kill", "w").close()
        killed = campaign("killed")
        os.remove(f"{folder}/kill")
        some = contents(f"{folder}/killed.db")["ranges"]
        if killed.returncode != -9 or not 0 < len(some) < 5:
            sys.exit(f"not killed in the middle: {killed.returncode}, {some}")
        again = campaign("killed")
        if again.returncode != 0 or contents(f"{folder}/killed.db") != contents(f"{folder}/alone.db"):
            sys.exit(f"other results after a kill\n{again.stdout}{again.stderr}")
        print("same results after a kill")
        campaign("grown", 6)  # a range of 4 and one of 2
        grown = campaign("grown")
        totals = lambda name: [sum(column) for column in list(zip(*contents(f"{folder}/{name}.db")["ranges"]))[1:]]
        if grown.returncode != 0 or totals("grown") != totals("alone"):
            sys.exit(f"other results with more threads\n{grown.stdout}{grown.stderr}")
        print("same results with more threads")

        os.mkdir(f"{folder}/disk")
        full = subprocess.run(["unshare", "-m", "sh", "-c", FULL, "sh", f"{folder}/disk", heddle, "refine", "campaign",
                               f"{folder}/disk/c.db", *options], env=environment, capture_output=True, text=True)
        if not os.path.exists(f"{folder}/said") and full.returncode != 0:
            print("no full disk: cannot mount a small one")
            return
        said = open(f"{folder}/said").read()
        if full.returncode != 0 or "database or disk is full" not in said:
            sys.exit(f"full disk: {full.returncode} {full.stdout}{full.stderr}{said}")
        if not contents(f"{folder}/kept.db")["ranges"]:
            sys.exit("the full disk lost what was done before")
        if contents(f"{folder}/full.db") != contents(f"{folder}/alone.db"):
            sys.exit("other results after a full disk")
        print("same results after a full disk")


main()
