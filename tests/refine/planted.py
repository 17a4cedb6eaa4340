#!/usr/bin/env python3
"""Plants bugs into random threads and asks `heddle refine test` for them.

  planted.py HEDDLE [--threads N] [--at-least N]                    in the assembly of gcc -O0 (mutate.py)
  planted.py HEDDLE --plugin refine_plant.so [--level O2] ...       behind the passes of clang (plugin/plant.cpp)

Prints a table. Fails when a bug was planted in a thread and not found although the thread's behaviour changed, or when
a transformation that compilers may do was reported. "No effect" is decided by an evaluation of the two traces that
shares nothing with heddle's checker: at all unlocks and at the end, the bytes that others can look at are the same. A
store over a neighbour has none when the thread itself writes the neighbour there: between the last unlock before it and
the next lock after it, where no other thread may access it.
"""
import argparse, csv, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUGS = ["hoisted-store", "store-behind-unlock", "load-before-lock", "same-value-write", "widened-store",
        "bit-field-unit", "removed-store", "duplicated-store", "elided-lock", "swapped-locks"]
ALLOWED = ["allowed-into-section", "allowed-dead-store", "allowed-forwarding", "allowed-merged"]
# The pass does not see bit-fields, and has two of the allowed ones.
NOT_OF_PLUGIN = {"bit-field-unit", "allowed-forwarding", "allowed-merged"}
# These show in the values that a thread leaves behind, and only there.
BY_VALUE = {"hoisted-store", "store-behind-unlock", "load-before-lock", "removed-store"}
# These show in what the thread writes.
BY_WRITES = {"widened-store", "bit-field-unit"}


class Compilers:
    """The compiler and its twin that plants bugs."""

    def __init__(self, plugin, level):
        self.level = level if plugin else "O0"
        self.plain = "clang-19" if plugin else "gcc"
        self.mutant = str(HERE / ("clang-mutant" if plugin else "mutate.py"))
        self.plugin = os.path.abspath(plugin) if plugin else ""

    def environment(self, mutation, log, **more):
        return dict(os.environ, REFINE_MUTATION=mutation, REFINE_MUTATED=log, REFINE_PLUGIN=self.plugin, **more)


def run_heddle(heddle, compilers, mutation, seed, threads, folder, order):
    """Seeds of changed threads, and the outcomes of each."""
    environment = compilers.environment(mutation, f"{folder}/mutated", TMPDIR=folder)
    open(f"{folder}/mutated", "w").close()
    command = [heddle, "refine", "test", "--random", str(threads), "--seed", str(seed), "--batch", str(threads),
               "--jobs", "1", "--cc", ",".join(order), "--levels", compilers.level, "--no-reduce", "--environments", "4", "--size", "16",
               "--outcomes", f"{folder}/outcomes", "-o", f"{folder}/results"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    changed = set(open(f"{folder}/mutated").read().split())
    outcomes = {}
    for row in csv.DictReader(open(f"{folder}/outcomes")):
        outcomes.setdefault(row["thread"], []).append((row["outcome"], row["constraint"], row["seed"]))
    return changed, outcomes


def states(path, heddle, seed_arguments):
    """For each unlock, from the text of a trace: the lock, the shared bytes, and those that the thread writes again before
    its next lock, which nobody can look at."""
    text = subprocess.run([heddle, "refine", "trace", path, *seed_arguments], capture_output=True, text=True).stdout
    memory, out, since = {}, [], 0
    for line in text.splitlines():
        words = line.split()
        if words[0] in ("write", "environment"):
            name, _, offset = words[1].partition("+")
            for k in range(int(words[2])):
                memory[name, int(offset or 0) + k] = int(words[3], 16) >> (8 * k) & 255
                for _, _, again in out[since:]:
                    again.add((name, int(offset or 0) + k))
        elif words[0] == "lock":
            since = len(out)
        elif words[0] == "unlock":
            out.append((words[1], dict(memory), set()))
    return out


def written(path, heddle, seed_arguments):
    """The writes between neighbouring lock operations, each as the set of its bytes, and these operations."""
    text = subprocess.run([heddle, "refine", "trace", path, *seed_arguments], capture_output=True, text=True).stdout
    sections, operations = [[]], []
    for words in (line.split() for line in text.splitlines()):
        if words[0] in ("lock", "unlock"):
            operations.append(words[0])
            sections.append([])
        elif words[0] == "write":
            name, _, offset = words[1].partition("+")
            sections[-1].append({(name, int(offset or 0) + k) for k in range(int(words[2]))})
    return sections, operations


def bit_field_runs(source):
    """The bytes of each run of adjacent bit-fields, which is one memory location (C11 3.14) wherever a compiler puts its
    parts. Laid out as the System V ABI says; the generator's bit-fields are of type int or unsigned."""
    sizes = {"char": 1, "short": 2, "int": 4, "unsigned": 4, "signed": 4, "long": 8}
    text, structs, runs = open(source).read(), {}, []
    for tag, body in re.findall(r"^struct (\w+) \{(.*?)\};", text, re.M):
        bit, spans = 0, []
        for member in filter(None, map(str.strip, body.split(";"))):
            kind, _, width = member.partition(":")
            size = next(sizes[w] for w in ("char", "short", "long", "int", "unsigned", "signed") if w in kind.split())
            if width:
                if bit % 32 + int(width) > 32:
                    bit += 32 - bit % 32
                if spans and spans[-1][2]:
                    spans[-1][1] = bit + int(width)
                else:
                    spans.append([bit, bit + int(width), True])
                bit += int(width)
                continue
            bit = -(-bit // (8 * size)) * 8 * size + 8 * size
            spans.append([0, 0, False])
        structs[tag] = [range(first // 8, (last + 7) // 8) for first, last, field in spans if field]
    for tag, name in re.findall(r"^struct (\w+) (\w+);", text, re.M):
        runs += [{(name, k) for k in span} for span in structs[tag]]
    return runs


def own_places_only(plain, mutant, runs):
    """Whether the mutant writes only where the thread itself writes since its last unlock or before its next lock. What is
    planted writes one scalar, of which the thread may write a part, or a part of a run of bit-fields."""
    (sections, operations), (others, other_operations) = plain, mutant
    if operations != other_operations:
        return False
    for i, writes in enumerate(others):
        first = last = i
        while first > 0 and operations[first - 1] == "lock":
            first -= 1
        while last < len(operations) and operations[last] == "unlock":
            last += 1
        own = set().union(*(write for section in sections[first:last + 1] for write in section))
        own = own.union(*(run for run in runs if run & own))
        if any(not write & own for write in writes):
            return False
    return True


def one_thread(heddle, thread_seed, folder):
    source = f"{folder}/one.c"
    subprocess.run([heddle, "refine", "gen", "--seed", thread_seed, "--size", "16", "-o", source], check=True)
    return source


def found_alone(heddle, compilers, mutation, thread_seed, folder):
    """The thread in a file of its own, in the same four environments that no_effect looks at."""
    command = [heddle, "refine", "test", one_thread(heddle, thread_seed, folder), "--cc",
               f"{compilers.plain},{compilers.mutant}", "--levels", compilers.level, "--no-reduce", "--environments", "4",
               "-o", f"{folder}/results"]
    done = subprocess.run(command, env=compilers.environment(mutation, f"{folder}/ignored"), capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.returncode == 1


def no_effect(heddle, compilers, mutation, thread_seed, folder):
    """Whether the mutant of one thread leaves the same bytes at every unlock, in the same four environments, and for
    BY_WRITES writes to no other place."""
    source = one_thread(heddle, thread_seed, folder)
    flags = ["-c", "-" + compilers.level, "-w", "-g", "-fno-pic", "-fno-pie", "-fdata-sections", source]
    environment = compilers.environment(mutation, f"{folder}/ignored")
    subprocess.run([compilers.plain, *flags, "-o", f"{folder}/plain.o"], check=True)
    subprocess.run([compilers.mutant, *flags, "-o", f"{folder}/mutant.o"], check=True, env=environment)
    for seed in range(1, 5):
        subprocess.run([heddle, "refine", "trace", f"{folder}/plain.o", "--seed", str(seed), "-o", f"{folder}/plain.trace"])
        plain = states(f"{folder}/plain.o", heddle, ["--seed", str(seed)])
        mutant = states(f"{folder}/mutant.o", heddle, ["--like", f"{folder}/plain.trace"])
        for (lock, a, again), (lock2, b, _) in zip(plain, mutant):
            # What one of them never wrote has its first value, which the environment of the thread's start wrote.
            if lock != lock2 or any(a.get(k) != b.get(k) for k in (a.keys() | b.keys()) - again):
                return False
        if len(plain) != len(mutant):
            return False
        if mutation in BY_WRITES and not own_places_only(
                written(f"{folder}/plain.o", heddle, ["--seed", str(seed)]),
                written(f"{folder}/mutant.o", heddle, ["--like", f"{folder}/plain.trace"]), bit_field_runs(source)):
            return False
    return True


def main():
    options = argparse.ArgumentParser()
    options.add_argument("heddle")
    options.add_argument("--threads", type=int, default=60)
    options.add_argument("--at-least", type=int, default=1, help="threads for each bug in which it has an effect")
    options.add_argument("--only")
    options.add_argument("--plugin", help="plant by the pass of plugin/plant.cpp")
    options.add_argument("--level", default="O2", help="of clang, with --plugin")
    o = options.parse_args()
    o.heddle = os.path.abspath(o.heddle)
    compilers = Compilers(o.plugin, o.level)
    failed = False
    print(f"{'planted':<24}{'threads':>8}{'changed':>9}{'found':>7}{'no effect':>11}{'missed':>8}")
    for mutation in BUGS + ALLOWED:
        if (o.only and o.only != mutation) or (o.plugin and mutation in NOT_OF_PLUGIN):
            continue
        total = changed_count = found = nothing = missed = 0
        seed = 1
        counted = 0  # threads in which the bug changes what others can see, or the allowed transformation anything
        while total == 0 or (counted < o.at_least and total < 400 * o.at_least):
            with tempfile.TemporaryDirectory() as folder:
                # A removed dead store is an added one seen from the other side.
                order = [compilers.plain, compilers.mutant]
                if mutation in ("allowed-dead-store", "allowed-merged"):
                    order.reverse()
                changed, outcomes = run_heddle(o.heddle, compilers, mutation, seed, o.threads, folder, order)
                total += o.threads
                seed += o.threads
                for thread in sorted(changed):
                    rows = outcomes.get(thread, [])
                    changed_count += 1
                    if any(row[0] == "differs" for row in rows):
                        found += 1
                        if mutation in ALLOWED:
                            failed = True
                            print("  reported although allowed: seed", rows[0][2], rows)
                    elif mutation in ALLOWED:
                        nothing += 1
                    elif mutation in BY_VALUE | BY_WRITES and no_effect(o.heddle, compilers, mutation, rows[0][2], folder):
                        nothing += 1
                    elif mutation in BY_VALUE | BY_WRITES and found_alone(o.heddle, compilers, mutation, rows[0][2], folder):
                        found += 1
                    else:
                        missed += 1
                        failed = True
                        print("  missed: seed", rows[0][2], rows)
                counted = changed_count if mutation in ALLOWED else found + missed
                for thread, rows in outcomes.items():
                    if thread not in changed and any(row[0] == "differs" for row in rows):
                        failed = True
                        print("  reported without a change: seed", rows[0][2])
        if counted < o.at_least:
            failed = True
        print(f"{mutation:<24}{total:>8}{changed_count:>9}{found:>7}{nothing:>11}{missed:>8}", flush=True)
    sys.exit(1 if failed else 0)


main()
