#!/usr/bin/env python3
"""Compiles every program of this folder, runs it natively, in `off` and in `trace`, and compares what it does and what
it records with NAME.expect. One compiler a run; docs/program-tests.md has the language of the expectations.

  run.py --build BUILD --compiler gcc|clang [--jobs N] [--keep] [NAME...]
"""
import argparse
import glob
import os
import pathlib
import resource
import shlex
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from heddle import Failed, run_cases

import events
import invariants
import pattern
import trace_expectation

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
SECONDS = 120  # a hang, whatever else the machine does
MEMORY = 4 << 30  # a trace that is far too large to be right must not take the machine with it


class Program:
    def __init__(self, source, options, work):
        self.source = source
        self.name = source.stem
        self.options = options
        self.folder = work / self.name
        self.expect = trace_expectation.Expectation(source.with_suffix(".expect").read_text())
        self.cxx = source.suffix == ".cpp"
        self.heddle = str(options.build / "bin" / "heddle")

    def command(self, arguments, environment=None):
        """Runs a command in the program's folder; what it was, for people, is kept for the message."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")}
        env.update(environment or {})
        self.last = " ".join([f"{k}={shlex.quote(v)}" for k, v in (environment or {}).items()] +
                             [shlex.quote(str(a)) for a in arguments])
        try:
            return subprocess.run(arguments, capture_output=True, text=True, env=env, cwd=self.folder, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failed(f"still running after {SECONDS} s") from None

    def compile(self, output, instrumented):
        c, cxx = COMPILERS[self.options.compiler]
        plain = cxx if self.cxx else c
        if instrumented:
            base = [self.heddle, "c++" if self.cxx else "cc"]
            env = {"HEDDLE_CXX" if self.cxx else "HEDDLE_CC": plain}
        else:
            base, env = [plain], {}
        flags = ["-std=gnu++20" if self.cxx else "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-pthread", f"-I{HERE}",
                 f"-I{HERE.parent.parent / 'include'}"]
        flags += self.expect.words("flags")
        library = self.source.parent / "inputs" / f"{self.name}_library.c"
        links = self.expect.words("link")
        if library.exists():
            self.must(base + flags + ["-shared", "-fPIC", str(library), "-o", f"{output}_library.so"], env)
            links += [f"-DLIBRARY=\"{self.folder}/{output}_library.so\""]
        self.must(base + flags + [str(self.source), "-o", output] + links, env)

    def must(self, arguments, env):
        done = self.command(arguments, env)
        if done.returncode != 0:
            raise Failed(f"does not compile:\n{done.stderr}")

    def run_and_compare(self, what, arguments, environment, native):
        done = self.command(arguments, environment)
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        wanted = int(self.expect.values.get("exit", "0"))
        if code != wanted:
            raise Failed(f"{what}: exit code {code}, expected {wanted}\n{done.stdout}{done.stderr}")
        if native is not None and (done.stdout, done.stderr) != native:
            raise Failed(f"{what}: another output than natively\n--- native\n{''.join(native)}"
                          f"--- {what}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def traces(self, path):
        """The trace of the program itself and those of its children, in the order they were made."""
        children = sorted(glob.glob(glob.escape(str(path)) + ".*"), key=lambda p: os.stat(p).st_ctime_ns)
        return [str(path)] + children

    def check_traces(self, path):
        files = self.traces(path)
        sections = self.expect.sections
        if len(files) != len(sections):
            raise Failed(f"{len(files)} processes were traced, expected {len(sections)}")
        for file, section in zip(files, sections):
            try:
                found = events.read_trace(self.heddle, file)
            except ValueError as error:
                raise Failed(str(error)) from None
            self.last = f"{self.heddle} trace print {file}"
            complaints = section.check(found, self.expect.hidden)
            complaints += invariants.check(found, self.expect.words("unchecked"))
            if complaints:
                raise Failed("\n".join(complaints[:10]))

    def test(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        arguments = self.expect.words("args")
        self.compile("native", False)
        self.compile("watched", True)
        native = self.run_and_compare("natively", ["./native"] + arguments, {}, None)
        self.run_and_compare("in off", ["./watched"] + arguments, {}, native)
        trace = self.folder / "trace"
        record = [self.heddle, "trace", "record", "-o", str(trace), "--", "./watched"] + arguments
        self.run_and_compare("in trace", record, {}, native)
        self.check_traces(trace)


def check(source, options, work):
    begin = time.monotonic()
    program = None
    try:
        program = Program(source, options, work)
        program.test()
    except (Failed, pattern.PatternError, OSError, MemoryError) as error:
        last = f"\n  command: cd {program.folder} && {program.last}" if program and hasattr(program, "last") else ""
        return f"{error}{last}\n  again:   {sys.argv[0]} --build {options.build} --compiler {options.compiler} {source.stem}"
    if options.times:
        print(f"  ok {source.stem} {time.monotonic() - begin:.2f} s")
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder of heddle")
    parser.add_argument("--compiler", choices=COMPILERS, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--times", action="store_true", help="how long each took")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.build = options.build.resolve()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sources = sorted(p for p in HERE.iterdir() if p.suffix in (".c", ".cpp"))
    known = {p.stem for p in sources}
    for name in options.names:
        if name not in known:
            sys.exit(f"no program is called {name}")
    if options.names:
        sources = [p for p in sources if p.stem in options.names]
    work = options.build / "tests" / "programs" / options.compiler
    run_cases(f"programs with {options.compiler}", sources, lambda source: check(source, options, work),
              name=lambda source: source.stem, jobs=options.jobs)


main()
