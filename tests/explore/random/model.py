"""What a program of program.py can do, by enumeration. Shares no code with heddle.

A state is a tuple; `moves` gives the visible operations that are possible in it, with the objects that they read or write. Executions are
equivalent when operations of one object come in the same order in both, unless both only read it. So a class is, for each object, the
sequence of its writes with the sets of reads between them. With `commute`, updates of one kind whose results nobody looks at, and such arrivals
in one round of a barrier, are sets as reads are.

Condition variables are worlds. A world says of each waiter whether it still waits, was picked by a signal, or has reached its limit. A signal
picks any waiter that still waits; a limit is reached at any time. The state has all worlds that what happened so far allows. Final states are
those of this model. For counting classes a wait with a limit that was picked does not end by the limit: it could have ended so before.
"""
import collections

Thread = collections.namedtuple("Thread", "at all result second")  # second: in the second half of an operation
State = collections.namedtuple("State", "threads cells owners readers writer semaphores worlds arrived round once")
Move = collections.namedtuple("Move", "state event touches")  # touches: (object, whether it writes, or the kind if it commutes)

WAITS, WAITS_WITH_LIMIT, PICKED, LATE = range(4)


class TooMany(Exception):
    """The program has more than can be enumerated here."""


class Model:
    """`as_counted`: with the operations of heddle, which need not show every order of what nobody can tell apart."""

    def __init__(self, program, as_counted=False, commute=False):
        self.program = program
        self.as_counted = as_counted
        self.commute = commute

    def initial(self):
        threads = tuple(self._pass(i, Thread(0, 0, 0, None)) for i in range(len(self.program.threads)))
        return State(threads, (0, 0), (None, None), 0, None, tuple(self.program.semaphores), frozenset([()]), 0, 0, 0)

    def _pass(self, index, thread):
        """Behind the instructions that are not visible."""
        code = self.program.threads[index]
        while thread.at < len(code):
            what, *numbers = code[thread.at]
            if what == "again":
                thread = thread._replace(at=thread.at - numbers[0] if thread.result == 0 else thread.at + 1)
            elif what.startswith("if_"):
                holds = {"if_result": thread.result != 0, "if_zero": thread.result == 0, "if_odd": thread.all % 2 == 1}[what]
                thread = thread._replace(at=thread.at + 1 + (0 if holds else numbers[0]))
            else:
                break
        return thread

    def ended(self, state, index):
        return state.threads[index].at == len(self.program.threads[index])

    def instruction(self, state, index):
        return self.program.threads[index][state.threads[index].at]

    def moves(self, state):
        for index in range(len(state.threads)):
            if not self.ended(state, index):
                yield from self._moves_of(state, index)

    def _moves_of(self, state, index):
        thread = state.threads[index]
        what, *numbers = self.instruction(state, index)
        name = what + "_second" if thread.second is not None else what
        for new, result, keep, second, touches, outcome in getattr(self, "_" + name)(state, index, *numbers):
            after = thread._replace(second=second)
            if result is not None:
                after = after._replace(result=result, all=after.all * 5 + result if keep else after.all)
            if second is None:
                after = self._pass(index, after._replace(at=after.at + 1))
            threads = state.threads[:index] + (after,) + state.threads[index + 1:]
            yield Move(new._replace(threads=threads), (index, outcome), touches)

    # Each gives (state, result, whether it is kept, second half, objects, what tells it from others of its thread).
    @staticmethod
    def _done(state, touches, result=None, keep=True, second=None, outcome=None):
        return [(state, result, keep, second, touches, outcome)]

    @staticmethod
    def _put(values, index, value):
        return values[:index] + (value,) + values[index + 1:]

    def _cell(self, state, cell, value, result=None, writes=True, keep=True):
        return self._done(state._replace(cells=self._put(state.cells, cell, value)), [(("cell", cell), writes)], result, keep)

    def _load(self, state, _, cell):
        return self._cell(state, cell, state.cells[cell], state.cells[cell], writes=False)

    def _look_load(self, state, _, cell):
        return self._cell(state, cell, state.cells[cell], state.cells[cell], writes=False, keep=False)

    def _store(self, state, _, cell, value):
        return self._cell(state, cell, value)

    def _add(self, state, _, cell, more):
        return self._cell(state, cell, state.cells[cell] + more, state.cells[cell], writes=more != 0)

    def _cas(self, state, _, cell, old, new):
        same = state.cells[cell] == old
        return self._cell(state, cell, new if same else state.cells[cell], int(same), writes=same)

    def _exchange(self, state, _, cell, value):
        return self._cell(state, cell, value, state.cells[cell], writes=state.cells[cell] != value)

    def _or(self, state, _, cell, bits):
        before = state.cells[cell]
        return self._cell(state, cell, before | bits, before, writes=before | bits != before)

    def _blind(self, state, cell, value, kind):
        if self.commute:
            return self._cell(state, cell, value, writes=kind)
        return self._cell(state, cell, value, writes=kind != "sets" or value != state.cells[cell])

    def _inc(self, state, _, cell, more):
        return self._blind(state, cell, state.cells[cell] + more, "adds")

    def _set(self, state, _, cell, bits):
        return self._blind(state, cell, state.cells[cell] | bits, "sets")

    def _flip(self, state, _, cell, bits):
        return self._blind(state, cell, state.cells[cell] ^ bits, "flips")

    def _await(self, state, _, cell, value):
        return self._cell(state, cell, value, writes=False) if state.cells[cell] == value else []

    def _await_not(self, state, index, cell, value):
        return self._load(state, index, cell) if state.cells[cell] != value else []

    def _await_below(self, state, index, cell, value):
        return self._load(state, index, cell) if state.cells[cell] < value else []

    def _await_cas(self, state, _, cell, old, new):
        return self._cell(state, cell, new) if state.cells[cell] == old else []

    def _await_swap(self, state, _, cell, value):
        return self._cell(state, cell, value, state.cells[cell]) if state.cells[cell] != value else []

    def _lock(self, state, index, lock, result=None):
        if state.owners[lock] is not None:
            return []
        return self._done(state._replace(owners=self._put(state.owners, lock, index)), [(("lock", lock), True)], result)

    def _unlock(self, state, _, lock):
        return self._done(state._replace(owners=self._put(state.owners, lock, None)), [(("lock", lock), True)])

    def _try(self, state, index, lock, keep=True):
        if state.owners[lock] is not None:
            return self._done(state, [(("lock", lock), False)], 0, keep)
        return self._done(state._replace(owners=self._put(state.owners, lock, index)), [(("lock", lock), True)], 1, keep)

    _timed = _try

    def _look_try(self, state, index, lock):
        return self._try(state, index, lock, keep=False)

    def _read_lock(self, state, _):
        return [] if state.writer is not None else self._done(state._replace(readers=state.readers + 1), [("shared", True)])

    def _try_read(self, state, _):
        if state.writer is not None:
            return self._done(state, [("shared", False)], 0)
        return self._done(state._replace(readers=state.readers + 1), [("shared", True)], 1)

    def _write_lock(self, state, index):
        free = state.writer is None and state.readers == 0
        return self._done(state._replace(writer=index), [("shared", True)]) if free else []

    def _rw_unlock(self, state, index):
        new = state._replace(writer=None) if state.writer == index else state._replace(readers=state.readers - 1)
        return self._done(new, [("shared", True)])

    def _post(self, state, _, semaphore, by=1, result=None, keep=True):
        values = self._put(state.semaphores, semaphore, state.semaphores[semaphore] + by)
        return self._done(state._replace(semaphores=values), [(("semaphore", semaphore), True)], result, keep)

    def _take(self, state, index, semaphore):
        return self._post(state, index, semaphore, -1) if state.semaphores[semaphore] > 0 else []

    def _try_take(self, state, index, semaphore, keep=True):
        if state.semaphores[semaphore] > 0:
            return self._post(state, index, semaphore, -1, 1, keep)
        return self._done(state, [(("semaphore", semaphore), False)], 0, keep)

    _timed_take = _try_take

    def _look_take(self, state, index, semaphore):
        return self._try_take(state, index, semaphore, keep=False)

    _BOTH = [("condition", True), (("lock", 0), True)]

    def _possible(self, worlds):
        """With those in which more limits have been reached."""
        if self.as_counted:
            return frozenset(worlds)
        found, todo = set(), list(worlds)
        while todo:
            world = todo.pop()
            if world in found:
                continue
            found.add(world)
            for i, (thread, status) in enumerate(world):
                if status == WAITS_WITH_LIMIT:
                    todo.append(world[:i] + ((thread, LATE),) + world[i + 1:])
        return frozenset(found)

    def _wait(self, state, index, status=WAITS):
        worlds = self._possible(tuple(sorted((*world, (index, status)))) for world in state.worlds)
        return self._done(state._replace(owners=self._put(state.owners, 0, None), worlds=worlds), self._BOTH, second="waits")

    def _timed_wait(self, state, index):
        return self._wait(state, index, WAITS_WITH_LIMIT)

    def _wait_second(self, state, index, limited=False):
        if state.owners[0] is not None:
            return []
        outcomes = []
        for status in (PICKED, LATE):
            worlds = frozenset(tuple(one for one in world if one[0] != index) for world in state.worlds if (index, status) in world)
            if worlds:
                new = state._replace(owners=self._put(state.owners, 0, index), worlds=worlds)
                result = int(status == PICKED) if limited else None
                outcomes += self._done(new, self._BOTH, result, outcome=status)
        return outcomes

    def _timed_wait_second(self, state, index):
        """Where operations are counted, a wait with a limit ends in two: it stops waiting, and has the mutex again."""
        if not self.as_counted:
            return self._wait_second(state, index, limited=True)
        if state.threads[index].second != "waits":
            return self._lock(state, index, 0, result=state.threads[index].second)
        picked = any((index, PICKED) in world for world in state.worlds)
        kept = [world for world in state.worlds if ((index, PICKED) in world) == picked]
        worlds = frozenset(tuple(one for one in world if one[0] != index) for world in kept)
        return self._done(state._replace(worlds=worlds), [("condition", True)], second=int(picked))

    def _signal(self, state, _):
        worlds = set()
        for world in state.worlds:
            waiting = [i for i, (_, status) in enumerate(world) if status in (WAITS, WAITS_WITH_LIMIT)]
            worlds.update(world[:i] + ((world[i][0], PICKED),) + world[i + 1:] for i in waiting)
            if not waiting:
                worlds.add(world)
        return self._done(state._replace(worlds=self._possible(worlds)), [("condition", True)])

    def _broadcast(self, state, _):
        worlds = frozenset(tuple((thread, LATE if status == LATE else PICKED) for thread, status in world) for world in state.worlds)
        return self._done(state._replace(worlds=worlds), [("condition", True)])

    def _barrier(self, state, _, writes=True):
        last = state.arrived + 1 == self.program.barrier
        new = state._replace(arrived=0 if last else state.arrived + 1, round=state.round + last)
        return self._done(new, [("barrier", writes), (("round", state.round), writes)], second=(state.round, last))

    def _meet(self, state, index):
        return self._barrier(state, index, ("arrives", state.round) if self.commute else True)

    def _meet_second(self, state, index):
        own, _ = state.threads[index].second
        return self._done(state, [(("round", own), False)]) if state.round != own else []

    def _barrier_second(self, state, index):
        own, last = state.threads[index].second
        return self._done(state, [(("round", own), False)], int(last)) if state.round != own else []

    def _once(self, state, _, cell):
        if state.once == 0:
            return self._done(state._replace(once=1), [("once", True)], second="store")
        return self._done(state, [("once", False)]) if state.once == 2 else []

    def _once_second(self, state, index, cell):
        if state.threads[index].second == "store":
            new = state._replace(cells=self._put(state.cells, cell, 2))
            return self._done(new, [(("cell", cell), True)], second="leave")
        return self._done(state._replace(once=2), [("once", True)])

    def final(self, state):
        """What the program can tell at its end; None: some threads wait for ever."""
        if not all(self.ended(state, index) for index in range(len(state.threads))):
            return None
        return tuple(thread.all for thread in state.threads), state.cells


def _with(history, event, touches):
    """The class behind one more event."""
    history = dict(history)
    for thing, writes in touches:
        before = history.get(thing, ())
        if writes is True:
            history[thing] = (*before, event)
        elif before and isinstance(before[-1], tuple) and before[-1][0] == ("set", writes):
            history[thing] = (*before[:-1], (before[-1][0], before[-1][1] | {event}))
        else:
            history[thing] = (*before, (("set", writes), frozenset([event])))
    return history


def classes_of(program, most, commute=False):
    """How many classes of executions there are, and how many of them end with threads that wait for ever."""
    model = Model(program, as_counted=True, commute=commute)
    seen, todo, count, stuck = set(), [(model.initial(), {}, (0,) * len(program.threads))], 0, 0
    while todo:
        state, history, performed = todo.pop()
        moves = list(model.moves(state))
        if not moves:
            count += 1
            stuck += model.final(state) is None
        for move in moves:
            index, outcome = move.event
            after = _with(history, (index, performed[index], outcome), move.touches)
            key = frozenset(after.items())
            if key not in seen:
                seen.add(key)
                todo.append((move.state, after, performed[:index] + (performed[index] + 1,) + performed[index + 1:]))
        if len(seen) > most:
            raise TooMany
    return count, stuck


def states_of(program, most, preemptions=None):
    """The final states, None among them when threads can wait for ever; within so many preemptions."""
    model = Model(program)
    best, todo, finals = {}, collections.deque([(model.initial(), None, 0)]), set()
    while todo:
        state, last, used = todo.popleft()
        moves = list(model.moves(state))
        if not moves:
            finals.add(model.final(state))
        goes_on = any(move.event[0] == last for move in moves)
        for move in moves:
            cost = used + (preemptions is not None and goes_on and move.event[0] != last)
            key = (move.state, move.event[0] if preemptions is not None else None)
            if preemptions is not None and cost > preemptions or best.get(key, 1000) <= cost:
                continue
            best[key] = cost
            todo.append((move.state, move.event[0], cost))
        if len(best) > most:
            raise TooMany
    return finals
