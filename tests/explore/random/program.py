"""Random small programs, as lists of instructions for each thread and as C.

An instruction is a tuple: a name and numbers. Each is one visible operation, or two (a wait, a barrier, a once), but for the `if`s and `again`:
  load store add cas exchange or      on a cell; the result is what was there, or whether the swap was made
  await await_below await_not         a loop until the cell is, is below, is not the number
  await_cas await_swap                a loop until the swap is made, until the exchange finds another value
  lock unlock try timed               a mutex: attempts and locks with a limit have a result
  read_lock write_lock try_read rw_unlock
  post take try_take timed_take       a semaphore
  wait timed_wait signal broadcast    the condition variable, with mutex 0
  barrier                             the result: whether it was the last one to come
  inc set flip meet                   adds, sets or flips bits, meets at the barrier: nobody looks at the result
  once                                stores 2 in a cell, if nobody has
  if_result n, if_odd n, if_zero n     the next n instructions only then
  look_load look_try look_take        as above; what they find is not kept, so that rounds can repeat
  again n                             goes back over n instructions while the result is 0
"""
import random

CELLS, LOCKS, SEMAPHORES = 2, 2, 2
PARTS = ["atomics", "awaits", "locks", "conditions", "semaphores", "barriers"]

RESULT = {
    "load": "atomic_load(&g_cell[{0}])",
    "add": "atomic_fetch_add(&g_cell[{0}], {1})",
    "cas": "Swapped(&g_cell[{0}], {1}, {2})",
    "exchange": "atomic_exchange(&g_cell[{0}], {1})",
    "or": "atomic_fetch_or(&g_cell[{0}], {1})",
    "try": "pthread_mutex_trylock(&g_lock[{0}]) == 0",
    "timed": "pthread_mutex_timedlock(&g_lock[{0}], &g_until) == 0",
    "try_read": "pthread_rwlock_tryrdlock(&g_shared) == 0",
    "try_take": "sem_trywait(&g_semaphore[{0}]) == 0",
    "timed_take": "sem_timedwait(&g_semaphore[{0}], &g_until) == 0",
    "timed_wait": "pthread_cond_timedwait(&g_condition, &g_lock[0], &g_until) == 0",
    "barrier": "pthread_barrier_wait(&g_barrier) != 0",
}
PLAIN = {
    "look_load": "result = atomic_load(&g_cell[{0}]);",
    "look_try": "result = pthread_mutex_trylock(&g_lock[{0}]) == 0;",
    "look_take": "result = sem_trywait(&g_semaphore[{0}]) == 0;",
    "store": "atomic_store(&g_cell[{0}], {1});",
    "await": "while (atomic_load(&g_cell[{0}]) != {1}) {{\n  }}",
    "await_not": "while ((result = atomic_load(&g_cell[{0}])) == {1}) {{\n  }}\n  all = all * 5 + result;",
    "await_below": "while ((result = atomic_load(&g_cell[{0}])) >= {1}) {{\n  }}\n  all = all * 5 + result;",
    "await_cas": "while (!Swapped(&g_cell[{0}], {1}, {2})) {{\n  }}",
    "await_swap": "while ((result = atomic_exchange(&g_cell[{0}], {1})) == {1}) {{\n  }}\n  all = all * 5 + result;",
    "lock": "pthread_mutex_lock(&g_lock[{0}]);",
    "unlock": "pthread_mutex_unlock(&g_lock[{0}]);",
    "read_lock": "pthread_rwlock_rdlock(&g_shared);",
    "write_lock": "pthread_rwlock_wrlock(&g_shared);",
    "rw_unlock": "pthread_rwlock_unlock(&g_shared);",
    "post": "sem_post(&g_semaphore[{0}]);",
    "take": "sem_wait(&g_semaphore[{0}]);",
    "wait": "pthread_cond_wait(&g_condition, &g_lock[0]);",
    "signal": "pthread_cond_signal(&g_condition);",
    "broadcast": "pthread_cond_broadcast(&g_condition);",
    "once": "pthread_once(&g_once, Once{0});",
    "inc": "atomic_fetch_add(&g_cell[{0}], {1});",
    "set": "atomic_fetch_or(&g_cell[{0}], {1});",
    "flip": "atomic_fetch_xor(&g_cell[{0}], {1});",
    "meet": "pthread_barrier_wait(&g_barrier);",
}

UNKNOWN = 100  # an exit code

BLIND = {"inc", "set", "flip", "meet"}
AWAITS = {"await", "await_below", "await_not", "await_cas", "await_swap"}

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
static atomic_int g_cell[2];
static pthread_mutex_t g_lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t g_shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t g_barrier;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static sem_t g_semaphore[2];
static struct timespec g_until;
static int g_all[4];
static int Swapped(atomic_int* cell, int from, int to) { return atomic_compare_exchange_strong(cell, &from, to); }
static void Once0(void) { atomic_store(&g_cell[0], 2); }
static void Once1(void) { atomic_store(&g_cell[1], 2); }
static int Is(int a, int b, int c, int d, int x, int y) {
  return g_all[0] == a && g_all[1] == b && g_all[2] == c && g_all[3] == d && g_cell[0] == x && g_cell[1] == y;
}
typedef void* (*Body)(void*);
static void Run(int count, const Body* bodies, int barrier, int first, int second) {
  pthread_t threads[4];
  clock_gettime(CLOCK_REALTIME, &g_until);
  g_until.tv_sec += 1;
  pthread_barrier_init(&g_barrier, NULL, (unsigned)barrier);
  sem_init(&g_semaphore[0], 0, (unsigned)first);
  sem_init(&g_semaphore[1], 0, (unsigned)second);
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, bodies[i], &g_all[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}
"""


class Program:
    """`part`: one of PARTS, or "mixed", or "rounds" (with loops that are no awaits)."""

    def __init__(self, seed):
        self.seed = seed
        self._random = random.Random(seed)
        self.part = self._random.choice([*PARTS, "mixed", "mixed", "rounds"])
        self.semaphores = [self._below(2) for _ in range(SEMAPHORES)]
        self.barrier = 2 + self._below(2)
        count = self._random.choice([2, 3, 3, 3, 4])
        self.threads = [self._thread({2: 4, 3: 3, 4: 2}[count]) for _ in range(count)]

    def blind(self):
        """Whether there is something that may commute."""
        return any(one[0] in BLIND for thread in self.threads for one in thread)

    def order_may_matter(self):
        """Where a loop waits for a cell, or more threads meet at the barrier than it has places, it may matter all the same."""
        users = sum(any(one[0] in ("barrier", "meet") for one in thread) for thread in self.threads)
        return users > self.barrier or any(one[0] in AWAITS for thread in self.threads for one in thread)

    def text(self):
        threads = [" ".join("-".join(map(str, one)) for one in thread) for thread in self.threads]
        return f"seed {self.seed} ({self.part}, barrier {self.barrier}, semaphores {self.semaphores}): " + " | ".join(threads)

    def _below(self, count):
        return self._random.randrange(count)

    def _thread(self, most):
        while True:
            instructions = []
            for _ in range(1 + self._below(most)):
                instructions += self._piece()
            # While others can go, waits of one thread run out twice in a search.
            if sum(one[0] == "timed_wait" for one in instructions) <= 2:
                return instructions

    def _piece(self):
        part = self.part
        if part == "mixed":
            part = self._random.choice([*PARTS, "once"])
        elif part != "atomics" and self._below(5) < 2:
            part = "atomics"
        return getattr(self, "_" + part)()

    def _cell(self):
        return 1 if self._below(4) == 0 else 0

    def _atomics(self):
        one = self._random.choice([
            ("load", self._cell()), ("store", self._cell(), 1 + self._below(2)), ("add", self._cell(), 1), ("add", self._cell(), 0),
            ("cas", self._cell(), self._below(3), 1 + self._below(3)), ("cas", self._cell(), self._below(2), 2),
            ("exchange", self._cell(), self._below(3)), ("or", self._cell(), self._below(3)), ("inc", self._cell(), 1 + self._below(2)),
            ("inc", self._cell(), 1), ("set", self._cell(), 1 + self._below(2)), ("flip", self._cell(), 1 + self._below(2))])
        return [("if_odd", 1), one] if self._below(6) == 0 else [one]

    def _awaits(self):
        return self._random.choice([
            [("await", self._cell(), self._below(3))], [("await_below", self._cell(), 1 + self._below(2))],
            [("await_not", self._cell(), self._below(2))], [("await_cas", 0, 0, 1), ("add", 1, 1), ("store", 0, 0)],
            [("await_cas", self._cell(), self._below(3), self._below(3))],
            [("await_swap", 0, 1), ("load", 1), ("store", 0, 0)], [("await_swap", self._cell(), 1 + self._below(2))]])

    def _locks(self):
        lock = self._cell()
        inner = self._atomics() if self._below(3) else []
        attempt = self._random.choice(["try", "timed"])
        return self._random.choice([
            [("lock", lock), *inner, ("unlock", lock)], [("lock", lock), *inner, ("unlock", lock)],
            [("lock", lock), ("lock", 1 - lock), ("unlock", 1 - lock), ("unlock", lock)],
            [(attempt, lock), ("if_result", len(inner) + 1), *inner, ("unlock", lock)],
            [("read_lock",), *inner, ("rw_unlock",)], [("write_lock",), *inner, ("rw_unlock",)],
            [("try_read",), ("if_result", len(inner) + 1), *inner, ("rw_unlock",)], [("lock", lock), *inner]])

    def _conditions(self):
        inner = self._atomics() if self._below(2) else []
        return self._random.choice([
            [("lock", 0), *inner, ("wait",), ("unlock", 0)], [("lock", 0), ("timed_wait",), *inner, ("unlock", 0)],
            [("lock", 0), ("timed_wait",), ("unlock", 0)], [("lock", 0), *inner, ("signal",), ("unlock", 0)],
            [("signal",)], [("broadcast",)], [("lock", 0), *inner, ("broadcast",), ("unlock", 0)]])

    def _semaphores(self):
        semaphore = self._cell()
        return self._random.choice([[("post", semaphore)], [("post", semaphore)], [("take", semaphore)], [("take", semaphore)],
                                    [("try_take", semaphore)], [("timed_take", semaphore)]])

    def _barriers(self):
        return [self._random.choice([("barrier",), ("meet",), ("meet",)])]

    def _once(self):
        return [("once", self._cell())]

    def _rounds(self):
        lock = self._cell()
        return self._random.choice([
            [("look_try", lock), ("again", 1), *self._atomics(), ("unlock", lock)], [("look_take", 0), ("again", 1)], [("post", 0)],
            [("look_load", 0), ("if_zero", 1), ("look_load", 1), ("again", 3)], [("store", self._cell(), 1)]])

    def _body(self, thread, name):
        lines, ends, starts = [], [], {}
        for i, (what, *numbers) in enumerate(self.threads[thread]):
            if what == "again":
                starts[i - numbers[0]] = starts.get(i - numbers[0], 0) + 1
        for i, (what, *numbers) in enumerate(self.threads[thread]):
            lines += ["  do {"] * starts.get(i, 0)
            if what in RESULT:
                lines.append(f"  result = {RESULT[what].format(*numbers)};\n  all = all * 5 + result;")
            elif what in PLAIN:
                lines.append("  " + PLAIN[what].format(*numbers))
            elif what == "again":
                lines.append("  } while (result == 0);")
            else:
                condition = {"if_result": "result != 0", "if_odd": "all % 2 == 1", "if_zero": "result == 0"}[what]
                lines.append(f"  if ({condition}) {{")
                ends.append(i + numbers[0])
            while i in ends:
                ends.remove(i)
                lines.append("  }")
        return "\n".join([f"static void* {name}(void* argument) {{", "  int all = 0, result = 0;", *lines,
                          "  *(int*)argument = all + 0 * result;", "  return NULL;", "}"])

    def source(self, number, states):
        """The function Program`number`, whose exit code tells the final state, UNKNOWN if it is none of these."""
        names = [f"P{number}T{thread}" for thread in range(len(self.threads))]
        text = "\n".join(self._body(thread, name) for thread, name in enumerate(names))
        text += f"\nstatic void Program{number}(void) {{\n  const Body bodies[] = {{{', '.join(names)}}};\n"
        text += f"  Run({len(names)}, bodies, {self.barrier}, {self.semaphores[0]}, {self.semaphores[1]});\n"
        for i, (everything, cells) in enumerate(states):
            values = [*everything, *[0] * (4 - len(everything)), *cells]
            text += f"  if (Is({', '.join(map(str, values))})) exit({i + 1});\n"
        return text + f"  exit({UNKNOWN});\n}}\n"


def source_of(programs, states):
    """One C program that runs the one whose place in the list it is told."""
    text = HEAD + "".join(one.source(i, states[i]) for i, one in enumerate(programs))
    calls = "".join(f"    case {i}:\n      Program{i}();\n      break;\n" for i in range(len(programs)))
    return text + "int main(int count, char** words) {\n  switch (count < 2 ? 0 : atoi(words[1])) {\n" + calls + "  }\n  return 0;\n}\n"
