"""What the runners of tests/ share: building programs with heddle, running it on them, and saying which program failed.

A runner is a list of cases and a function that returns what is wrong with one of them:

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
    from heddle import Heddle, run_cases

    def check(case):
        with heddle.scratch() as folder:
            program = heddle.build(case.source, folder / "program", *case.flags)
            ended = heddle.analyse("detect", program, folder)
            return Expectation("findings=data-race exit=1").problems(ended)

    run_cases("programs", cases, check)

What goes wrong while a case is checked (it does not compile, it does not end) is that case's problem and names it; the
others are still run. Expectations have one language (expectation.py).
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = {"clang": {}, "gcc": {"HEDDLE_CC": "gcc", "HEDDLE_CXX": "g++"}}
SECONDS = 300


class Failed(Exception):
    """A case is wrong, and cannot be looked at further."""


@dataclasses.dataclass
class Ended:
    """A command that has ended."""
    code: int
    out: str
    err: str
    report: dict | None = None

    @property
    def text(self):
        return self.out + self.err

    def findings(self):
        """Those that nothing suppresses."""
        return [one for one in self.report["findings"] if "suppressed" not in one] if self.report else []


class Heddle:
    """The command under test: `place` is a build folder or the command itself. A compiler is that of the programs."""

    def __init__(self, place, compiler="clang"):
        place = pathlib.Path(place).resolve()
        self.path = str(place / "bin" / "heddle") if place.is_dir() else str(place)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
        self.environment.update(COMPILERS[compiler])

    @staticmethod
    def scratch():
        """A folder (a pathlib.Path) for one case."""
        return _Scratch()

    def run(self, *command, code=None, seconds=SECONDS, folder=None, words=None, **environment):
        """Runs any command. With `code`, another exit code is a failure."""
        command = [str(word) for word in command]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, cwd=folder,
                                  input=words, stdin=subprocess.DEVNULL if words is None else None,
                                  env={**self.environment, **environment})
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{' '.join(command)}: does not end within {late.timeout:g} s") from None
        ended = Ended(done.returncode, done.stdout, done.stderr)
        if code is not None and ended.code != code:
            raise Failed(f"{' '.join(command)}: exit code {ended.code}, expected {code}\n{ended.text}")
        return ended

    def build(self, *arguments, **options):
        """Compiles one source (or several) with heddle; all flags reach the compiler, libraries behind the sources. Returns the program."""
        self.build_text(*arguments, **options)
        return arguments[1]

    def build_text(self, source, program, *flags, standard="c++20", level="-O1", include=(ROOT / "include",), libraries=()):
        """The same; returns what the compiler said."""
        sources = [source] if isinstance(source, (str, pathlib.Path)) else list(source)
        cxx = any(pathlib.Path(one).suffix == ".cpp" for one in sources)
        command = [self.path, "c++" if cxx else "cc", *([f"-std={standard}"] if cxx else []), "-g", level, "-pthread"]
        for folder in include:
            command += ["-I", folder]
        return self.run(*command, *flags, *sources, "-o", program, *libraries, code=0).err

    def analyse(self, verb, program, place, *options, arguments=(), **more):
        """Runs a verb on a program, with its report. Results go below `place`."""
        report = pathlib.Path(place) / f"{pathlib.Path(program).name}.{verb}.json"
        report.unlink(missing_ok=True)
        ended = self.run(self.path, verb, "-o", pathlib.Path(place) / "results", "--json", report, *options, "--", program,
                         *arguments, **more)
        ended.report = json.loads(report.read_text()) if report.exists() else None
        return ended


class _Scratch:
    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        return pathlib.Path(self._folder.__enter__())

    def __exit__(self, *error):
        return self._folder.__exit__(*error)


def _guarded(check, case):
    try:
        problems = check(case)
    except Failed as failed:
        problems = str(failed)
    except Exception:  # a fault of the runner is the case's problem too, with its name
        problems = traceback.format_exc()
    if problems is None or isinstance(problems, str):
        problems = [problems] if problems else []
    return [problem for problem in problems if problem]


def run_cases(what, cases, check, name=str, jobs=2, end=True):
    """Checks every case, `jobs` at a time; prints each failure with the case's name as it comes, then how many there were. Ends the
    process with 0 when all are right and there were any (or returns whether, without `end`)."""
    cases = list(cases)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, problems in zip(cases, pool.map(lambda one: _guarded(check, one), cases)):
            failed += bool(problems)
            for problem in problems:
                print(f"FAILED {name(case)}: {problem}", flush=True)
    print(f"{len(cases)} {what}, {failed} failed", flush=True)
    good = failed == 0 and len(cases) > 0
    if end:
        sys.exit(0 if good else 1)
    return good


class Checks:
    """For runners that are a sequence of checks rather than a list of cases: `check(good, text)`, where the text names the program."""

    def __init__(self):
        self.wrong = []

    def __call__(self, good, text):
        if not good:
            self.wrong.append(text)
            print(f"FAILED {text}", flush=True)

    def finish(self, summary):
        print(f"{summary}, {len(self.wrong)} failed", flush=True)
        sys.exit(1 if self.wrong else 0)


def essence(report):
    """What two reports of the same search have in common: everything but times and notes, and which schedule shows a finding."""
    coverage = {key: value for key, value in report["coverage"].items() if key not in ("seconds", "note")}
    return coverage, sorted((one["kind"], one["message"], one["status"]) for one in report["findings"])


def open_mpi(ranks):
    """The command that starts so many ranks. Ends the process with 77 (skipped) when there is no Open MPI."""
    if shutil.which("mpirun") is None or b"Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True).stdout:
        print("skipped: no Open MPI")
        sys.exit(77)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--enable-recovery", "--oversubscribe", "-np", str(ranks)]


def without_ranks(environment):
    """The environment without what an outer MPI or batch system left in it."""
    return {name: value for name, value in environment.items() if not name.startswith(("OMPI_", "PMI_", "PMIX_", "SLURM_"))}


def line_of(step, name):
    """The line at which a step of a finding is in the source called `name`; 0: in none."""
    frame = next((one for one in step["stack"] if os.path.basename(one.get("file", "")) == name), {})
    return frame.get("line", 0)


def bitcode(heddle, source, output, *flags):
    """Compiles one source to bitcode, as heddle deadlock reads it."""
    compiler = ["clang-19"] if source.suffix == ".c" else ["clang++-19", "-std=c++20"]
    heddle.run(*compiler, "-g", "-fno-inline", "-w", *flags, "-emit-llvm", "-c", source, "-o", output, code=0)
    return output
