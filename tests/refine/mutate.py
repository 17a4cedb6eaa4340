#!/usr/bin/env python3
"""A compiler with a planted bug: compiles with `gcc -S`, changes the assembly of every thread once, and assembles it.

  REFINE_MUTATION=removed-store mutate.py COMPILER-ARGUMENTS... -o OUT.o

Only places that every execution of the thread passes are changed (outside of every branch and loop). The names of the
threads that were changed are appended to the file REFINE_MUTATED. x86-64, -O0 only.
The mutations whose names begin with `allowed-` are ones that a compiler may do (section 3.4 of "Lock Correctness").
"""
import os, re, subprocess, sys, tempfile

STORE = re.compile(r"^\tmov([bwlq])\t(\$-?\d+|%\w+), (t\d+_\w+?)(\+\d+)?\(%rip\)$")
LOAD = re.compile(r"^\tmov(?:[bwlq]|[zs]\w\w|slq|abs)\t(t\d+_\w+?)(\+\d+)?\(%rip\), (%\w+)$")
CALL = re.compile(r"^\tcall\tpthread_mutex_(un)?lock$")
ARGUMENT = re.compile(r"^\tmovl\t\$(lock\d+_\d+), %edi$")
LABEL = re.compile(r"^(\.L\w+):")
JUMP = re.compile(r"^\tj\w+\t\*?(\.L\w+)")
INDIRECT = re.compile(r"\((?!%rbp|%rip)%r")
SIZE = {"b": 1, "w": 2, "l": 4, "q": 8}
WIDE = {}
for full, names in {"%rax": "eax ax al", "%rdx": "edx dx dl", "%rcx": "ecx cx cl", "%rbx": "ebx bx bl",
                    "%rsi": "esi si sil", "%rdi": "edi di dil", "%r8": "r8d r8w r8b", "%r9": "r9d r9w r9b"}.items():
    WIDE[full] = full
    for name in names.split():
        WIDE["%" + name] = full
SLOT = "-4096(%rsp)"


WIDTH = {"signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned": 4, "long": 8,
         "unsigned long": 8}
VOLATILE = set()
ELEMENT = {}  # of arrays: the size of an element
WRITTEN = set()  # by any function of the file, or a pointer leads to it
LOCATIONS = {}  # of structure objects: for each byte the number of its memory location, None for padding


def lay_out(body):
    """The memory locations of a structure, by the rules of the x86-64 ABI."""
    bit, run, locations = 0, None, {}
    for number, member in enumerate(m.strip() for m in body.split(";") if m.strip()):
        if ":" in member:
            width = int(member.split(":")[1])
            if bit // 32 != (bit + width - 1) // 32:
                bit = (bit + 31) // 32 * 32
            run = number if run is None else run
            for b in range(bit, bit + width):
                locations[b // 8] = ("run", run)
            bit += width
        else:
            run = None
            size = WIDTH[member.rsplit(" ", 1)[0]]
            byte = (bit // 8 + (1 if bit % 8 else 0) + size - 1) // size * size
            for b in range(byte, byte + size):
                locations[b] = ("scalar", byte)
            bit = 8 * (byte + size)
    return locations


def look_at_source(path):
    structures = {}
    for line in open(path):
        if m := re.match(r"volatile .* (\w+) = ", line):
            VOLATILE.add(m[1])
        if m := re.match(r"([a-z ]+) (t\d+_a\d+)\[\d+\];", line):
            ELEMENT[m[2]] = WIDTH[m[1]]
        if m := re.match(r"struct (\w+) \{(.*)\};", line):
            structures[m[1]] = lay_out(m[2])
        if m := re.match(r"struct (\w+) (\w+);", line):
            LOCATIONS[m[2]] = structures[m[1]]


class Thread:
    """The lines of one thread's function."""

    def __init__(self, name, lines):
        self.name, self.lines = name, lines
        self.always = self.always_passed()

    def always_passed(self):
        """For each line, whether no jump leads around it and no loop contains it."""
        label = {m[1]: i for i, line in enumerate(self.lines) if (m := LABEL.match(line))}
        free = [True] * len(self.lines)
        for i, line in enumerate(self.lines):
            if "\tjmp\t*" in line:
                return [False] * len(self.lines)
            if (m := JUMP.match(line)) and m[1] in label:
                low, high = sorted((i, label[m[1]]))
                for k in range(low, high):
                    free[k] = False
        return free

    def calls(self, un):
        """(line of the argument, line of the call, lock) of lock or unlock calls on every path."""
        found = []
        for i, line in enumerate(self.lines):
            if (m := CALL.match(line)) and bool(m[1]) == un and self.always[i]:
                if a := ARGUMENT.match(self.lines[i - 1]):
                    found.append((i - 1, i, a[1]))
        return found

    def straight(self, low, high):
        """No call, label or jump between two lines."""
        return not any("\tcall" in l or LABEL.match(l) or JUMP.match(l) for l in self.lines[low:high])


def saved(register):
    return [f"\tmovq\t{WIDE[register]}, {SLOT}"]


def restored(register):
    return [f"\tmovq\t{SLOT}, {WIDE[register]}"]


def stores(thread, last_before_unlock=False):
    for i, line in enumerate(thread.lines):
        m = STORE.match(line)
        if m and thread.always[i] and m[3] not in VOLATILE:
            yield i, m


def fits(m):
    return m[2].startswith("$") or m[2] in WIDE


def touches(thread, variable, low, high):
    """Whether the lines may access the variable: by name, through a pointer, or in a call."""
    for line in thread.lines[low:high]:
        if variable in line or "\tcall\thelp" in line or "\tcall\tmem" in line or "rep " in line:
            return True
        if re.search(r", \(%r[a-d]\w\)$|, \(%r[sd]i\)$", line):
            return True
    return False


def store_before_unlock(thread):
    """(store line, match, call line): a store, then an unlock in the same block. The variable is not accessed between,
    nor behind the unlock up to the next lock operation: there the compiler might move the store (3.4.2)."""
    for argument, call, _ in thread.calls(True):
        end = next((k for k in range(call + 1, len(thread.lines)) if CALL.match(thread.lines[k])), len(thread.lines))
        for i, m in stores(thread):
            if i < argument and thread.straight(i + 1, argument) and fits(m):
                if not touches(thread, m[3], i + 1, argument) and not touches(thread, m[3], call + 1, end):
                    return i, m, call
    return None


def removed_store(t):
    found = store_before_unlock(t)
    if not found:
        return None
    i, _, _ = found
    return t.lines[:i] + t.lines[i + 1:]


def store_behind_unlock(t, keep=False):
    found = store_before_unlock(t)
    if not found:
        return None
    i, m, call = found
    immediate = m[2].startswith("$")
    before = [] if immediate else saved(m[2])
    after = ([] if immediate else restored(m[2])) + [t.lines[i]]
    return (t.lines[:i] + before + ([t.lines[i]] if keep else []) + t.lines[i + 1:call + 1] + after
            + t.lines[call + 1:])


def duplicated_store(t):
    return store_behind_unlock(t, keep=True)


def load_before_lock(t):
    for argument, call, _ in t.calls(False):
        for i in range(call + 1, len(t.lines)):
            if "\tcall" in t.lines[i] or LABEL.match(t.lines[i]) or JUMP.match(t.lines[i]):
                break
            m = LOAD.match(t.lines[i])
            if m and m[1] not in VOLATILE and m[3] in WIDE and not any(m[1] in l for l in t.lines[call + 1:i]):
                early = [t.lines[i]] + saved(m[3])
                return t.lines[:argument] + early + t.lines[argument:i] + restored(m[3]) + t.lines[i + 1:]
    return None


def same_value_write(t):
    """Reads and writes back a variable that this section, from lock to unlock, and what follows do not write."""
    for _, call, _ in t.calls(False):
        end = next((c for _, c, _ in t.calls(True) if c > call), None)
        if end is None:
            continue
        written = WRITTEN
        for line in t.lines:
            m = LOAD.match(line)
            if m and m[1] not in written and "_g" in m[1] and m[1] not in VOLATILE and not any(
                    f"${m[1]}," in l for l in t.lines):
                v = m[1]
                return t.lines[:call + 1] + [f"\tmovb\t{v}(%rip), %r11b", f"\tmovb\t%r11b, {v}(%rip)"] + t.lines[call + 1:]
    return None


def hoisted_store(t):
    """A store from inside of a branch is done before the branch, with another value."""
    for i, line in enumerate(t.lines):
        if not (m := JUMP.match(line)) or line.startswith("\tjmp") or not t.always[i - 1]:
            continue
        end = next((k for k in range(i, len(t.lines)) if t.lines[k].startswith(m[1] + ":")), None)
        if end is None:
            continue
        for k in range(i, end):
            s = STORE.match(t.lines[k])
            if s and s[3] not in VOLATILE and not any(STORE.match(l) and STORE.match(l)[3] == s[3] for l in t.lines[:i] + t.lines[end:]):
                return t.lines[:i] + [f"\tmov{s[1]}\t$90, {s[3]}{s[4] or ''}(%rip)"] + t.lines[i:]
    return None


def widened_store(t, kind="_a"):
    """A store to an element becomes a store of twice the width that puts the neighbour's old value back."""
    for i, m in stores(t):
        offset = int(m[4] or 0)
        if kind not in m[3] or m[1] == "q":
            continue
        size = SIZE[m[1]]
        if offset % (2 * size) != 0 or size < ELEMENT.get(m[3], 0):
            continue  # the rest of a scalar is the same location
        neighbour = f"{m[3]}+{offset + size}"
        if m[3] in LOCATIONS:
            of = LOCATIONS[m[3]]
            own = {of.get(b) for b in range(offset, offset + size)}
            if all(of.get(b) is None or of.get(b) in own for b in range(offset + size, offset + 2 * size)):
                continue
            bits = any(l is not None and l[0] == "run" for l in (of.get(b) for b in range(offset, offset + 2 * size)))
            if not bits:
                continue
        if any(f"{neighbour}(%rip)" in l for l in t.lines) or any(f"${m[3]}" in l or f"{m[3]}(," in l for l in t.lines):
            continue
        r = {"b": "%r11b", "w": "%r11w", "l": "%r11d"}[m[1]]
        return (t.lines[:i + 1] + [f"\tmov{m[1]}\t{neighbour}(%rip), {r}", f"\tmov{m[1]}\t{r}, {neighbour}(%rip)"]
                + t.lines[i + 1:])
    return None


def bit_field_unit(t):
    return widened_store(t, "_o")


def elided_lock(t):
    calls = t.calls(False)
    if not calls:
        return None
    _, call, lock = calls[0]
    out = [l for i, l in enumerate(t.lines) if i != call]
    for i in range(call, len(out)):
        if (m := CALL.match(out[i])) and m[1] and f"${lock}," in out[i - 1]:
            return out[:i] + out[i + 1:]
    return out


def swapped_locks(t):
    calls = t.calls(False)
    unlocks = [c for _, c, _ in t.calls(True)]
    for (a1, c1, l1), (a2, c2, l2) in zip(calls, calls[1:]):
        if l1 != l2 and not any(c1 < u < c2 for u in unlocks) and not any(
                CALL.match(l) for l in t.lines[c1 + 1:c2]):
            out = list(t.lines)
            out[a1], out[a2] = out[a2], out[a1]
            return out
    return None


def allowed_into_section(t):
    """Roach motel: a store behind an unlock moves before it. What it moves over must not touch the variable, also not
    through a pointer."""
    for argument, call, _ in t.calls(True):
        for i in range(call + 1, len(t.lines)):
            line = t.lines[i]
            if "\tcall" in line or LABEL.match(line) or JUMP.match(line):
                break
            m = STORE.match(line)
            if m and m[2].startswith("$") and not any(
                    m[3] in l or INDIRECT.search(l) for l in t.lines[argument:i]):
                return t.lines[:argument] + [line] + t.lines[argument:i] + t.lines[i + 1:]
    return None


def allowed_dead_store(t):
    """An extra store of another value just before a store to the same variable, which the other build has alone."""
    for i, m in stores(t):
        return t.lines[:i] + [f"\tmov{m[1]}\t$77, {m[3]}{m[4] or ''}(%rip)"] + t.lines[i:]
    return None


def allowed_forwarding(t):
    """A load of what was just stored is replaced by a second load before the store's successor: read again."""
    for i, m in stores(t):
        if m[1] == "q" and m[2] == "%rax":
            return t.lines[:i + 1] + [f"\tmovq\t{m[3]}{m[4] or ''}(%rip), %rax"] + t.lines[i + 1:]
    return None


def allowed_merged(t):
    """A store is done twice in a row."""
    for i, m in stores(t):
        return t.lines[:i] + [t.lines[i]] + t.lines[i:]
    return None


MUTATIONS = {
    "hoisted-store": hoisted_store, "store-behind-unlock": store_behind_unlock, "load-before-lock": load_before_lock,
    "same-value-write": same_value_write, "widened-store": widened_store, "bit-field-unit": bit_field_unit,
    "removed-store": removed_store, "duplicated-store": duplicated_store, "elided-lock": elided_lock,
    "swapped-locks": swapped_locks, "allowed-into-section": allowed_into_section,
    "allowed-dead-store": allowed_dead_store, "allowed-forwarding": allowed_forwarding, "allowed-merged": allowed_merged,
}


def mutate(text, mutation):
    lines, out, changed = text.split("\n"), [], []
    for line in lines:
        if line.startswith("\t.section\t.debug"):
            break  # there every variable's address is named
        if m := re.search(r", (t\d+_\w+?)(\+\d+)?\(%rip\)$|(?:\$|\.quad\t)(t\d+_\w+)", line):
            WRITTEN.add(m[1] or m[3])
    i = 0
    while i < len(lines):
        name = re.match(r"^(thread_\d+):$", lines[i])
        if not name:
            out.append(lines[i])
            i += 1
            continue
        end = next(k for k in range(i, len(lines)) if lines[k].startswith("\t.size\t" + name[1]))
        lines_of = [l for l in lines[i:end] if not l.startswith("\t.loc")]
        body = mutation(Thread(name[1], lines_of))
        if body is not None:
            changed.append(name[1])
        out += body if body is not None else lines[i:end]
        i = end
    return "\n".join(out), changed


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--target")]
    output = arguments[arguments.index("-o") + 1]
    plain = [a for a in arguments if a not in ("-o", output, "-c")]
    with tempfile.TemporaryDirectory() as folder:
        assembly = folder + "/a.s"
        look_at_source(next(a for a in plain if a.endswith(".c")))
        subprocess.run(["gcc", "-S", *plain, "-o", assembly], check=True)
        text = open(assembly).read()
        if not any(a.startswith("-fsanitize") for a in arguments):
            text, changed = mutate(text, MUTATIONS[os.environ["REFINE_MUTATION"]])
            if any(a.endswith("/batch.c") for a in plain):  # a finding is built once more, in a file of its own
                with open(os.environ["REFINE_MUTATED"], "a") as log:
                    log.write("".join(name + "\n" for name in changed))
        open(assembly, "w").write(text)
        subprocess.run(["gcc", "-c", assembly, "-o", output], check=True)


if __name__ == "__main__":
    main()
