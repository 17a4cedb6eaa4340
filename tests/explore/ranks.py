#!/usr/bin/env python3
"""A search by four MPI ranks is the search of one process: also when a rank is killed, or it is stopped and one process goes on.

  ranks.py BUILD

A rank is stopped (SIGSTOP) when it has reported work, and killed when it was given more: the leader's log, which is read as
it grows, says both. While it is stopped it cannot finish what it was given, and so the search cannot end. Exit code 77
(skipped) without Open MPI.
"""
import json, os, pathlib, re, signal, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import heddle as lib

HERE = pathlib.Path(__file__).resolve().parent
# Source and flags; then with which the search is long enough to kill somebody in it.
SMALL = [("programs/account.cpp", ["-DN=3"]), ("programs/philosophers.cpp", ["-DN=4", "-DCYCLE"]),
         ("twins/lost_update.cpp", ["-DBUG"]), ("twins/queue_condition.cpp", ["-DBUG"]), ("twins/choose.cpp", [])]
LONG = ("programs/lastzero.c", ["-DN=12"])


class Ranks:
    def __init__(self, build, folder):
        self.heddle = lib.Heddle(build)
        self.folder = folder
        self.count = 0
        self.environment = {**lib.without_ranks(self.heddle.environment), "TMPDIR": str(folder)}

    def build(self, source, flags):
        self.heddle.build(HERE / source, self.folder / "program", *flags, standard="c++17")

    def start(self, ranks, *options):
        """A search in a results folder of its own."""
        self.count += 1
        results = f"{self.folder}/results{self.count}"
        mpirun = lib.open_mpi(ranks) if ranks > 1 else []
        command = [*mpirun, self.heddle.path, "explore", "--json", f"{results}.json", "-o", results, *options, "--",
                   f"{self.folder}/program"]
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, start_new_session=True)
        return process, results

    def finish(self, process, results):
        said = process.communicate()[0]
        if not os.path.exists(f"{results}.json"):
            sys.exit(f"no report, exit code {process.returncode}:\n{said}")
        return json.load(open(f"{results}.json"))

    def explore(self, ranks, *options):
        return self.finish(*self.start(ranks, *options))


def same(name, a, b):
    if lib.essence(a) != lib.essence(b):
        sys.exit(f"{name} differs:\n{lib.essence(a)}\n{lib.essence(b)}")
    print(f"{name}: {b['coverage']['executions']} executions, {len(b['findings'])} findings; {b['coverage'].get('note', '')}")


def lines(results):
    """The lines of the leader's log as they come; the file may not be there yet."""
    tail = subprocess.Popen(["tail", "-n", "+1", "-s", "0.02", "-F", f"{results}/explore-1/ranks.log"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield from tail.stdout
    finally:
        tail.kill()
        tail.wait()


def kill_one(results):
    """Kills a rank that has reported work and was given more. Returns which."""
    process, stopped, killed = {}, None, False
    for line in lines(results):
        if match := re.search(r"rank (\d+) joined, process (\d+)", line):
            process[match[1]] = int(match[2])
        elif stopped is None and (match := re.search(r"rank (\d+) (?:gave back|finished) subtree", line)):
            stopped = match[1]
            os.kill(process[stopped], signal.SIGSTOP)
        elif stopped and not killed and re.search(rf"subtree \d+ to rank {stopped}$", line.rstrip()):
            killed = True
            os.kill(process[stopped], signal.SIGKILL)
        elif killed and re.search(rf"rank {stopped} left.*given out again", line):
            return stopped
        elif "processor time" in line:
            sys.exit(f"the search ended before a rank was killed at work: {line}")


def main():
    lib.open_mpi(4)
    with lib.Heddle.scratch() as folder:
        heddle = Ranks(sys.argv[1], folder)
        for source, flags in SMALL:
            heddle.build(source, flags)
            same(f"{source} {' '.join(flags)}", heddle.explore(1), heddle.explore(4))
        heddle.build(*LONG)
        alone = heddle.explore(1)
        process, results = heddle.start(4)
        killed = kill_one(results)
        report = heddle.finish(process, results)
        same(f"rank {killed} killed", alone, report)
        if "again because a rank was lost" not in report["coverage"]["note"]:
            sys.exit(f"nothing was lost: {report['coverage']['note']}")
        part = heddle.explore(4, "--executions", "3000")
        if part["coverage"]["complete"]:
            sys.exit("a search that was stopped calls itself complete")
        stopped = f"{folder}/results{heddle.count}/latest"
        same("stopped and resumed alone", alone, heddle.explore(1, "--resume", stopped))


if __name__ == "__main__":
    main()
