#!/usr/bin/env python3
"""heddle deadlock --races on small programs whose places are known: of the families that public race tests have (locksets,
creation and joins, threads that run once, elements of arrays, escape, ownership, conditions, once, atomics, branches that
belong together, wrappers, locks in structures and in arrays), each in our own words.

  x++;  // RACE      some thread may access it at the same time: a race of what is accessed there must be reported
  x++;  // NORACE    nobody can: no finding may show this line
  // why: ...        in the head of a program with a false alarm: what is not understood

usage: places.py --build BUILD [--table] [names]     --table: what is reported of each program
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Heddle, line_of, run_cases

HERE = pathlib.Path(__file__).resolve().parent
MAX_FALSE = 8  # of a hundred places that cannot race


def reported(heddle, path, folder):
    """For each line that a finding shows, the variables; and all variables."""
    program = folder / f"{path.stem}.bc"
    compiler = ["cc"] if path.suffix == ".c" else ["c++", "-std=c++20"]
    heddle.run(heddle.path, *compiler, "--bitcode", "-c", "-g", "-O1", "-w", "-pthread", path, "-o", program, folder=folder, code=0)
    ended = heddle.run(heddle.path, "deadlock", "--races", "--all", "--json", "-", program, folder=folder)
    if ended.code not in (0, 1):
        return None, ended.err
    lines = {}
    for finding in json.loads(ended.out)["findings"]:
        if finding["kind"] == "data-race":
            for step in finding["steps"]:
                lines.setdefault(line_of(step, path.name), set()).add(finding["memory"]["name"])
    return lines, ended.err


def check(heddle, path, counts):
    text = path.read_text()
    with heddle.scratch() as folder:
        lines, said = reported(heddle, path, folder)
    if lines is None:
        return [said]
    shown = set().union(*lines.values()) if lines else set()
    wrong, alarms = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.endswith("// NORACE"):
            counts["cannot"] += 1
            if number in lines:
                alarms.append(number)
        elif line.endswith("// RACE"):
            counts["can"] += 1
            # A finding shows two places of a variable, of which there may be more.
            words = set(re.findall(r"\w+", line))
            if number not in lines and not any(words & set(re.findall(r"\w+", name)) for name in shown):
                wrong.append(f"line {number} is not reported: {line.strip()}\n{said}")
    counts["alarms"] += len(alarms)
    counts["table"].append((path.name, len(alarms), text.count("// NORACE"), text.count("// RACE")))
    known = re.search(r"^// why: ", text, re.M)
    if bool(alarms) != bool(known):
        wrong.append(f"lines {alarms} are reported\n{said}" if alarms else "there is no false alarm any more: take `why` away")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = Heddle(args.build)
    paths = [p for p in sorted((HERE / "places").iterdir()) if not args.programs or p.stem in args.programs]
    counts = {"can": 0, "cannot": 0, "alarms": 0, "table": []}
    good = run_cases("programs with known places", paths, lambda path: check(heddle, path, counts), name=lambda path: path.name, end=False)
    if args.table:
        print("| program | places that cannot race | reported of these | places that can |\n|---|---|---|---|")
        for name, alarms, cannot, can in sorted(counts["table"]):
            print(f"| {name} | {cannot} | {alarms} | {can} |")
    print(f"{counts['alarms']} of {counts['cannot']} places that cannot race are reported (at most {MAX_FALSE} of 100); "
          f"all {counts['can']} places that can are" if good else "wrong")
    sys.exit(0 if good and counts["alarms"] * 100 <= MAX_FALSE * counts["cannot"] else 1)


main()
