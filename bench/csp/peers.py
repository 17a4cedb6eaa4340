#!/usr/bin/env python3
"""heddle csp beside SPIN on the same systems: the numbers of states must be equal; processor seconds and memory.

usage: peers.py HEDDLE

SPIN searches in full (no partial-order reduction), exactly (no hashing of states away), for deadlocks, as heddle does.
Prints one line and returns 0 when SPIN or a C compiler is not there.
"""
import json, os, re, resource, shutil, subprocess, sys, tempfile


def counters_csp(n):
    return f"""channel a : {{0..{n - 1}}}.{{0..9}}
C(i,k) = a.i.k -> C(i,(k+1)%10)
SYS = ||| i : {{0..{n - 1}}} @ C(i,0)
assert SYS :[deadlock free [F]]
"""


def counters_promela(n):
    return f"active [{n}] proctype C() {{ byte k; end: do :: k = (k + 1) % 10 od }}\n"


def philosophers_csp(n):
    return f"""N = {n}
channel think, eat : {{0..N-1}}
channel up, down : {{0..N-1}}.{{0..N-1}}
P(i) = think.i -> up.i.i -> up.i.((i+1)%N) -> eat.i -> down.i.i -> down.i.((i+1)%N) -> P(i)
L(i) = think.i -> up.i.((i+1)%N) -> up.i.i -> eat.i -> down.i.i -> down.i.((i+1)%N) -> L(i)
F(i) = up.i.i -> down.i.i -> F(i) [] up.((i-1)%N).i -> down.((i-1)%N).i -> F(i)
SYS = ((||| i : {{1..N-1}} @ P(i)) ||| L(0)) [| {{|up,down|}} |] (||| i : {{0..N-1}} @ F(i))
assert SYS :[deadlock free [F]]
"""


def philosophers_promela(n):
    take = lambda f: f"atomic {{ !fork[{f}] -> fork[{f}] = true }}"
    body = lambda first, second: f"do :: skip; {take(first)}; {take(second)}; skip; fork[_pid] = false; fork[(_pid + 1) % {n}] = false od"
    right = f"(_pid + 1) % {n}"
    return f"""bool fork[{n}];
active proctype L() {{ {body(right, '_pid')} }}
active [{n - 1}] proctype P() {{ {body('_pid', right)} }}
"""


def measured(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/env", "time", "-f", "peak %M", *command], cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, seconds, int(re.search(r"peak (\d+)", done.stderr).group(1)) / 1024


def spin(text, folder):
    open(f"{folder}/model.pml", "w").write(text)
    subprocess.run(["spin", "-a", "-o3", "model.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DMEMLIM=16000", "-o", "pan", "pan.c"], cwd=folder, check=True)
    out, seconds, megabytes = measured(["./pan", "-m1100000", "-w22"], folder)
    if "errors: 0" not in out or "too small" in out:
        sys.exit("SPIN found an error or was cut:\n" + out)
    return int(float(re.search(r"([\d.e+]+) states, stored", out).group(1))), seconds, megabytes


def heddle_csp(heddle, text, folder):
    open(f"{folder}/model.csp", "w").write(text)
    _, seconds, megabytes = measured([heddle, "csp", "--json", "out.json", "model.csp"], folder)
    result = json.load(open(f"{folder}/out.json"))["assertions"][0]
    if result["result"] != "passed":
        sys.exit(f"heddle: {result}")
    return result["states"], seconds, megabytes


def main():
    heddle = os.path.abspath(sys.argv[1])
    if not all(shutil.which(tool) for tool in ("spin", "gcc", "time")):
        print("no peers: SPIN, gcc and time are needed")
        return
    print(f"\n{'beside SPIN':<24} {'states':>10} {'heddle s':>9} {'SPIN s':>7} {'ratio':>6} {'heddle MB':>10} {'SPIN MB':>8}")
    for name, csp, promela, n in (("6 counters", counters_csp, counters_promela, 6),
                                  ("9 philosophers", philosophers_csp, philosophers_promela, 9)):
        with tempfile.TemporaryDirectory() as folder:
            ours, our_seconds, our_mb = heddle_csp(heddle, csp(n), folder)
            theirs, their_seconds, their_mb = spin(promela(n), folder)
        print(f"{name:<24} {ours:>10} {our_seconds:>9.2f} {their_seconds:>7.2f} {our_seconds / their_seconds:>6.2f} {our_mb:>10.0f} {their_mb:>8.0f}")
        if ours != theirs:
            sys.exit(f"{name}: SPIN has {theirs} states")


main()
