#!/usr/bin/env python3
"""heddle deadlock --races on small C++ programs: each is wrong, and right when built with -DFIXED.

  // expect: deadlock               a deadlock is reported
  // expect: race NAME              a race of that variable or member is reported
  // alarm when fixed: because ...  the fixed program gets an alarm all the same; with the reason. They are counted.

usage: run.py --build BUILD [--table] [names]     --table: a line for each program
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Heddle, bitcode, run_cases

HERE = pathlib.Path(__file__).resolve().parent
MAX_FALSE_ALARMS = 6
FLAGS = ["-O1", "-pthread", "-flto=full", "-fwhole-program-vtables"]


def findings(heddle, path, folder, *flags):
    program = bitcode(heddle, path, folder / f"{path.stem}{''.join(flags)}.bc", *FLAGS, *flags)
    ended = heddle.run(heddle.path, "deadlock", "--races", "--all", "--json", "-", program, folder=folder)
    if ended.code not in (0, 1):
        return None, ended.err
    return [(one["kind"], one["memory"]["name"] if one["kind"] == "data-race" else "") for one in json.loads(ended.out)["findings"]], ended.err


def check(heddle, path, alarms, table):
    text = path.read_text()
    kind, _, name = re.search(r"^// expect: (.*)$", text, re.M)[1].partition(" ")
    known = re.search(r"^// alarm when fixed: because ", text, re.M)
    with heddle.scratch() as folder:
        wrong, said = findings(heddle, path, folder)
        fixed, said_fixed = findings(heddle, path, folder, "-DFIXED")
    problems = []
    met = wrong and any(k == "deadlock" if kind == "deadlock" else k == "data-race" and n.endswith(name) for k, n in wrong)
    if not met:
        problems.append(f"expected {kind} {name}, got {wrong}\n{said}")
    if bool(fixed) != bool(known):
        problems.append(f"fixed: {fixed}\n{said_fixed}")
    alarms.append(bool(fixed))
    table.append(f"| {path.stem} | {kind} {name} | {'found' if met else 'missed'} | {'alarm' if fixed else 'clean'} |")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = Heddle(args.build)
    paths = [p for p in sorted((HERE / "programs").iterdir()) if not args.programs or p.stem in args.programs]
    alarms, table = [], []
    good = run_cases("C++ programs with their twins", paths, lambda path: check(heddle, path, alarms, table), name=lambda path: path.name, end=False)
    if args.table:
        print("\n".join(["| program | bug | wrong one | right one |", "|---|---|---|---|", *sorted(table)]))
    print(f"{sum(alarms)} fixed programs with an alarm (at most {MAX_FALSE_ALARMS})")
    sys.exit(0 if good and sum(alarms) <= MAX_FALSE_ALARMS else 1)


main()
