#!/usr/bin/env python3
"""Compiles each program of programs/, analyses it, and compares what is reported with what its comments expect.

A line of a program is named by a label in a comment at its end:  lock(&m);  //@ A
Expectations, one for each finding:
  // expect: cycle A-B C-D    thread 1 acquires at A and waits at B, thread 2 acquires at C and waits at D
  // expect: self A-B         one thread acquires at A and waits at B
  // expect: class A-B        two locks of one class
  // expect: signal A-B       held at A, a handler waits at B
  // expect: leak A B         acquired at A by a thread that ends, waited for at B
  // expect: none             proved free
  // false alarm: ...         the same, for what should not be reported; with the reason behind `because`
  // options: --semaphores    for heddle deadlock
"""
import argparse, concurrent.futures, json, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
KINDS = [("wait for each other", "cycle"), ("which it holds", "self"), ("order that nothing fixes", "class"),
         ("signal handler waits", "signal"), ("can end with", "leak"), ("cyclic orders", "group")]
MAX_FALSE_ALARMS = 2


def expectations(path):
    labels, wanted, false_alarms, options = {}, [], [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for label in re.findall(r"//@ (\w+)", line):
            labels[label] = number
    for line in path.read_text().splitlines():
        found = re.match(r"// (expect|false alarm|options): (.*)", line)
        if not found:
            continue
        if found[1] == "options":
            options = found[2].split()
            continue
        words = found[2].split(" because ")[0].split()
        if words == ["none"]:
            continue
        sites = tuple(sorted(tuple(labels[x] for x in word.split("-")) for word in words[1:]))
        (wanted if found[1] == "expect" else false_alarms).append((words[0], sites))
    return sorted(wanted + false_alarms), len(false_alarms), options


def line_in(step, name):
    for frame in step["stack"]:
        if os.path.basename(frame.get("file", "")) == name:
            return frame.get("line", 0)
    return 0


def findings(report, name):
    found = []
    for finding in report["findings"]:
        kind = next((kind for text, kind in KINDS if text in finding["message"]), "?")
        steps = [step for step in finding["steps"] if step.get("site", 0) > 0]
        steps.sort(key=lambda step: step["site"])
        lines = [line_in(step, name) for step in steps]
        if kind == "leak":
            sites = ((lines[0],), (lines[2],))
        else:
            sites = tuple((lines[i], lines[i + 1]) for i in range(0, len(lines), 2))
        found.append((kind, tuple(sorted(sites))))
    return sorted(found)


def check(path, heddle, folder, level):
    compiler = "clang-19" if path.suffix == ".c" else "clang++-19"
    bitcode = pathlib.Path(folder) / (path.name + ".bc")
    flags = ["-std=c++20", "-flto=full", "-fwhole-program-vtables"] if path.suffix == ".cpp" else []
    built = subprocess.run([compiler, *flags, level, "-g", "-fno-inline", "-w", "-emit-llvm", "-c", str(path), "-o", str(bitcode)],
                           capture_output=True, text=True)
    if built.returncode != 0:
        return path, f"does not compile:\n{built.stderr}", 0
    wanted, false_alarms, options = expectations(path)
    run = subprocess.run([heddle, "deadlock", "--json", "-", *options, str(bitcode)], capture_output=True, text=True, cwd=folder)
    if run.returncode not in (0, 1):
        return path, f"exit code {run.returncode}:\n{run.stderr}", 0
    got = findings(json.loads(run.stdout), path.name)
    if got != wanted:
        return path, f"expected {wanted}\n     got {got}\n  replay: {heddle} deadlock {bitcode}\n{run.stderr}", 0
    if (run.returncode == 1) != bool(wanted):
        return path, f"exit code {run.returncode}", 0
    return path, "", false_alarms


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--level", default="-O1")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = str(pathlib.Path(args.build).resolve() / "bin" / "heddle")
    paths = [p for p in sorted((HERE / "programs").iterdir()) if p.suffix in (".c", ".cpp")]
    if args.programs:
        paths = [p for p in paths if p.stem in args.programs]
    bad, alarms = 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, problem, false_alarms in pool.map(lambda p: check(p, heddle, folder, args.level), paths):
            alarms += false_alarms
            if problem:
                bad += 1
                print(f"FAILED {path.name}: {problem}")
    print(f"{len(paths) - bad} of {len(paths)} programs as expected, {alarms} false alarms (at most {MAX_FALSE_ALARMS})")
    sys.exit(1 if bad or alarms > MAX_FALSE_ALARMS else 0)


main()
