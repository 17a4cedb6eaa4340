#!/usr/bin/env python3
"""The ThreadSanitizer ABI is complete: every name of names.txt is exported, whatever both compilers make of forms.c and
forms.cpp links with heddle's runtime and runs, and the forms that the files are there for do occur."""
import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FORMS = {
    "gcc": (("gcc", "g++"), ["--param", "tsan-distinguish-volatile=1", "--param", "tsan-instrument-func-entry-exit=1"]),
    "clang": (("clang-19", "clang++-19"), ["-mllvm", "-tsan-distinguish-volatile=1"]),
    "clang compound": (("clang-19", "clang++-19"), ["-mllvm", "-tsan-compound-read-before-write=1"]),
}
# Forms that must occur in what each compiler makes, else the test tests nothing.
EVERYWHERE = {"__tsan_func_entry", "__tsan_func_exit", "__tsan_init", "__tsan_atomic8_load", "__tsan_atomic16_fetch_nand", "__tsan_atomic_thread_fence", "__tsan_vptr_update"}
SOMEWHERE = {"__tsan_write1", "__tsan_write2", "__tsan_write4", "__tsan_write8",
             "__tsan_atomic128_compare_exchange_val", "__tsan_memcpy", "__tsan_memmove", "__tsan_memset", "__tsan_volatile_read4", "__tsan_volatile_write8",
             "__tsan_unaligned_read8", "__tsan_unaligned_write4", "__tsan_unaligned_volatile_write2", "__tsan_read16",
             "__tsan_write16", "__tsan_vptr_read", "__tsan_read_write4", "__tsan_atomic32_compare_exchange_weak",
             "__tsan_atomic_signal_fence"}


def run(arguments, env=None):
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {' '.join(map(str, arguments))} with {env}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(path, option):
    return {line.split()[-1].split("@")[0] for line in run(["nm", *option, path]).splitlines() if line.strip()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    exported = symbols(build / "lib" / "libheddle_rt.so", ["-D", "--defined-only"])
    names = {line for line in (HERE / "names.txt").read_text().split("\n") if line and line[0] != "#"}
    failures = [f"not exported: {name}" for name in sorted(names - exported)]
    # The program may call the runtime before its own initialisers run: they would undo what was begun.
    late = {name for name in symbols(build / "lib" / "libheddle_rt.so", []) if name.startswith("_GLOBAL__sub_I")}
    failures += [f"initialised while the program runs: {name}" for name in sorted(late)]
    work = build / "tests" / "abi"
    work.mkdir(parents=True, exist_ok=True)
    seen = set()
    for what, (compilers, flags) in FORMS.items():
        found = set()
        for source, verb, compiler in (("forms.c", "cc", compilers[0]), ("forms.cpp", "c++", compilers[1])):
            env = {"HEDDLE_CC" if verb == "cc" else "HEDDLE_CXX": compiler}
            for level in ("-O0", "-O2"):
                stem = work / f"{what.replace(' ', '_')}_{verb}{level}"
                run([build / "bin" / "heddle", verb, "-mcx16", level, *flags, "-c", HERE / source, "-o", f"{stem}.o"], env)
                ours = {n for n in symbols(f"{stem}.o", ["-u"]) if n.startswith(("__tsan_", "__heddle_"))}
                failures += [f"{what} emits what is not exported: {name}" for name in sorted(ours - exported)]
                # The plugin replaces some of the compiler's calls; here they are all.
                run([compiler, "-fsanitize=thread", "-mcx16", level, *flags, "-c", HERE / source, "-o", f"{stem}.plain.o"])
                found |= {n for n in symbols(f"{stem}.plain.o", ["-u"]) if n.startswith("__tsan_")}
                run([build / "bin" / "heddle", verb, "-Wl,-z,defs", f"{stem}.o", "-o", str(stem), "-latomic"], env)
                for mode in ("off", "trace"):
                    trace = f"{stem}.{mode}"
                    pathlib.Path(trace).unlink(missing_ok=True)
                    run([str(stem)], {"HEDDLE_MODE": mode, "HEDDLE_TRACE": trace})
        failures += [f"{what} emits what is not exported: {name}" for name in sorted(found - exported)]
        failures += [f"{what} emits what names.txt does not have: {name}" for name in sorted(found - names)]
        failures += [f"{what} does not emit {name}: the test does not test it" for name in sorted(EVERYWHERE - found)]
        seen |= found
    failures += [f"no compiler emits {name}: the test does not test it" for name in sorted(SOMEWHERE - seen)]
    print("\n".join(failures) or f"{len(names)} names exported, {len(seen)} forms emitted and linked")
    sys.exit(1 if failures else 0)


main()
