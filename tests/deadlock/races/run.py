#!/usr/bin/env python3
"""heddle deadlock --races: each program of programs/ has one race, by variable and lines, and none when built with -DFIXED.

  counter++;  //@ A                 a line with a name
  // expect: counter A-B            the two accesses; anything else that is reported is wrong
"""
import argparse, concurrent.futures, json, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent


def expectation(path):
    text = path.read_text()
    labels = {label: number for number, line in enumerate(text.splitlines(), 1) for label in re.findall(r"//@ (\w+)", line)}
    name, pair = re.search(r"^// expect: (\S+) (\w+-\w+)$", text, re.M).groups()
    return name, sorted(labels[label] for label in pair.split("-"))


def races(heddle, path, flags, folder, options=()):
    compiler = ["clang-19"] if path.suffix == ".c" else ["clang++-19", "-std=c++20"]
    bitcode = pathlib.Path(folder) / f"{path.name}{''.join(flags)}.bc"
    subprocess.run([*compiler, *flags, "-g", "-fno-inline", "-w", "-emit-llvm", "-c", str(path), "-o", str(bitcode)], check=True)
    run = subprocess.run([heddle, "deadlock", "--races", "--json", "-", *options, str(bitcode)], capture_output=True, text=True, cwd=folder)
    if run.returncode not in (0, 1):
        return None, run.stderr
    found = []
    for finding in json.loads(run.stdout)["findings"]:
        if finding["kind"] != "data-race":
            continue
        lines = []
        for step in finding["steps"]:
            frame = next((f for f in step["stack"] if os.path.basename(f.get("file", "")) == path.name), {})
            lines.append(frame.get("line", 0))
        found.append((finding["memory"]["name"], sorted(lines), finding["status"]))
    return found, run.stderr


def check(heddle, path, folder):
    wrong = []
    name, lines = expectation(path)
    for level in ("-O1", "-O0"):
        for fixed in (False, True):
            found, text = races(heddle, path, [level] + (["-DFIXED"] if fixed else []), folder)
            wanted = [] if fixed else [(name, lines, "possible")]
            if found != wanted:
                wrong.append(f"{path.name} {level} {'fixed' if fixed else ''}: {found}, expected {wanted}\n{text}")
    return wrong


def limited(heddle, folder):
    path = HERE / "programs" / "global.c"
    _, text = races(heddle, path, ["-O1"], folder, ["--max-races", "0"])
    return [] if "1 more races are not shown" in text else [f"--max-races 0: {text}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    heddle = os.path.abspath(os.path.join(parser.parse_args().build, "bin", "heddle"))
    programs = sorted(path for path in (HERE / "programs").iterdir() if path.suffix in (".c", ".cpp"))
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [text for texts in pool.map(lambda path: check(heddle, path, folder), programs) for text in texts]
        wrong += limited(heddle, folder)
    for text in wrong:
        print("wrong:", text)
    print(f"{len(programs)} programs with their twins, {len(wrong)} wrong")
    sys.exit(1 if wrong or not programs else 0)


main()
