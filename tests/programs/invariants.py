"""What must hold in every trace of a correct run, whatever the program: the order of visible operations is one that the
real objects allow. Each check is a class that looks at all events in order and collects complaints."""
import collections


def succeeded(event):
    return event.ok and not event.has("failed")


class Sequence:
    """Places in the global order follow each other: nothing is lost and nothing is there twice. A child of fork counts
    on from its parent."""
    name = "sequence"

    def __init__(self):
        self.next = 0

    def see(self, event):
        if self.next and event.sequence and event.sequence != self.next:
            yield f"place {self.next} is missing or repeated"
        if event.sequence:
            self.next = event.sequence + 1


class Locks:
    """Who holds what: exclusive locks exclude, and only a holder unlocks."""
    name = "locks"

    def __init__(self):
        self.exclusive = {}  # address: [thread, depth]
        self.shared = collections.defaultdict(collections.Counter)

    def _lock(self, event, address, shared):
        holder = self.exclusive.get(address)
        readers = self.shared[address]
        if holder and holder[0] != event.thread:
            yield f"{address} is held by {holder[0]}"
        if shared:
            readers[event.thread] += 1
        elif holder:
            holder[1] += 1
        else:
            if any(readers.values()):
                yield f"{address} is held by readers"
            self.exclusive[address] = [event.thread, 1]

    def _unlock(self, event, address):
        holder = self.exclusive.get(address)
        if holder and holder[0] == event.thread:
            holder[1] -= 1
            if holder[1] == 0:
                del self.exclusive[address]
        elif self.shared[address][event.thread] > 0:
            self.shared[address][event.thread] -= 1
        else:
            yield f"{address} is not held by {event.thread}"

    def see(self, event):
        if event.kind == "lock" and event.ok:
            yield from self._lock(event, event.address, event.has("shared"))
        elif event.kind == "unlock" and event.ok:
            yield from self._unlock(event, event.address)
        elif event.kind == "wait":
            yield from self._unlock(event, event.value("mutex"))
        elif event.kind == "wake":
            yield from self._lock(event, event.value("mutex"), False)
        elif event.kind in ("lock_init", "lock_destroy"):
            self.exclusive.pop(event.address, None)
            self.shared.pop(event.address, None)


class Threads:
    """Created, begun, ended, joined, in this order; an ended thread does nothing."""
    name = "threads"

    def __init__(self):
        self.forked = set()
        self.begun = set()
        self.ended = set()

    def see(self, event):
        if event.thread in self.ended:
            yield f"{event.thread} has ended"
        if event.kind == "fork":
            self.forked.add(event.words[0])
        elif event.kind == "begin":
            if self.begun and event.thread not in self.forked:
                yield f"{event.thread} was not created"
            self.begun.add(event.thread)
        elif event.kind == "end":
            self.ended.add(event.thread)
        elif event.kind == "join" and event.ok and event.words[0] not in self.ended:
            yield f"{event.words[0]} has not ended"
        if event.thread not in self.begun:
            yield f"{event.thread} has not begun"
            self.begun.add(event.thread)


class Conditions:
    """A wake names a signal of the same condition variable after its wait, and no single signal wakes two."""
    name = "conditions"

    def __init__(self):
        self.signals = {}
        self.waits = {}
        self.used = set()

    def see(self, event):
        if event.kind in ("signal", "broadcast"):
            self.signals[event.sequence] = event
        elif event.kind == "wait":
            self.waits[event.thread] = event
        elif event.kind == "wake":
            wait = self.waits.pop(event.thread, None)
            if wait is None or wait.address != event.address:
                yield "there is no wait that this ends"
                return
            number = int(event.value("signal"))
            signal = self.signals.get(number)
            if number == 0:
                return
            if signal is None or signal.address != event.address or number < wait.sequence:
                yield f"{number} is not a signal that could wake it"
            elif signal.kind == "signal" and number in self.used:
                yield f"signal {number} has woken another thread"
            self.used.add(number)


class Semaphores:
    name = "semaphores"

    def __init__(self):
        self.values = {}

    def see(self, event):
        if event.kind == "sem_init":
            self.values[event.address] = int(event.words[1])
        elif event.kind == "sem_post" and event.ok and event.address in self.values:
            self.values[event.address] += 1
        elif event.kind == "sem_wait" and event.ok and event.address in self.values:
            self.values[event.address] -= 1
            if self.values[event.address] < 0:
                yield "there is nothing to take"


class Barriers:
    """Nobody leaves before all have come, and one of each round is the serial thread."""
    name = "barriers"

    def __init__(self):
        self.count = {}
        self.entered = collections.Counter()
        self.left = collections.Counter()
        self.serial = collections.Counter()

    def see(self, event):
        address = event.address
        if event.kind == "barrier_init":
            self.count[address] = int(event.words[1])
            self.entered[address] = self.left[address] = self.serial[address] = 0
        elif event.kind == "barrier_enter":
            self.entered[address] += 1
        elif event.kind == "barrier_exit":
            self.left[address] += 1
            self.serial[address] += event.has("serial")
            size = self.count[address]
            rounds = (self.left[address] + size - 1) // size
            if self.entered[address] < rounds * size:
                yield f"only {self.entered[address]} have entered"
            if self.serial[address] > rounds:
                yield "two serial threads in one round"


class Blocks:
    """Memory that the program has is not given out again."""
    name = "blocks"

    def __init__(self):
        self.live = {}

    def see(self, event):
        if event.kind == "alloc":
            if event.address in self.live:
                yield f"{event.address} was given out already"
            self.live[event.address] = True
        elif event.kind == "free":
            self.live.pop(event.address, None)


class Atomics:
    """Operations on one atomic form its modification order: each sees what the one before left."""
    name = "atomics"

    def __init__(self):
        self.values = {}

    def see(self, event):
        if event.kind in ("free", "alloc", "begin", "end"):
            self.values.clear()  # memory may serve another purpose from here on
            return
        if not event.kind.startswith("atomic_") or event.kind == "atomic_high":
            return
        key = (event.address, event.words[1])
        seen, left = self._values(event)
        if seen is not None and key in self.values and self.values[key] != seen:
            yield f"the value was {self.values[key]}"
        self.values[key] = left

    @staticmethod
    def _values(event):
        if event.kind in ("atomic_load", "atomic_store"):
            value = event.value("value")
            return (value if event.kind == "atomic_load" else None), value
        old, new = next(w for w in event.words if "->" in w).split("->")
        return old, (old if event.has("failed") else new)


ALL = [Sequence, Locks, Threads, Conditions, Semaphores, Barriers, Blocks, Atomics]


def check(events, unchecked=()):
    """Complaints about the trace; `unchecked` names checks that do not apply to the program."""
    complaints = []
    for kind in ALL:
        if kind.name in unchecked:
            continue
        checker = kind()
        for event in events:
            complaints += [f"{kind.name}: {what}:\n    {event.text}" for what in checker.see(event) or ()]
    return complaints
