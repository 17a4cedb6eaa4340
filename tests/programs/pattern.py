"""The language of NAME.expect: what the trace of a test program must look like. docs/program-tests.md describes it.

The sequence of a thread is matched as a whole, like a regular expression: `...` skips, `(a; b)*N` repeats. Names that
start with `$` stand for addresses, the same everywhere; `@name` marks an event for `order` and `signal=@name`.
"""
import dataclasses
import re

import events as ev


class PatternError(Exception):
    pass


@dataclasses.dataclass
class Step:
    kind: str
    words: list
    label: str

    def __str__(self):
        return " ".join([self.kind] + self.words)


@dataclasses.dataclass
class Skip:
    pass


@dataclasses.dataclass
class Repeat:
    body: list
    least: int
    most: int  # -1: no limit


TOKEN = re.compile(r"\s*(?:(\.\.\.)|(\()|(\)\s*\*\s*(\d+)?)|(;)|([^;()]+))")


def parse_sequence(text):
    """`a; b; (c; d)*3; ...` as a list of Step, Skip, Repeat."""
    stack = [[]]
    at = 0
    text = text.strip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise PatternError(f"cannot read: {text[at:]!r}")
        at = found.end()
        if found[1]:
            stack[-1].append(Skip())
        elif found[2]:
            stack.append([])
        elif found[3]:
            if len(stack) == 1:
                raise PatternError("`)` without `(`")
            body = stack.pop()
            count = int(found[4]) if found[4] else -1
            stack[-1].append(Repeat(body, max(count, 0), count))
        elif found[6] and found[6].strip():
            words = found[6].split()
            labels = [w[1:] for w in words if w.startswith("@")]
            rest = [w for w in words[1:] if not w.startswith("@")]
            stack[-1].append(Step(words[0], rest, labels[0] if labels else ""))
    if len(stack) != 1:
        raise PatternError("`(` without `)*`")
    return stack[0]


class State:
    """What the names stand for so far. Copied on change, so that a matcher can go back."""

    def __init__(self, names=None, labels=None):
        self.names = names or {}
        self.labels = labels or {}

    def bind(self, name, address):
        """The state in which `name` is `address`; None when it is something else or the address has another name."""
        if name == "$_":
            return self
        if name in self.names:
            return self if self.names[name] == address else None
        if address in self.names.values():
            return None
        return State({**self.names, name: address}, self.labels)

    def mark(self, label, event):
        return State(self.names, {**self.labels, label: event})


def match_word(pattern, word, state):
    if pattern == "*":
        return state
    key, equals, value = pattern.partition("=")
    if equals:
        if not word.startswith(key + "="):
            return None
        pattern, word = value, word[len(key) + 1:]
        if pattern == "*":
            return state
    if pattern.startswith("$"):
        return state.bind(pattern, word) if word.startswith("0x") else None
    if pattern.startswith("@"):
        marked = state.labels.get(pattern[1:])
        return state if marked is not None and str(marked.sequence) == word else None
    return state if pattern == word else None


def match_words(patterns, words, state):
    """Each word of a pattern is a word of the event, in any order; the event may have more."""
    if not patterns:
        return state
    for i, word in enumerate(words):
        after = match_word(patterns[0], word, state)
        if after is not None:
            rest = match_words(patterns[1:], words[:i] + words[i + 1:], after)
            if rest is not None:
                return rest
    return None


def match_step(step, event, state):
    if step.kind != event.kind:
        return None
    if any(w in ev.STRICT and w not in step.words for w in event.words):
        return None
    state = match_words(step.words, event.words, state)
    if state is not None and step.label:
        state = state.mark(step.label, event)
    return state


def compile_items(items):
    """A sequence as a small program: ("step", Step), ("any",), ("split", first, second), ("jump", to)."""
    code = []

    def emit(some):
        for item in some:
            if isinstance(item, Step):
                code.append(("step", item))
            elif isinstance(item, Skip):
                begin = len(code)
                code.extend([("split", begin + 3, begin + 1), ("any",), ("jump", begin)])
            elif item.most >= 0:
                for _ in range(item.most):
                    emit(item.body)
            else:
                begin = len(code)
                code.append(None)
                emit(item.body)
                code.append(("jump", begin))
                code[begin] = ("split", len(code), begin + 1)

    emit(items)
    return code


class Matcher:
    """Matches one sequence; remembers how far the best attempt came, for the message."""

    def __init__(self, sequence, found):
        self.code = compile_items(sequence)
        self.found = found
        self.furthest = 0
        self.wanted = None

    def _note(self, at, wanted):
        if at >= self.furthest:
            self.furthest = at
            self.wanted = wanted

    def run(self, state):
        """The state after the first way to match everything; None when there is none."""
        states = [state]  # all that came up, by number
        later = [(0, 0, 0)]  # (place in the code, next event, number of the state), best last
        seen = set()
        while later:
            here = later.pop()
            if here in seen:
                continue
            seen.add(here)
            place, at, number = here
            if place == len(self.code):
                if at == len(self.found):
                    return states[number]
                self._note(at, "the end")
                continue
            kind, *rest = self.code[place]
            if kind == "jump":
                later.append((rest[0], at, number))
            elif kind == "split":
                later.append((rest[1], at, number))
                later.append((rest[0], at, number))
            elif at == len(self.found):
                self._note(at, "..." if kind == "any" else str(rest[0]))
            elif kind == "any":
                later.append((place + 1, at + 1, number))
            else:
                after = match_step(rest[0], self.found[at], states[number])
                if after is None:
                    self._note(at, str(rest[0]))
                    continue
                if after is not states[number]:
                    states.append(after)
                    number = len(states) - 1
                later.append((place + 1, at + 1, number))
        return None


def explain(thread, matcher):
    lines = [f"thread {thread}: at event {matcher.furthest + 1} of {len(matcher.found)}, expected `{matcher.wanted}`"]
    for i, event in enumerate(matcher.found):
        lines.append(f"  {'>' if i == matcher.furthest else ' '} {event.text}")
    if matcher.furthest == len(matcher.found):
        lines.append("  > (no more events)")
    return "\n".join(lines)
