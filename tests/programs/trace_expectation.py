"""NAME.expect as a whole: directives, the sequences of all threads of all processes, and the check of a trace."""
import re

import events as ev
import pattern

DIRECTIVES = {"flags", "link", "args", "exit", "show", "hide", "only", "needs", "unchecked"}


class Section:
    """What one process must record."""

    def __init__(self):
        self.sequences = []  # (thread id, text, items)
        self.counts = []  # (Step, number)
        self.orders = []  # labels

    def check(self, all_events, hidden):
        """A list of complaints; empty when the trace is as expected."""
        shown = [e for e in all_events if e.kind not in hidden]
        threads = {}
        for event in shown:
            threads.setdefault(event.thread, []).append(event)
        complaints = []
        state = pattern.State()
        for thread, items in self.sequences:
            matcher = pattern.Matcher(items, threads.pop(thread, []))
            after = matcher.run(state)
            if after is None:
                complaints.append(pattern.explain(thread, matcher))
            else:
                state = after
        for thread, found in threads.items():
            complaints.append(f"thread {thread} is not expected; it starts with: {found[0].text}")
        complaints += self._check_counts(all_events, state)
        complaints += self._check_orders(state)
        return complaints

    def _check_counts(self, all_events, state):
        complaints = []
        for step, wanted in self.counts:
            count = sum(pattern.match_step(step, e, state) is not None for e in all_events)
            if not wanted[0] <= count <= wanted[1]:
                complaints.append(f"count {step}: found {count}, expected {wanted[2]}")
        return complaints

    def _check_orders(self, state):
        complaints = []
        for labels in self.orders:
            missing = [name for name in labels if name not in state.labels]
            if missing:
                complaints.append(f"order: no event is marked @{missing[0]}")
                continue
            for a, b in zip(labels, labels[1:]):
                if state.labels[a].sequence >= state.labels[b].sequence:
                    complaints.append(f"order: @{a} must come before @{b}, but:\n"
                                      f"    {state.labels[b].text}\n    {state.labels[a].text}")
        return complaints


class Expectation:
    def __init__(self, text):
        self.values = {}
        self.sections = [Section()]
        logical = re.sub(r"\n[ \t]+", " ", re.sub(r"(?m)#.*$", "", text))
        for line in logical.splitlines():
            if line.strip():
                self._line(line.strip())
        self.hidden = (ev.HIDDEN - set(self.words("show"))) | set(self.words("hide"))
        if self.words("only"):
            self.hidden = _EverythingBut(self.words("only"))

    def words(self, name):
        return self.values.get(name, "").split()

    def _line(self, line):
        section = self.sections[-1]
        if line == "== child":
            self.sections.append(Section())
        elif line.startswith("count "):
            found = re.match(r"count (.+?)\s*(=|>=)\s*(\d+)$", line)
            if not found:
                raise pattern.PatternError(f"count needs `= N` or `>= N`: {line}")
            number = int(found[3])
            most = number if found[2] == "=" else float("inf")
            section.counts.append((pattern.parse_sequence(found[1])[0], (number, most, f"{found[2]} {number}")))
        elif line.startswith("order "):
            section.orders.append([word.strip().lstrip("@") for word in line[6:].split("<")])
        elif found := re.match(r"T(\d+)\.\.T(\d+):(.*)$", line):
            for number in range(int(found[1]), int(found[2]) + 1):
                section.sequences.append((f"T{number}", pattern.parse_sequence(found[3])))
        elif found := re.match(r"([TX][\d.]+):(.*)$", line):
            section.sequences.append((found[1], pattern.parse_sequence(found[2])))
        elif (found := re.match(r"(\w+):(.*)$", line)) and found[1] in DIRECTIVES:
            self.values[found[1]] = (self.values.get(found[1], "") + " " + found[2]).strip()
        else:
            raise pattern.PatternError(f"cannot read: {line}")


class _EverythingBut:
    def __init__(self, kept):
        self.kept = set(kept)

    def __contains__(self, kind):
        return kind not in self.kept
