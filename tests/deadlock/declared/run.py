#!/usr/bin/env python3
"""heddle deadlock --races on programs with thread-safety attributes: each line that ends in `// WRONG name` must be reported as
against them, with that name, and no other line; with -DFIXED none.

usage: run.py --build BUILD [names]
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Heddle, line_of, run_cases

HERE = pathlib.Path(__file__).resolve().parent


def check(heddle, case):
    path, flags = case
    wanted = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.search(r"// WRONG (\w+)$", line)
        if found and "-DFIXED" not in flags:
            wanted[number] = found[1]
    compiler = ["cc"] if path.suffix == ".c" else ["c++", "-std=c++20"]
    with heddle.scratch() as folder:
        heddle.run(heddle.path, *compiler, "--bitcode", "-c", "-g", *flags, "-w", "-pthread", path, "-o", folder / "p.o", folder=folder, code=0)
        ended = heddle.run(heddle.path, "deadlock", "--races", "--json", "-", folder / "p.o", folder=folder)
    if ended.code not in (0, 1):
        return [f"exit code {ended.code}\n{ended.err}"]
    report = json.loads(ended.out)
    got = {line_of(f["steps"][0], path.name): f["message"] for f in report["findings"] if f["kind"] == "property"}
    wrong = []
    if sorted(got) != sorted(wanted):
        wrong.append(f"lines {sorted(got)} are reported, expected {sorted(wanted)}\n{ended.err}")
    wrong += [f"line {number}: {got[number]}" for number, name in wanted.items() if number in got and name not in got[number]]
    said = "thread-safety attributes not understood" in report["coverage"].get("note", "")
    if said != (path.stem == "pointer"):
        wrong.append(f"what is not understood: {report['coverage']}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = Heddle(args.build)
    paths = [p for p in sorted((HERE / "programs").glob("*.c*")) if not args.programs or p.stem in args.programs]
    cases = [(path, flags) for path in paths for flags in (["-O0"], ["-O2"], ["-DFIXED"])]
    run_cases("programs with thread-safety attributes", cases, lambda case: check(heddle, case), name=lambda case: f"{case[0].name} {case[1][0]}")


main()
