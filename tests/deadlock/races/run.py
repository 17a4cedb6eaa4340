#!/usr/bin/env python3
"""heddle deadlock --races: each program of programs/ has one race, by variable and lines, and none when built with -DFIXED.

  counter++;  //@ A                 a line with a name
  // expect: counter A-B            the two accesses; anything else that is reported is wrong
"""
import argparse, json, pathlib, re, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import Heddle, bitcode, line_of, run_cases

HERE = pathlib.Path(__file__).resolve().parent


def expectation(path):
    text = path.read_text()
    labels = {label: number for number, line in enumerate(text.splitlines(), 1) for label in re.findall(r"//@ (\w+)", line)}
    name, pair = re.search(r"^// expect: (\S+) (\w+-\w+)$", text, re.M).groups()
    return name, sorted(labels[label] for label in pair.split("-"))


def races(heddle, path, flags, folder, options=()):
    program = bitcode(heddle, path, folder / f"{path.name}{''.join(flags)}.bc", *flags)
    ended = heddle.run(heddle.path, "deadlock", "--races", "--json", "-", *options, program, folder=folder)
    if ended.code not in (0, 1):
        return None, ended.err
    found = [(one["memory"]["name"], sorted(line_of(step, path.name) for step in one["steps"]), one["status"])
             for one in json.loads(ended.out)["findings"] if one["kind"] == "data-race"]
    return found, ended.err


def check(heddle, path):
    wrong = []
    name, lines = expectation(path)
    with heddle.scratch() as folder:
        for level in ("-O1", "-O0"):
            for fixed in (False, True):
                found, text = races(heddle, path, [level] + (["-DFIXED"] if fixed else []), folder)
                wanted = [] if fixed else [(name, lines, "possible")]
                if found != wanted:
                    wrong.append(f"{level} {'fixed' if fixed else ''}: {found}, expected {wanted}\n{text}")
        if path.name == "global.c":
            _, text = races(heddle, path, ["-O1"], folder, ["--max-races", "0"])
            wrong += [] if "1 more races are not shown" in text else [f"--max-races 0: {text}"]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    heddle = Heddle(parser.parse_args().build)
    programs = sorted(path for path in (HERE / "programs").iterdir() if path.suffix in (".c", ".cpp"))
    run_cases("programs with their twins", programs, lambda path: check(heddle, path), name=lambda path: path.name)


main()
