"""Damages a bitcode file in many ways and has each analysed: damage.py FILE.bc WORK.bc

No attempt may end otherwise than with an exit code of heddle, and some must be of the kind that LLVM's reader does not
survive, or this shows nothing.
"""
import pathlib
import random
import subprocess
import sys

whole = pathlib.Path(sys.argv[1]).read_bytes()
survived_only_here = 0
for seed in range(60):
    chance = random.Random(seed)
    damaged = bytearray(whole)
    for _ in range(3):
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    pathlib.Path(sys.argv[2]).write_bytes(damaged)
    done = subprocess.run(["heddle", "deadlock", sys.argv[2]], capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1, 2, 3):
        sys.exit(f"seed {seed}: exit code {done.returncode}\n{done.stderr}")
    survived_only_here += "does not survive" in done.stderr
    if survived_only_here == 3:
        break
print("LLVM's reader crashed" if survived_only_here else "nothing crashed LLVM's reader")
