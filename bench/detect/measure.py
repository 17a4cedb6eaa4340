"""Builds and measures the programs of the detect bench."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = ROOT / "build/bin/heddle"
REPEAT = int(os.environ.get("HEDDLE_BENCH_REPEAT", "5"))
VALGRIND = shutil.which("valgrind")
COMPILERS = {"clang": ("clang-19", "clang++-19"), "gcc": ("gcc", "g++")}


def build(folder, source, config):
    """config: native, tsan-COMPILER, heddle-COMPILER, off-COMPILER, helgrind or drd. Returns the binary."""
    config = config.replace("off-", "heddle-")  # the same program
    cxx = source.endswith(".cpp")
    kind, _, compiler = config.partition("-")
    plain = COMPILERS[compiler or "clang"][cxx]
    environment = dict(os.environ, HEDDLE_CC=COMPILERS[compiler or "clang"][0],
                       HEDDLE_CXX=COMPILERS[compiler or "clang"][1])
    if kind == "heddle":
        command = [str(HEDDLE), "c++" if cxx else "cc", "-g"]
    elif kind == "tsan":
        command = [plain, "-g", "-fsanitize=thread"]
    else:  # no debug information: Debian's valgrind cannot read clang's
        command = [plain]
    kind = "native" if kind in ("helgrind", "drd") else config
    binary = f"{folder}/{source.partition('.')[0]}-{kind}"
    if not os.path.exists(binary):
        command += (["-std=c++20"] if cxx else []) + ["-O2", "-pthread", str(ROOT / "bench/programs" / source)]
        subprocess.run(command + ["-o", binary], check=True, env=environment)
    return binary


def environment_of(config, record):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    if config.startswith("heddle"):
        environment.update(HEDDLE_MODE="detect", HEDDLE_FINDINGS=record)
    return environment


def run(binary, arguments, config, record):
    """CPU seconds and peak memory in MiB of one run; one that fails or reports a race ends the bench."""
    pathlib.Path(record).unlink(missing_ok=True)
    command = [binary, *arguments]
    if config in ("helgrind", "drd"):
        command = [VALGRIND, f"--tool={config}", "-q", "--log-file=/dev/null", *command]
    child = subprocess.Popen(command, env=environment_of(config, record), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{binary} ({config}) ended with {child.returncode}")
    if config.startswith("heddle") and "\nrace " in pathlib.Path(record).read_text():
        sys.exit(f"{binary}: a race is reported, see {record}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
