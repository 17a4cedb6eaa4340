#!/usr/bin/env python3
"""heddle cc --prune: with the list of accesses that cannot race, heddle detect finds the same races; stale lists are refused.

Programs: those of programs/ and those of ../../detect/programs that have a data race. With --full every program is also built
without the list, and no line of a race that is found then may be in the list.
"""
import argparse, concurrent.futures, os, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Checks, Heddle, bitcode

HERE = pathlib.Path(__file__).resolve().parent
DETECT = HERE.parent.parent / "detect" / "programs"
OTHERS = ("order_", "deadlock_", "waits_for_input", "misuse_", "sequence_same_thread", "huge_mapping")
FLAGS = {"atomic_128": ["-mcx16"], **dict.fromkeys(["openmp", "openmp_memory", "openmp_tasks", "openmp_single"], ["-fopenmp"])}
# A run of these need not show the race: the accesses may come at different times.
CHANCE = {"heap", "rwlock", "own", "fields", "elements", "parameter", "many", "guard", "global", "copy", "ordered", "atomics",
          "scanned", "read_into", "printed", "created_too_early", "creation_lock", "creation_lock_wait", "own_element", "own_number", "once_done", "helper_guard",
          "array_guard", "stream"}
WITHOUT = {"outside_callback",  # needs a library that is not there
           "own_malloc"}  # its malloc is for this program only, not for the runtime
check = Checks()


def listed(path):
    """(file, line, column) of a list."""
    files, places = [], set()
    for line in path.read_text().splitlines():
        words = line.split(" ", 2)
        if words[0] == "file":
            files.append(words[2])
        elif words[0] == "at":
            column = words[2].split(" ")
            places.add((files[int(words[1])], int(column[0]), int(column[1])))
    return places


class Program:
    def __init__(self, heddle, source, flags, folder):
        self.heddle, self.source, self.folder = heddle, source, folder
        folder.mkdir()
        self.flags = flags + [f"-I{source.parent}"]
        self.list = folder / "list"
        made = heddle.run(heddle.path, "deadlock", "--races", "--prune-list", self.list,
                          bitcode(heddle, source, folder / "program.bc", "-O1", "-pthread", *self.flags), folder=folder)
        assert made.code in (0, 1), made.err
        self.places = listed(self.list)

    def build(self, name, *more):
        return self.heddle.build_text(self.source, self.folder / name, *more, *self.flags, "-w")

    def races(self, name):
        ended = self.heddle.analyse("detect", self.folder / name, self.folder)
        return [one for one in ended.report["findings"] if one["kind"] == "data-race"]


def one(heddle, source, flags, folder, full):
    program = Program(heddle, source, flags, folder)
    said = program.build("pruned", "--prune", program.list, "--prune-stats")
    left_out, all_accesses = map(int, re.search(r": (\d+) of (\d+) loads and stores are not watched", said).groups())
    found = program.races("pruned")
    if source.stem not in CHANCE:
        check(found, f"{source.name}: the race is not found with the list")
    racing = 0
    if full:
        program.build("plain")
        for finding in program.races("plain"):
            for step in finding["steps"]:
                frame = next((f for f in step["stack"] if os.path.basename(f.get("file", "")) == source.name and "line" in f), None)
                if step.get("site", 0) == 0 or frame is None:
                    continue
                racing += 1
                place = (os.path.normpath(frame["file"]), frame["line"], frame.get("column", 0))
                check(place not in program.places, f"{source.name}:{frame['line']} races and is in the list")
    return left_out, all_accesses, racing


def stale(heddle, folder):
    folder.mkdir()
    source = folder / "global.c"
    source.write_text((HERE / "programs" / "global.c").read_text())
    program = Program(heddle, source, ["-DFIXED"], folder / "x")
    check("7 of 7" in program.build("pruned", "--prune", program.list, "--prune-stats"), "all accesses of the fixed program are left out")
    source.write_text(source.read_text() + "\n")
    said = program.build("changed", f"--prune={program.list}", "--prune-stats")
    check("is not used" in said and "global.c has changed" in said and "not watched" not in said, f"a changed file: {said}")
    for text, message in (("something else\n", "it is not a list"), ("heddle-prune 1\nat 0 1 1\n", "a line that is none")):
        program.list.write_text(text)
        said = program.build("wrong", "--prune", program.list)
        check("is not used" in said and message in said, f"a wrong list: {said}")
    cc = [heddle.path, "cc", "-c", source, "-o", folder / "o"]
    gcc = {"HEDDLE_CC": "gcc"}
    for command, environment, message in (([*cc, "--prune"], {}, "--prune needs a file"),
                                          ([*cc, "--prune", "nowhere"], {}, "nowhere: no such file"),
                                          ([*cc, "--prune-stats"], {}, "--prune-stats needs --prune"),
                                          ([*cc, "--prune", program.list], gcc, "needs clang 19"),
                                          ([heddle.path, "deadlock", "--prune-list", "x", "y.bc"], {}, "--races")):
        got = heddle.run(*command, folder=folder, **environment)
        check(got.code == 2 and message in got.err, f"{command[1:]}: {got.code} {got.err}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--full", action="store_true")
    arguments = parser.parse_args()
    heddle = Heddle(arguments.build)
    work = [(path, []) for path in sorted((HERE / "programs").iterdir()) if path.stem not in WITHOUT]
    work += [(path, ["-DBUG", *FLAGS.get(path.stem, [])]) for path in sorted(DETECT.glob("*.cpp")) if not path.name.startswith(OTHERS)]
    if not arguments.full:
        work = work[::4]
    with heddle.scratch() as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            totals = list(pool.map(lambda item: one(heddle, *item[1], folder / str(item[0]), arguments.full), enumerate(work)))
        stale(heddle, folder / "stale")
    left_out, all_accesses, racing = (sum(column) for column in zip(*totals))
    check(left_out > 0 and (not arguments.full or racing > 40), f"{left_out} left out, {racing} racing accesses: nothing is tested")
    check.finish(f"{len(work)} programs: {left_out} of {all_accesses} accesses left out, {racing} racing ones compared")


main()
