#!/usr/bin/env python3
"""A search by four MPI ranks is the search of one process: also when a rank is killed, or it is stopped and one process goes on.

  ranks.py BUILD

A rank is killed (SIGKILL) when it has reported work and was given more: the leader's log, which is read as it grows, says
both. Exit code 77 (skipped) without Open MPI.
"""
import json, os, re, shutil, signal, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Source and flags; then with which the search is long enough to kill somebody in it.
SMALL = [("programs/account.cpp", ["-DN=3"]), ("programs/philosophers.cpp", ["-DN=4", "-DCYCLE"]),
         ("twins/lost_update.cpp", ["-DBUG"]), ("twins/queue_condition.cpp", ["-DBUG"]), ("twins/choose.cpp", [])]
LONG = ("programs/lastzero.c", ["-DN=12"])


class Heddle:
    def __init__(self, build, folder):
        self.path = os.path.join(os.path.abspath(build), "bin", "heddle")
        self.folder = folder
        self.count = 0
        ours = ("OMPI_", "PMI_", "PMIX_", "SLURM_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        self.environment["TMPDIR"] = folder

    def build(self, source, flags):
        driver = ["c++", "-std=c++17"] if source.endswith(".cpp") else ["cc"]
        include = os.path.join(HERE, "../../include")
        subprocess.run([self.path, *driver, "-O1", "-g", "-I", include, *flags, os.path.join(HERE, source), "-o",
                        f"{self.folder}/program"], check=True)

    def start(self, ranks, *options):
        """A search in a results folder of its own."""
        self.count += 1
        results = f"{self.folder}/results{self.count}"
        mpirun = ["mpirun", "--enable-recovery", "--oversubscribe", "-np", str(ranks)] if ranks > 1 else []
        if mpirun and os.geteuid() == 0:
            mpirun.insert(1, "--allow-run-as-root")
        command = [*mpirun, self.path, "explore", "--json", f"{results}.json", "-o", results, *options, "--",
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


def essence(report):
    """Everything but times, and which schedule shows a finding."""
    coverage = {key: value for key, value in report["coverage"].items() if key not in ("seconds", "note")}
    return coverage, sorted((finding["kind"], finding["message"], finding["status"]) for finding in report["findings"])


def same(name, a, b):
    if essence(a) != essence(b):
        sys.exit(f"{name} differs:\n{essence(a)}\n{essence(b)}")
    print(f"{name}: {b['coverage']['executions']} executions, {len(b['findings'])} findings; {b['coverage'].get('note', '')}")


def lines(results):
    """The lines of the leader's log as they come; the file may not be there yet."""
    tail = subprocess.Popen(["tail", "-n", "+1", "-F", f"{results}/explore-1/ranks.log"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)
    try:
        yield from tail.stdout
    finally:
        tail.kill()
        tail.wait()


def kill_one(results):
    """Kills a rank that has reported work and has more of it. Returns how often it did not have any after all."""
    process, reported, busy, killed = {}, set(), None, []
    for line in lines(results):
        words = line.split()[1:]
        if match := re.search(r"rank (\d+) joined, process (\d+)", line):
            process[match[1]] = int(match[2])
        elif match := re.search(r"rank (\d+) (?:gave back|finished) subtree", line):
            reported.add(match[1])
        elif match := re.search(r"subtree \d+ to rank (\d+)", line):
            if match[1] in reported and busy is None and len(killed) < 2:
                busy = match[1]
                os.kill(process[busy], signal.SIGKILL)
                killed.append(busy)
        elif busy and re.search(rf"rank {busy} left", line):
            if "given out again" in line:
                return killed
            busy = None
        elif "processor time" in line:
            sys.exit(f"the search ended before a rank was killed at work: {killed} {words}")


def main():
    if shutil.which("mpirun") is None or b"Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True).stdout:
        print("skipped: no Open MPI")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        heddle = Heddle(sys.argv[1], folder)
        for source, flags in SMALL:
            heddle.build(source, flags)
            same(f"{source} {' '.join(flags)}", heddle.explore(1), heddle.explore(4))
        heddle.build(*LONG)
        alone = heddle.explore(1)
        process, results = heddle.start(4)
        killed = kill_one(results)
        report = heddle.finish(process, results)
        same(f"rank {killed[-1]} killed", alone, report)
        if "again because a rank was lost" not in report["coverage"]["note"]:
            sys.exit(f"nothing was lost: {report['coverage']['note']}")
        part = heddle.explore(4, "--executions", "3000")
        if part["coverage"]["complete"]:
            sys.exit("a search that was stopped calls itself complete")
        stopped = f"{folder}/results{heddle.count}/latest"
        same("stopped and resumed alone", alone, heddle.explore(1, "--resume", stopped))


if __name__ == "__main__":
    main()
