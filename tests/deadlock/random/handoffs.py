#!/usr/bin/env python3
"""Random C programs whose threads signal each other, analysed without running and explored: no race may be missed.

usage: handoffs.py HEDDLE [--first SEED] [--programs N] [--keep FOLDER]

Each thread, and main, does a few things by chance: it accesses a variable, posts or waits for a semaphore, sets or tests a
flag (atomic with several orders, or plain under a lock), meets others at a barrier, takes a lock, joins another thread.
Exploration performs the schedules. Wrong is: a variable with a race that is performed, and of which `--races` reports none; a
line whose access races and is in the list of those that cannot (--prune-list).
"""
import argparse, json, os, pathlib, random, re, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
from heddle import line_of

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static int v0, v1, v2, v3, plain;
static sem_t zero, other, one;
static atomic_int flag, second;
static pthread_barrier_t meet;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t0, t1, t2;
"""
PLAIN = ["sem_post(&zero);", "sem_post(&other);", "sem_wait(&zero);", "sem_wait(&other);", "sem_wait(&one);", "sem_post(&one);",
         "pthread_barrier_wait(&meet);", "atomic_store(&flag, 1);", "atomic_store_explicit(&flag, 1, memory_order_release);",
         "atomic_store_explicit(&second, 1, memory_order_relaxed);", "atomic_store(&second, 2);", "atomic_fetch_add(&second, 1);",
         "plain = 1;", "pthread_mutex_lock(&m); plain = 1; pthread_mutex_unlock(&m);", "atomic_store(&flag, 0);"]
AROUND = ["if (atomic_load(&flag)) {{ {} }}", "if (atomic_load_explicit(&flag, memory_order_acquire) == 1) {{ {} }}",
          "if (atomic_load(&second) > 1) {{ {} }}", "if (atomic_load(&second) != 0) {{ {} }}", "if (!atomic_load(&flag)) {{ {} }}",
          "if (atomic_load_explicit(&second, memory_order_relaxed)) {{ {} }}",
          "{{ pthread_mutex_lock(&m); int seen = plain; pthread_mutex_unlock(&m); if (seen) {{ {} }} }}",
          "{{ pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m); }}", "{{ pthread_mutex_lock(&n); {} pthread_mutex_unlock(&n); }}",
          "{{ sem_wait(&one); {} sem_post(&one); }}"]


def body(pick, depth, joins):
    steps = []
    for _ in range(pick.choice([2, 3, 3, 4])):
        kind = pick.random()
        if kind < 0.4:
            steps.append(f"v{pick.randrange(4)}++;")
        elif kind < 0.65 and depth > 0:
            steps.append(pick.choice(AROUND).format(f"v{pick.randrange(4)}++;"))
        elif kind < 0.72 and joins:
            steps.append(f"pthread_join({joins.pop()}, 0);")
        else:
            steps.append(pick.choice(pick.choice([PLAIN, PLAIN[:4], PLAIN[7:9]])))
    return "\n  ".join(steps)  # one to a line: findings are told apart by lines


def program(seed):
    pick = random.Random(seed)
    threads = pick.choice([1, 2, 2, 3])
    joins = [f"t{i}" for i in range(threads)]
    lines = [HEAD]
    # A thread joins only those that were created before it; each is joined once.
    for i in range(threads):
        earlier = [t for t in joins if t < f"t{i}"] if pick.random() < 0.4 else []
        given = list(earlier)
        lines.append(f"static void *w{i}(void *arg) {{\n  {body(pick, 1, given)}\n  return arg;\n}}")
        for used in set(earlier) - set(given):
            joins.remove(used)
    main = ["sem_init(&zero, 0, 0);", "sem_init(&other, 0, 0);", "sem_init(&one, 0, 1);", "pthread_barrier_init(&meet, 0, 2);"]
    for i in range(threads):
        if pick.random() < 0.3:
            main.append(body(pick, 0, []))
        repeat = pick.random() < 0.1 and f"t{i}" in joins
        main += [f"pthread_create(&t{i}, 0, w{i}, 0);"] * (2 if repeat else 1)
    main.append(body(pick, 1, []))
    main += [f"pthread_join({t}, 0);" for t in joins]
    main.append(body(pick, 0, []) if pick.random() < 0.3 else "")
    lines.append("int main(void) {\n  " + "\n  ".join(main) + "\n  return 0;\n}")
    return "\n".join(lines) + "\n"


def run(command, folder):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120).returncode
    except subprocess.TimeoutExpired:
        return None


def raced(folder, name):
    report = json.loads((pathlib.Path(folder) / name).read_text())
    return {finding["memory"]["name"] for finding in report["findings"] if finding["kind"] == "data-race"}


def racing_lines(folder):
    """Lines of one access that raced in a run."""
    text = (pathlib.Path(folder) / "p.c").read_text().splitlines()
    report = json.loads((pathlib.Path(folder) / "e.json").read_text())
    lines = {line_of(step, "p.c") for finding in report["findings"] if finding["kind"] == "data-race"
             for step in finding["steps"] if step.get("site")}
    return {line for line in lines if line and re.fullmatch(r"\s*v\d\+\+;", text[line - 1])}


def pruned_lines(folder):
    list_ = (pathlib.Path(folder) / "prune").read_text().splitlines()
    files = [line.split()[2] for line in list_ if line.startswith("file ")]
    places = [line.split() for line in list_ if line.startswith("at ")]
    return {int(place[2]) for place in places if files[int(place[1])].endswith("p.c")}


def compare(heddle, seed, folder):
    (pathlib.Path(folder) / "p.c").write_text(program(seed))
    flags = ["-g", "-O1", "-pthread", "-w", "p.c"]
    if run([heddle, "cc", *flags, "-o", "p"], folder) != 0 or run([heddle, "cc", "--bitcode", "-c", *flags, "-o", "p.bc"], folder) != 0:
        return "not built"
    run([heddle, "explore", "--goal", "race", "--time", "10s", "--json", "e.json", "--", "./p"], folder)
    run([heddle, "deadlock", "--races", "--all", "--prune-list", "prune", "--json", "s.json", "p.bc"], folder)
    try:
        performed, static = raced(folder, "e.json"), raced(folder, "s.json")
    except (OSError, ValueError):
        return "no answer"
    if performed - static:
        return "MISSED " + " ".join(sorted(performed - static))
    if racing_lines(folder) & pruned_lines(folder):
        return f"PRUNED {sorted(racing_lines(folder) & pruned_lines(folder))}"
    return "alarm" if static - performed else "agree"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--keep", help="folder for the programs that are wrong")
    args = parser.parse_args()
    counts, wrong = {}, 0
    for seed in range(args.first, args.first + args.programs):
        with tempfile.TemporaryDirectory() as folder:
            what = compare(os.path.abspath(args.heddle), seed, folder)
            counts[what] = counts.get(what, 0) + 1
            if what not in ("agree", "alarm", "no answer"):
                wrong += 1
                print(f"seed {seed}: {what}\n{program(seed)}", flush=True)
            if args.keep and what != "agree":
                pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
                (pathlib.Path(args.keep) / f"{seed}.{what.split()[0]}.c").write_text(program(seed))
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(1 if wrong else 0)


main()
