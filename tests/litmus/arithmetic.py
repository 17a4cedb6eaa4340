#!/usr/bin/env python3
"""What instructions compute: `litmus sim` against the processor, or qemu, on random programs of one thread.

  arithmetic.py HEDDLE [--programs N] [--length N] [--seed N]

A program has one final state. Each is run twice: read by the simulator, and assembled as it stands into a C program that
prints registers and memory. Languages whose compiler or emulator is not installed are left out and named.
"""
import argparse, pathlib, random, re, shutil, subprocess, sys, tempfile

INTERESTING = [0, 1, 2, 3, 5, 127, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1,
               2**63, 2**64 - 1, 2**64 - 2, 2**64 - 128, 2**64 - 2**31]


def signed(value, bits=64):
    value &= 2**bits - 1
    return value - 2**bits if value >= 2**(bits - 1) else value


def some_value(rng):
    return signed(rng.choice(INTERESTING + [rng.getrandbits(64), rng.getrandbits(32)]))


class X86:
    language, compiler, emulator = "X86_64", ["gcc"], None
    start = ["cmpq %rax,%rbx"]  # flags are whatever they were before
    registers = ["rax", "rbx", "rcx", "rdx"]
    names = {8: registers, 4: ["eax", "ebx", "ecx", "edx"], 2: ["ax", "bx", "cx", "dx"], 1: ["al", "bl", "cl", "dl"]}
    conditions = "e ne l le g ge b be a ae s ns o no".split()
    clobbers = '"memory", "cc"'

    def __init__(self, rng):
        self.rng, self.labels, self.size = rng, 0, rng.choice([1, 2, 4, 8])

    def register(self, size):
        return "%" + self.rng.choice(self.names[size])

    def branch(self):
        self.labels += 1
        label = f"L{self.labels}"
        return [f"j{self.rng.choice(self.conditions)} {label}", f"addq $1000,{self.register(8)}", f"{label}:"]

    def instruction(self):
        rng, kind = self.rng, self.rng.randrange(14)
        size = rng.choice([1, 2, 4, 8])
        suffix, reg = {1: "b", 2: "w", 4: "l", 8: "q"}[size], lambda: self.register(size)
        binary = rng.choice(["add", "sub", "and", "or", "xor"]) + suffix
        if kind < 2:
            return [f"{binary} {reg()},{reg()}"]
        if kind == 2:
            return [f"{binary} ${rng.choice([0, 1, -1, 5, 127, -128])},{reg()}"]
        if kind == 3:
            return [f"{rng.choice(['inc', 'dec', 'neg', 'not'])}{suffix} {reg()}"]
        if kind == 4:
            return [f"{rng.choice(['shl', 'shr', 'sar'])}{suffix} ${rng.randrange(1, 8 * size)},{reg()}"]
        if kind == 5:
            return [f"mov{suffix} {reg()},{reg()}"]
        if kind == 6:
            return [f"{rng.choice(['cmp', 'test'])}{suffix} {reg()},{reg()}",
                    f"set{rng.choice(self.conditions)} {self.register(1)}"]
        if kind == 7:
            return [f"cmp{suffix} {reg()},{reg()}", f"cmov{rng.choice(self.conditions)} {self.register(8)},{self.register(8)}"]
        if kind < 10:
            return [f"{rng.choice(['cmp', 'test', 'sub', 'add', 'and'])}{suffix} {reg()},{reg()}"] + self.branch()
        suffix, reg = {1: "b", 2: "w", 4: "l", 8: "q"}[self.size], lambda: self.register(self.size)
        if kind == 10:
            return [rng.choice([f"mov{suffix} {reg()},(x)", f"mov{suffix} (x),{reg()}", f"xchg{suffix} {reg()},(x)"])]
        if kind == 11:
            return [f"lock {rng.choice(['xadd', 'cmpxchg'])}{suffix} {reg()},(x)"] + self.branch()
        if kind == 12:
            return [f"lock {rng.choice(['add', 'sub', 'and', 'or', 'xor'])}{suffix} {reg()},(x)"] + self.branch()
        return [f"{rng.choice(['lock ', ''])}{rng.choice(['inc', 'dec', 'neg', 'not'])}{suffix} (x)"]

    def assembly(self, line, number):
        line = re.sub(r"%(\w+)", r"%%\1", line).replace("(x)", "(%%rsi)")
        return re.sub(r"\bL(\d+)", rf".L{number}_\1", line)

    base = '"S"(&x)'


class AArch64:
    language, compiler, emulator = "AArch64", ["aarch64-linux-gnu-gcc", "-march=armv8.1-a"], "qemu-aarch64"
    registers = ["X0", "X1", "X2", "X3", "X4"]
    start = ["CMP X0,X1"]
    conditions = "EQ NE CS CC MI PL VS VC HI LS GE LT GT LE".split()
    clobbers = '"memory", "cc"'
    atomics = "LDADD LDCLR LDEOR LDSET LDSMAX LDSMIN LDUMAX LDUMIN SWP".split()

    def __init__(self, rng):
        self.rng, self.size = rng, rng.choice([1, 2, 4, 8])

    def instruction(self):
        rng, kind = self.rng, self.rng.randrange(17)
        letter = rng.choice("WX")
        bits, reg = (32 if letter == "W" else 64), lambda which=letter: f"{which}{rng.randrange(5)}"
        if kind < 3:
            op = rng.choice("ADD SUB ADDS SUBS AND ORR EOR BIC ORN EON ANDS BICS".split())
            return [f"{op} {reg()},{reg()},{reg()}"]
        if kind == 3:
            return [f"{rng.choice(['ADD', 'SUB', 'ADDS', 'SUBS'])} {reg()},{reg()},#{rng.choice([0, 1, 255, 4095])}"]
        if kind == 4:
            return [f"{rng.choice(['CMP', 'CMN', 'TST'])} {reg()},{reg()}"]
        if kind == 5:
            return [f"CSET {reg()},{rng.choice(self.conditions)}"]
        if kind == 6:
            op = rng.choice(["CSEL", "CSINC", "CSINV", "CSNEG"])
            return [f"{op} {reg()},{reg()},{reg()},{rng.choice(self.conditions)}"]
        if kind == 7:
            return [f"{rng.choice(['CCMP', 'CCMN'])} {reg()},{reg()},#{rng.randrange(16)},{rng.choice(self.conditions)}"]
        if kind == 8:
            return [f"{rng.choice(['LSL', 'LSR', 'ASR', 'ROR'])} {reg()},{reg()},#{rng.randrange(bits)}"]
        if kind == 9:
            return [f"{rng.choice(['LSL', 'LSR', 'ASR', 'ROR', 'MUL', 'MNEG', 'UDIV', 'SDIV'])} {reg()},{reg()},{reg()}"]
        if kind == 10:
            return [f"{rng.choice(['MADD', 'MSUB'])} {reg()},{reg()},{reg()},{reg()}"]
        if kind == 11:
            return [rng.choice([f"NEG {reg()},{reg()}", f"NEGS {reg()},{reg()}", f"MVN {reg()},{reg()}",
                                f"SXTW {reg('X')},{reg('W')}", f"SXTH {reg('X')},{reg('W')}", f"SXTB {reg()},{reg('W')}",
                                f"UXTB {reg('W')},{reg('W')}", f"UXTH {reg('W')},{reg('W')}"])]
        if kind == 12:
            return [f"{rng.choice(['UBFM', 'SBFM'])} {reg()},{reg()},#{rng.randrange(bits)},#{rng.randrange(bits)}"]
        if kind == 13:
            shift = rng.randrange(bits)
            return [rng.choice([f"ADD {reg()},{reg()},{reg()},LSL #{shift}", f"EOR {reg()},{reg()},{reg()},ASR #{shift}",
                                f"CMP {reg()},{reg()},LSR #{shift}", f"ADD {reg('X')},{reg('X')},{reg('W')},SXTW",
                                f"EXTR {reg()},{reg()},{reg()},#{shift}", f"MOVN {reg()},#{rng.randrange(65536)}"])]
        wide = "X" if self.size == 8 else "W"
        small = {1: "B", 2: "H"}.get(self.size, "")
        order = rng.choice(["", "A", "L", "AL"])
        if kind == 14:
            return [f"{rng.choice(self.atomics)}{order}{small} {reg(wide)},{reg(wide)},[X9]"]
        if kind == 15:
            return [f"CAS{order}{small} {reg(wide)},{reg(wide)},[X9]"]
        loads = [f"STR{small} {reg(wide)},[X9]", f"LDR{small} {reg(wide)},[X9]"]
        if small:
            loads.append(f"LDRS{small} {reg()},[X9]")
        if self.size == 4:
            loads.append(f"LDRSW {reg('X')},[X9]")
        return [rng.choice(loads)]

    def assembly(self, line, number):
        return line

    base_register = "X9"


class Riscv:
    language, compiler, emulator = "RISCV", ["riscv64-linux-gnu-gcc"], "qemu-riscv64"
    registers = ["x5", "x6", "x7", "x28", "x29"]
    start = []
    clobbers = '"memory"'

    def __init__(self, rng):
        self.rng, self.size = rng, rng.choice([4, 8])

    def instruction(self):
        rng, kind = self.rng, self.rng.randrange(7)
        reg = lambda: rng.choice(self.registers)
        if kind == 0:
            op = rng.choice("add sub and or xor sll srl sra slt sltu addw subw sllw srlw sraw mul mulw".split())
            return [f"{op} {reg()},{reg()},{reg()}"]
        if kind == 1:
            return [f"{rng.choice('div divu rem divw'.split())} {reg()},{reg()},{reg()}"]
        if kind == 2:
            op = rng.choice("addi andi ori xori slti sltiu addiw".split())
            return [f"{op} {reg()},{reg()},{rng.choice([0, 1, -1, 2047, -2048])}"]
        if kind == 3:
            return [rng.choice([f"{rng.choice(['slli', 'srli', 'srai'])} {reg()},{reg()},{rng.randrange(64)}",
                                f"{rng.choice(['slliw', 'srliw', 'sraiw'])} {reg()},{reg()},{rng.randrange(32)}"])]
        if kind == 4:
            return [f"{rng.choice(['mv', 'neg', 'negw', 'not', 'sext.w', 'seqz', 'snez'])} {reg()},{reg()}"]
        width = "w" if self.size == 4 else "d"
        if kind == 5:
            op = rng.choice("swap add and or xor max min maxu minu".split())
            return [f"amo{op}.{width} {reg()},{reg()},(x9)"]
        loads = [f"s{width} {reg()},0(x9)", f"l{width} {reg()},0(x9)"] + (["lwu " + reg() + ",0(x9)"] if self.size == 4 else [])
        return [rng.choice(loads)]

    def assembly(self, line, number):
        return line

    base_register = "x9"


class Program:
    def __init__(self, machine, seed, length):
        rng = random.Random(f"{machine.language} {seed}")
        self.name, self.number = f"{machine.language}-{seed}", seed
        self.machine = machine(rng)
        self.values = [some_value(rng) for _ in machine.registers]
        self.type = f"int{8 * self.machine.size}_t"
        self.initial = signed(some_value(rng), 8 * self.machine.size)
        self.lines = machine.start + [line for _ in range(length) for line in self.machine.instruction()]

    def litmus(self):
        machine = self.machine
        init = f"{self.type} x={self.initial}; "
        if hasattr(machine, "base_register"):
            init += f"0:{machine.base_register}=x; "
        init += " ".join(f"int64_t 0:{reg}={value};" for reg, value in zip(machine.registers, self.values))
        rows = "".join(f" {line} ;\n" for line in self.lines)
        shown = "".join(f"0:{reg}; " for reg in machine.registers)
        return f"{machine.language} {self.name}\n{{ {init} }}\n P0 ;\n{rows}locations [{shown}x;]\nexists (true)\n"

    def function(self):
        machine = self.machine
        names = [reg.lower() for reg in machine.registers]
        text = f"static void f{self.number}(void) {{\n  static volatile {self.type} x = ({self.type}){self.initial}LL;\n"
        for name, value in zip(names, self.values):
            text += f'  register int64_t {name} __asm__("{name}") = (int64_t){value & 2**64 - 1}ULL;\n'
        inputs = getattr(machine, "base", "")
        if not inputs:
            base = machine.base_register.lower()
            text += f'  register volatile void* base __asm__("{base}") = &x;\n'
            inputs = '"r"(base)'
        code = "\\n".join(machine.assembly(line, self.number) for line in self.lines)
        outputs = ", ".join(f'"+r"({name})' for name in names)
        text += f'  __asm__ volatile("{code}" : {outputs} : {inputs} : {machine.clobbers});\n'
        kept = "".join(f"  long long v{i} = {name};\n" for i, name in enumerate(names))
        shown = ", ".join(f"v{i}" for i in range(len(names)))
        return text + kept + f'  printf("{self.name}{" %lld" * (len(names) + 1)}\\n", {shown}, (long long)x);\n}}\n'


def run_for_real(machine, programs, folder):
    source = "#include <stdint.h>\n#include <stdio.h>\n" + "".join(p.function() for p in programs)
    source += "int main(void) {\n" + "".join(f"  f{p.number}();\n" for p in programs) + "}\n"
    (folder / "all.c").write_text(source)
    subprocess.run(machine.compiler + ["-O1", "-w", "-static", "-o", folder / "all", folder / "all.c"], check=True)
    command = ([machine.emulator] if machine.emulator else []) + [folder / "all"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[0]: [int(value) for value in line.split()[1:]] for line in lines}


def simulate(heddle, programs, folder):
    files = []
    for program in programs:
        files.append(folder / f"{program.name}.litmus")
        files[-1].write_text(program.litmus())
    run = subprocess.run([heddle, "litmus", "sim", *files], capture_output=True, text=True)
    # Every read tries every value that is written to the place: a few programs have too many ways through them.
    if run.returncode not in (0, 3):
        sys.exit(f"litmus sim: exit code {run.returncode}\n{run.stderr}")
    states, name = {}, None
    for line in run.stdout.splitlines():
        if line.startswith("Test "):
            name = line.split()[1]
        elif line.startswith("0:"):
            states.setdefault(name, []).append([int(value) for value in re.findall(r"=(-?\d+);", line)])
    return states


def same(program, real, simulated):
    """Registers have 64 bits; memory has as many as its type."""
    bits = 8 * program.machine.size
    registers = [value & 2**64 - 1 for value in real[:-1]] == [value & 2**64 - 1 for value in simulated[:-1]]
    return registers and signed(real[-1], bits) == signed(simulated[-1], bits)


def check(machine, heddle, options):
    programs = [Program(machine, seed, options.length) for seed in range(options.seed, options.seed + options.programs)]
    with tempfile.TemporaryDirectory() as folder:
        real = run_for_real(machine, programs, pathlib.Path(folder))
        states = simulate(heddle, programs, pathlib.Path(folder))
    decided = [p for p in programs if p.name in states]
    wrong = [p for p in decided if len(states[p.name]) != 1 or not same(p, real[p.name], states[p.name][0])]
    for program in wrong[:3]:
        print(f"{program.litmus()}the processor: {real[program.name]}\nthe simulator: {states.get(program.name)}\n")
    print(f"{machine.language}: {len(programs)} programs, {len(decided)} decided, {len(wrong)} differ")
    return len(wrong) + (len(decided) < 0.95 * len(programs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--length", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wrong = 0
    for machine in [X86, AArch64, Riscv]:
        missing = [tool for tool in [machine.compiler[0], machine.emulator] if tool and not shutil.which(tool)]
        if missing or (machine is X86 and "x86_64" not in subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout):
            print(f"{machine.language}: left out, {missing[0] if missing else 'another processor'} is missing")
            continue
        wrong += check(machine, options.heddle, options)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
