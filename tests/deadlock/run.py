#!/usr/bin/env python3
"""Compiles each program of programs/, analyses it, and compares what is reported with what its comments expect.

A line of a program is named by a label in a comment at its end:  lock(&m);  //@ A
Expectations, one for each finding:
  // expect: cycle A-B C-D    thread 1 acquires at A and waits at B, thread 2 acquires at C and waits at D
  // expect: self A-B         one thread acquires at A and waits at B
  // expect: class A-B        two locks of one class
  // expect: signal A-B       held at A, a handler waits at B
  // expect: leak A B         acquired at A by a thread that ends, waited for at B
  // expect: none             nothing is reported
  // proof: yes               and "proved free of deadlocks" is said; `no`: it may not be said
  // false alarm: ...         the same, for what should not be reported; with the reason behind `because`
  // options: --semaphores    for heddle deadlock
  // vague: yes               without --all nothing is listed, and it is not decided: the locks were not told apart
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from heddle import Heddle, bitcode, line_of, run_cases

HERE = pathlib.Path(__file__).resolve().parent
KINDS = [("wait for each other", "cycle"), ("which it holds", "self"), ("order that nothing fixes", "class"),
         ("signal handler waits", "signal"), ("can end with", "leak"), ("cyclic orders", "group")]
MAX_FALSE_ALARMS = 3
VTABLES = ["-flto=full", "-fwhole-program-vtables"]


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


def findings(report, name):
    found = []
    for finding in report["findings"]:
        kind = next((kind for text, kind in KINDS if text in finding["message"]), "?")
        steps = [step for step in finding["steps"] if step.get("site", 0) > 0]
        steps.sort(key=lambda step: step["site"])
        lines = [line_of(step, name) for step in steps]
        if kind == "leak":
            sites = ((lines[0],), (lines[2],))
        else:
            sites = tuple((lines[i], lines[i + 1]) for i in range(0, len(lines), 2))
        found.append((kind, tuple(sorted(sites))))
    return sorted(found)


def check(path, heddle, level, alarms):
    wanted, false_alarms, options = expectations(path)
    with heddle.scratch() as folder:
        program = bitcode(heddle, path, folder / f"{path.name}.bc", level, *(VTABLES if path.suffix == ".cpp" else []))
        ended = heddle.run(heddle.path, "deadlock", "--all", "--json", "-", *options, program, folder=folder)
        if ended.code not in (0, 1):
            return f"exit code {ended.code}:\n{ended.err}"
        vague = re.search(r"^// vague: yes$", path.read_text(), re.M)
        listed = heddle.run(heddle.path, "deadlock", *options, program, folder=folder) if vague else None
        if vague and (listed.code != 3 or "may mean more than 4 locks; --all lists them" not in listed.err):
            return f"expected not decided, exit code {listed.code}\n{listed.err}"
        got = findings(json.loads(ended.out), path.name)
    if got != wanted:
        return f"expected {wanted}\n     got {got}\n{ended.err}"
    alarms.append(false_alarms)
    proof = re.search(r"^// proof: (yes|no)$", path.read_text(), re.M)
    if proof and (proof[1] == "yes") != ("proved free of deadlocks" in ended.err):
        return f"expected proof: {proof[1]}\n{ended.err}"
    return "" if (ended.code == 1) == bool(wanted) else f"exit code {ended.code}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--level", default="-O1")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = Heddle(args.build)
    paths = [p for p in sorted((HERE / "programs").iterdir()) if p.suffix in (".c", ".cpp")]
    if args.programs:
        paths = [p for p in paths if p.stem in args.programs]
    alarms = []
    good = run_cases("programs", paths, lambda path: check(path, heddle, args.level, alarms), name=lambda path: path.name, end=False)
    print(f"{sum(alarms)} false alarms (at most {MAX_FALSE_ALARMS})")
    sys.exit(0 if good and sum(alarms) <= MAX_FALSE_ALARMS else 1)


main()
