"""Events of a trace, read from what `heddle trace print` writes."""
import dataclasses
import re
import subprocess

# Words that say how an operation was done or ended: a pattern that leaves one out does not match an event that has it.
STRICT = {"busy", "timeout", "error", "shared", "try", "timed", "failed"}

# What depends on timing, or on the libraries more than on the program: hidden unless an expectation shows it.
HIDDEN = {
    "read", "write", "read_range", "write_range", "lock_block", "sem_block", "alloc", "free", "map", "unmap",
    "fd_read", "fd_write", "fd_close", "fd_open", "futex_wait", "futex_wake",
    "atomic_load", "atomic_store", "atomic_rmw", "atomic_cas", "atomic_high",
}

LINE = re.compile(r"^\s{0,8}(\d*)\s+([TX#][\d.]+)\s+(\w+)(.*)$")


@dataclasses.dataclass
class Event:
    sequence: int  # 0: no place in the global order
    thread: str
    kind: str
    words: list  # what follows the kind, without the code address
    text: str

    def has(self, word):
        return word in self.words

    @property
    def ok(self):
        return not ({"busy", "timeout", "error"} & set(self.words))

    @property
    def address(self):
        """The object of the operation: the first word that is an address."""
        return next((w for w in self.words if w.startswith("0x")), None)

    def value(self, key):
        """The text behind `key=`."""
        return next((w[len(key) + 1:] for w in self.words if w.startswith(key + "=")), None)


def parse_line(line):
    found = LINE.match(line)
    if not found:
        raise ValueError(f"not an event: {line!r}")
    words = [w for w in found[4].split() if not w.startswith("pc=")]
    return Event(int(found[1] or 0), found[2], found[3], words, line.strip())


def parse(text):
    return [parse_line(line) for line in text.splitlines() if line.strip()]


LIMIT = 1_000_000  # events; a test program has far fewer


def read_trace(heddle, path):
    """All events of a trace file; an error when the reader reports damage or there are too many."""
    found = []
    with subprocess.Popen([heddle, "trace", "print", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as printing:
        for line in printing.stdout:
            if len(found) == LIMIT:
                printing.kill()
                raise ValueError(f"{path}: more than {LIMIT} events")
            found.append(parse_line(line))
        trouble = printing.stderr.read()
    if printing.returncode != 0:
        raise ValueError(f"heddle trace print {path}: exit {printing.returncode}: {trouble.strip()}")
    return found
