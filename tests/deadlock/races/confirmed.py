#!/usr/bin/env python3
"""heddle deadlock --races --confirm on the programs of places/ (places.py says what their marks mean): which of the races are
met by runs. A place that cannot race must never be confirmed, whatever the static analysis says of it.

usage: confirmed.py --build BUILD [--table] [names]     --table: a line for each program
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Heddle, line_of, run_cases

HERE = pathlib.Path(__file__).resolve().parent
CHANCE_RUNS = 5  # the first one and four more
# What the programs leave open; the counter orders nothing. Not in the bitcode: the analysis does not know it.
OUTSIDE = """int choice(void) { static int calls; return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 3; }
void listen(_Atomic int *flag) { (void)flag; }
"""


def runs(heddle, path, folder):
    compiler = ["cc"] if path.suffix == ".c" else ["c++", "-std=c++20"]
    program, outside = folder / path.stem, folder / "outside.o"
    (folder / "outside.c").write_text(OUTSIDE)
    heddle.run(heddle.path, "cc", "-c", folder / "outside.c", "-o", outside, folder=folder, code=0)
    heddle.run(heddle.path, *compiler, "--bitcode", "-g", "-O1", "-w", "-pthread", path, outside, "-o", program, folder=folder, code=0)
    ended = heddle.run(heddle.path, "deadlock", "--races", "--all", "--run-time", "5s", "--time", "60s", "--json", "-", "--confirm", "--", program, folder=folder)
    if ended.code not in (0, 1):
        return None, ended.err
    return [f for f in json.loads(ended.out)["findings"] if f["kind"] == "data-race"], ended.err


def check(heddle, path, counts):
    text = path.read_text()
    if "int main(" not in text:
        return []
    lines = text.splitlines()
    with heddle.scratch() as folder:
        found, said = runs(heddle, path, folder)
    if found is None:
        return [said]
    wrong, row = [], {"alarms": 0, "chance": 0, "led": 0, "unreached": 0, "ordered": 0}
    for finding in found:
        note = finding["status_note"]
        row["alarms"] += 1
        if finding["status"] != "confirmed":
            row["unreached" if "was not reached" in note else "ordered"] += 1
            continue
        run = int(re.search(r"run (\d+)", note)[1])
        row["chance" if run <= CHANCE_RUNS else "led"] += 1
        # What was seen is in the note; the steps are what the analysis expected.
        seen = [int(number) for number in re.findall(re.escape(path.name) + r":(\d+)", note)] or [line_of(step, path.name) for step in finding["steps"]]
        wrong += [f"line {number} cannot race, and is confirmed\n{said}" for number in seen if lines[number - 1].endswith("// NORACE")]
        if "did not show it" in note:
            wrong.append(f"the replay showed something else: {note}")
    for key, value in row.items():
        counts[key] += value
    counts["table"].append((path.name, row))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    heddle = Heddle(args.build)
    paths = [p for p in sorted((HERE / "places").iterdir()) if not args.programs or p.stem in args.programs]
    counts = {"alarms": 0, "chance": 0, "led": 0, "unreached": 0, "ordered": 0, "table": []}
    good = run_cases("programs with known places", paths, lambda path: check(heddle, path, counts), name=lambda path: path.name, end=False)
    if args.table:
        print("| program | races | seen by chance | by runs led there | a line not reached | reached, not seen |\n|---|---|---|---|---|---|")
        for name, row in sorted(counts["table"], key=lambda item: item[0]):
            print(f"| {name} | {' | '.join(str(row[key]) for key in row)} |")
    print(f"{counts['alarms']} races reported: {counts['chance']} seen by chance, {counts['led']} by runs led there, "
          f"{counts['unreached']} with a line that was not reached, {counts['ordered']} reached and not seen")
    sys.exit(0 if good else 1)


main()
