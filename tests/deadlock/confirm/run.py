#!/usr/bin/env python3
"""heddle deadlock --confirm: findings that can happen are met and replayed, those that cannot are not; bad programs are said.

A line of TABLE: program, flags of the compiler, arguments of the program, the statuses that its findings must have (sorted).
Programs without a folder are those of ../programs. Every program that has a bug has a twin without it, or a line with -DFIXED.
"""
import argparse, concurrent.futures, json, os, pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Checks, Heddle, bitcode

HERE = pathlib.Path(__file__).resolve().parent
MET, NOT = "confirmed", "possible"
TABLE = [
    ("order_opposite.c", "", "", [MET]),
    ("order_same.c", "", "", []),
    ("three_locks.c", "", "", [MET]),
    ("philosophers.c", "", "", [MET]),
    ("self_normal.c", "", "", [MET]),
    ("self_recursive_static.c", "", "", []),
    ("fig_4_3a.c", "", "", [MET]),
    ("join_released.c", "", "", []),
    ("rwlock_writers.c", "", "", [MET]),
    ("rwlock_upgrade.c", "", "", [MET]),
    ("rwlock_readers.c", "", "", []),
    ("cpp_lock_guard.cpp", "", "", [MET]),
    ("cpp_lock_guard.cpp", "-O2", "", [MET]),
    ("cpp_lock_guard_scopes.cpp", "", "", []),
    ("cpp_shared_mutex.cpp", "", "", [MET]),
    ("once_order.c", "", "", [MET]),
    ("cond_wait_holds.c", "", "", [MET]),
    ("loop_many.c", "", "", [NOT]),
    ("loop_many.c", "", "more threads", [MET]),
    ("list_hand_over_hand.c", "", "", [NOT]),
    ("confirm/programs/rare.c", "", "", [MET]),
    ("confirm/programs/rare.c", "-DFIXED", "", []),
    ("confirm/programs/busy.c", "", "", [MET]),
    ("confirm/programs/busy.c", "-DFIXED", "", []),
    ("confirm/programs/wrapped.c", "", "", [MET]),
    ("confirm/programs/wrapped.c", "-DFIXED", "", []),
    ("confirm/programs/guards.cpp", "", "", [MET]),
    ("confirm/programs/guards.cpp", "-O2", "", [MET]),
    ("confirm/programs/guards.cpp", "-DFIXED", "", []),
    ("confirm/programs/in_turn.c", "", "", [NOT]),
]
check = Checks()


class Tools:
    def __init__(self, build, folder):
        self.command = Heddle(build)
        self.heddle = self.command.path
        self.folder = folder
        # Replays are said as a user would type them.
        self.command.environment["PATH"] = os.path.dirname(self.heddle) + ":" + os.environ["PATH"]

    def run(self, command, folder):
        return self.command.run(*command, folder=folder)

    def build(self, name, flags, folder, instrumented=True):
        source = HERE.parent / name if "/" in name else HERE.parent / "programs" / name
        bitcode(self.command, source, folder / "program.bc", "-O1", *[word for word in flags.split() if word.startswith("-D")])
        level = next((word for word in flags.split() if word.startswith("-O")), "-O0")
        others = [word for word in flags.split() if word != level]
        if instrumented:
            return self.command.build(source, folder / "program", *others, "-w", level=level)
        compiler = ["clang-19"] if source.suffix == ".c" else ["clang++-19", "-std=c++20"]
        self.command.run(*compiler, *others, level, "-g", "-w", "-pthread", source, "-o", folder / "program", code=0)
        return folder / "program"


def replays(tools, folder, finding, kind="deadlock"):
    replay = tools.run([*finding["replay"].split()], folder)
    return replay.code == 1 and kind in replay.err


def one(tools, number, row):
    name, flags, arguments, wanted = row
    folder = tools.folder / str(number)
    folder.mkdir()
    program = tools.build(name, flags, folder)
    what = f"{name} {flags} {arguments}"
    got = tools.run([tools.heddle, "deadlock", "--json", "-", "--confirm", "--", program, *arguments.split()], folder)
    if got.code != (1 if wanted else 0):
        return check(False, f"{what}: exit code {got.code}\n{got.err}")
    report = json.loads(got.out)
    statuses = sorted(finding["status"] for finding in report["findings"])
    check(statuses == wanted, f"{what}: {statuses}, expected {wanted}\n{got.err}")
    for finding in report["findings"]:
        if finding["status"] == MET:
            check("and by replay" in finding["status_note"], f"{what}: {finding['status_note']}")
            check(replays(tools, folder, finding), f"{what}: `{finding['replay']}` shows no deadlock")
        else:
            check("not met in 10 runs" in finding["status_note"], f"{what}: {finding['status_note']}")
    if name.endswith("rare.c") and wanted:
        check("run 1 " not in report["findings"][0]["status_note"], f"{what}: met without being led there")


# Programs with races: what must be seen in runs with --races.
# The hidden ones are not seen by chance: the sixth run is the first that is led to them.
BY_CHANCE, LED = "seen in run", "seen in run 6 "
ORDERED = "not seen in 5 runs, nor in 10 runs led to it, which came to both lines"
NEVER = "not seen in 5 runs, nor in 3 runs led to it: never.c:8 was not reached"
RACES = [("races/programs/global.c", "", [(MET, BY_CHANCE)]), ("races/programs/global.c", "-DFIXED", []),
         ("races/programs/heap.c", "", [(MET, BY_CHANCE)]), ("confirm/programs/never.c", "", [(NOT, NEVER)]),
         ("confirm/programs/race_hidden.c", "", [(MET, LED)]), ("confirm/programs/race_hidden.c", "-O2", [(MET, LED)]),
         ("confirm/programs/race_hidden.c", "-DFIXED", []),
         ("confirm/programs/race_heap.c", "", [(MET, LED)]), ("confirm/programs/race_heap.c", "-O2", [(MET, LED)]),
         ("confirm/programs/race_heap.c", "-DFIXED", []), ("confirm/programs/race_ordered.c", "", [(NOT, ORDERED)])]


def races(tools, number, row):
    name, flags, wanted = row
    folder = tools.folder / f"race{number}"
    folder.mkdir()
    program = tools.build(name, flags, folder)
    got = tools.run([tools.heddle, "deadlock", "--races", "--json", "-", "--confirm", "--", program], folder)
    report = json.loads(got.out)
    found = [finding for finding in report["findings"] if finding["kind"] == "data-race"]
    statuses = [finding["status"] for finding in found]
    check(statuses == [status for status, _ in wanted], f"{name} {flags}: {statuses}, expected {wanted}\n{got.err}")
    for finding, (status, note) in zip(found, wanted):
        check(note in finding["status_note"], f"{name} {flags}: {finding['status_note']}")
        if status == MET:
            check("and by replay" in finding["status_note"], f"{name} {flags}: {finding['status_note']}")
            check(replays(tools, folder, finding, "data-race"), f"{name} {flags}: `{finding['replay']}` shows no race")


def refused(tools):
    folder = tools.folder / "refused"
    folder.mkdir()
    program = tools.build("confirm/programs/ends_badly.c", "", folder)
    confirm = [tools.heddle, "deadlock", "--confirm"]

    def expect(command, code, *texts):
        got = tools.run(command, folder)
        check(got.code == code, f"{command[2:]}: exit code {got.code}, expected {code}\n{got.err}")
        for text in texts:
            check(text in got.err, f"{command[2:]}: does not say `{text}`:\n{got.err}")

    expect([*confirm, "--", program, "crash"], 1, "not met in 10 runs", "ended by SIGSEGV")
    expect([*confirm, "--attempts", "1", "--run-time", "500ms", "--", program, "hang"], 1, "not met in 1 run", "2 stopped after 0.5 s")
    expect([*confirm, "program.bc", "--", folder / "nothing"], 127, "No such file")
    expect([*confirm, "--", folder / "nothing"], 127, "No such file")
    expect([*confirm, "program.bc"], 2, "--confirm needs a program")
    expect([tools.heddle, "deadlock", "program.bc", "--", program], 2, "a program --confirm")
    expect([*confirm, "--"], 2, "--confirm needs a program")
    expect([*confirm, "--attempts", "0", "--", program], 2, "--attempts")
    expect([*confirm, "--run-time", "soon", "--", program], 2, "soon")
    expect([*confirm, "--time", "soon", "--", program], 2, "soon")
    expect([*confirm, "--time", "1ms", "--", program, "crash"], 1, "not met in 0 runs", "no time was left for more (--time)")
    expect([*confirm, "-p", "no-such-folder", "--", program], 2, "no-such-folder")
    other = folder / "other"
    other.mkdir()
    tools.build("order_opposite.c", "", other)
    expect([*confirm, "other/program.bc", "--", program], 3, "its lines are no code of", "of another program")
    plain = folder / "plain"
    plain.mkdir()
    plain_program = tools.build("order_opposite.c", "", plain, instrumented=False)
    expect([*confirm, "--", plain_program], 3, "not built with heddle cc")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = parser.parse_args().build
    with Heddle.scratch() as folder:
        tools = Tools(build, folder)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda item: one(tools, *item), enumerate(TABLE)))
            list(pool.map(lambda item: races(tools, *item), enumerate(RACES)))
        refused(tools)
    check.finish(f"{len(TABLE) + len(RACES)} programs")


main()
