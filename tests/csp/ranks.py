#!/usr/bin/env python3
"""Four MPI ranks find what one process finds; when one of them is killed, the answer is "not decided".

  ranks.py HEDDLE

A rank is killed by itself: HEDDLE is a script that, in rank 2, gives the process a limit of processor time.
Exit code 77 (skipped) without Open MPI.
"""
import json, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from heddle import open_mpi, without_ranks

MODEL = """
channel a : {0..5}.{0..5}
channel bad
C(i,k) = a.i.k -> C(i,(k+1)%6)
SYS = ||| i : {0..5} @ C(i,0)
WATCH = a?i!5 -> a?j!5 -> a?k!5 -> bad -> STOP [] a?i?x:{0..4} -> WATCH
assert SYS :[deadlock free]
assert RUN({|a|}) [T= SYS [| {|a|} |] WATCH
assert CHAOS({|a|}) [F= SYS
"""

# Never done within the second of processor time that its rank 2 has.
LARGE = """
channel a : {0..8}.{0..9}
C(i,k) = a.i.k -> C(i,(k+1)%10)
SYS = ||| i : {0..8} @ C(i,0)
assert SYS :[deadlock free [F]]
"""

MORTAL = """#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then ulimit -t 1; fi
exec '{heddle}' "$@"
"""


def check(command, folder, name, environment):
    path = f"{folder}/{name}.json"
    done = subprocess.run([*command, "csp", "--json", path, f"{folder}/{name}.csp"], env=environment, capture_output=True, text=True)
    said = f"{command} ({done.returncode}):\n{done.stdout}{done.stderr}"
    if not os.path.exists(path):
        sys.exit("no results\n" + said)
    results = json.load(open(path))
    os.remove(path)
    return results, said


def main():
    heddle = os.path.abspath(sys.argv[1])
    mpirun = open_mpi(4)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**without_ranks(os.environ), "TMPDIR": folder}
        pathlib.Path(folder, "model.csp").write_text(MODEL)
        pathlib.Path(folder, "large.csp").write_text(LARGE)
        mortal = pathlib.Path(folder, "mortal")
        mortal.write_text(MORTAL.format(heddle=heddle))
        mortal.chmod(0o755)
        alone, said_alone = check([heddle], folder, "model", environment)
        ranks, said = check([*mpirun, heddle], folder, "model", environment)
        if len(alone["assertions"]) != 3 or [a["result"] for a in alone["assertions"]] != ["passed", "failed", "passed"]:
            sys.exit("one process is wrong\n" + said_alone)
        for one, four in zip(alone["assertions"], ranks["assertions"]):
            same = one["result"] == four["result"] and len(one["internal"]) == len(four["internal"])
            if one["result"] == "passed":
                same = same and all(one[key] == four[key] for key in ("states", "transitions"))
            if not same:
                sys.exit(f"the results differ\n{one}\n{four}\n{said_alone}\n{said}")
        if alone["exit"] != ranks["exit"]:
            sys.exit("the exit codes differ\n" + said)
        killed, said = check([*mpirun, str(mortal)], folder, "large", environment)
        result = killed["assertions"][0]
        if killed["exit"] != 3 or result["result"] != "undecided" or result["reason"] != "rank 2 is gone":
            sys.exit(f"a rank that was killed: {result}\n{said}")
        left = [name for name in os.listdir(folder) if ".rank" in name and not name.endswith(".2")]
        if left:
            sys.exit(f"left behind: {left}")
        print(f"same results: {alone['assertions'][0]['states']} states; killed: {result['reason']}")


main()
