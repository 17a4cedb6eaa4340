#!/usr/bin/env python3
"""Random TeSSLa specifications, run by `heddle monitor` and by a small interpreter of the core operators in this file.

The interpreter follows the definitions of the language, step by step over the timestamps; it shares nothing with
heddle but the text of the specification, which it does not parse: the generator makes both the text and a tree.

    oracle.py HEDDLE [--count N] [--seed S]
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

INPUTS = {"a": "Int", "b": "Int", "p": "Bool", "u": "Unit"}


class Node:
    """One stream: how it is computed, and what it remembers between timestamps."""

    def __init__(self, op, args=(), value=None, kind="Int"):
        self.op, self.args, self.value, self.kind = op, list(args), value, kind
        self.now = None  # (value,) when there is an event at this timestamp
        self.old = None  # the newest value before this timestamp
        self.target = None  # of a delay
        self.name = None


def newest(node):
    return node.now if node.now is not None else node.old


def signals(node, compute):
    """Fires when an argument does and all have had a value."""
    if all(arg.now is None for arg in node.args):
        return None
    held = [newest(arg) for arg in node.args]
    return None if any(h is None for h in held) else (compute(*(h[0] for h in held)),)


BINARY = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "<": lambda x, y: x < y,
    "==": lambda x, y: x == y,
    "&&": lambda x, y: x and y,
    "||": lambda x, y: x or y,
}


def step(node, time, events):
    """The event of a node at this timestamp; its arguments are done."""
    op, args = node.op, node.args
    if op == "in":
        return events.get(node.name)
    if op == "nil":
        return None
    if op in BINARY:
        return signals(node, BINARY[op])
    if op == "if":
        return signals(node, lambda c, x, y: x if c else y)
    if op == "merge":
        return args[0].now if args[0].now is not None else args[1].now
    if op == "default":
        return args[0].now or ((node.value,) if time == 0 else None)
    if op == "defaultFrom":
        if args[0].now is not None:
            return args[0].now
        first = args[0].old is None and args[1].old is None
        return args[1].now if first else None
    if op == "last":
        return args[0].old if args[1].now is not None else None
    if op == "time":
        return (time,) if args[0].now is not None else None
    if op == "const":
        return (node.value,) if args[0].now is not None else None
    if op == "filter":
        held = newest(args[1])
        return args[0].now if args[0].now is not None and held is not None and held[0] else None
    if op == "sum":  # sum(x): starts with 0 at time 0
        before = node.old[0] if node.old is not None else 0
        if args[0].now is not None:
            return (before + args[0].now[0],)
        return (0,) if time == 0 else None
    if op == "count":
        before = node.old[0] if node.old is not None else 0
        if args[0].now is not None:
            return (before + 1,)
        return (0,) if time == 0 else None
    if op == "delay":
        return ("()",) if node.target == time else None
    raise AssertionError(op)


def run(nodes, outputs, trace):
    """The lines of the outputs. `nodes` are in order; `trace` maps timestamps to events."""
    times = sorted(trace)
    end = times[-1] if times else 0
    lines, time = [], 0
    while True:
        for node in nodes:
            node.now = step(node, time, trace.get(time, {}))
        for node in nodes:
            if node.op == "delay" and (node.args[1].now is not None or node.now is not None):
                node.target = time + node.args[0].now[0] if node.args[0].now is not None else None
        for name, node in outputs:
            if node.now is not None:
                lines.append(f"{time}: {name} = {show(node.now[0])}")
        for node in nodes:
            node.old = newest(node)
        after = [t for t in times if t > time]
        after += [n.target for n in nodes if n.target is not None and time < n.target <= end]
        if not after:
            return lines
        time = min(after)


def show(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.text = [], []
        for name, kind in INPUTS.items():
            node = Node("in", kind=kind)
            node.name = name
            self.nodes.append(node)
            self.text.append(f"in {name}: Events[{kind}]")

    def pick(self, *kinds):
        return self.random.choice([n for n in self.nodes if n.kind in (kinds or ("Int", "Bool", "Unit"))])

    def add(self, node, text):
        node.name = f"s{len(self.nodes)}"
        self.nodes.append(node)
        self.text.append(f"def {node.name}: Events[{node.kind}] = {text}")

    def one(self):
        op = self.random.choice(
            ["+", "-", "*", "<", "==", "&&", "||", "if", "merge", "default", "defaultFrom", "last", "time", "const",
             "filter", "sum", "count", "delay", "last", "merge"])
        if op in ("+", "-", "*", "<", "=="):
            x, y = self.pick("Int"), self.pick("Int")
            kind = "Bool" if op in ("<", "==") else "Int"
            return self.add(Node(op, [x, y], kind=kind), f"{x.name} {op} {y.name}")
        if op in ("&&", "||"):
            x, y = self.pick("Bool"), self.pick("Bool")
            return self.add(Node(op, [x, y], kind="Bool"), f"{x.name} {op} {y.name}")
        if op == "if":
            c, x, y = self.pick("Bool"), self.pick("Int"), self.pick("Int")
            return self.add(Node(op, [c, x, y]), f"if {c.name} then {x.name} else {y.name}")
        if op in ("merge", "defaultFrom"):
            x = self.pick("Int", "Bool")
            y = self.pick(x.kind)
            return self.add(Node(op, [x, y], kind=x.kind), f"{op}({x.name}, {y.name})")
        if op == "default":
            x, value = self.pick("Int"), self.random.randint(-3, 9)
            return self.add(Node(op, [x], value), f"default({x.name}, {value})")
        if op == "last":
            x, r = self.pick("Int", "Bool"), self.pick()
            return self.add(Node(op, [x, r], kind=x.kind), f"last({x.name}, {r.name})")
        if op in ("time", "count"):
            x = self.pick()
            return self.add(Node(op, [x]), f"{op}({x.name})")
        if op == "const":
            x, value = self.pick(), self.random.randint(1, 9)
            return self.add(Node(op, [x], value), f"const({value}, {x.name})")
        if op == "filter":
            x, c = self.pick("Int", "Bool"), self.pick("Bool")
            return self.add(Node(op, [x, c], kind=x.kind), f"filter({x.name}, {c.name})")
        if op == "sum":
            x = self.pick("Int")
            return self.add(Node(op, [x]), f"sum({x.name})")
        trigger, reset = self.pick(), self.pick()
        wait = Node("const", [trigger], self.random.randint(1, 6))
        self.add(wait, f"const({wait.value}, {trigger.name})")
        return self.add(Node("delay", [wait, reset], kind="Unit"), f"delay({wait.name}, {reset.name})")

    def trace(self):
        trace, time = {}, self.random.choice([0, 0, 1, 3])
        for _ in range(self.random.randint(0, 12)):
            events = {}
            for name, kind in INPUTS.items():
                if self.random.random() < 0.4:
                    value = {"Int": self.random.randint(-4, 9), "Bool": self.random.random() < 0.5, "Unit": "()"}[kind]
                    events[name] = (value,)
            if events:
                trace[time] = events
            time += self.random.randint(1, 5)
        return trace


def compare(heddle, seed, folder):
    generator = Generator(seed)
    for _ in range(generator.random.randint(2, 14)):
        generator.one()
    outputs = [(n.name, n) for n in generator.nodes if n.op != "in"]
    generator.text += [f"out {name}" for name, _ in outputs]
    trace = generator.trace()
    spec, log = folder / "spec.tessla", folder / "trace.log"
    spec.write_text("\n".join(generator.text) + "\n")
    lines = [f"{t}: {n} = {show(v[0])}" for t in sorted(trace) for n, v in trace[t].items()]
    log.write_text("".join(line + "\n" for line in lines))
    ran = subprocess.run([*heddle, str(spec), str(log)], capture_output=True, text=True)
    wanted = sorted(run(generator.nodes, outputs, trace))
    got = sorted(ran.stdout.splitlines())
    if ran.returncode == 0 and got == wanted:
        return True
    print(f"seed {seed} differs (exit code {ran.returncode})\n{spec.read_text()}\n{log.read_text()}\n{ran.stderr}")
    print("only heddle:", [line for line in got if line not in wanted])
    print("only here:  ", [line for line in wanted if line not in got])
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle", nargs="+")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    command = options.heddle + (["monitor"] if len(options.heddle) == 1 else [])
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            if not compare(command, seed, Path(folder)):
                return 1
    print(f"{options.count} specifications agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
