#!/usr/bin/env python3
"""Small random programs with threads and locks, for the comparison of the static analysis with every schedule.

generate.py FOLDER FIRST_SEED COUNT writes FOLDER/SEED.c. The same seed gives the same program. A program reaches its locks in
many ways (tables, structures, copies of them, callbacks, containers, functions that choose), because that is where an
analysis of pointers can lose one.
"""
import pathlib, random, sys

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct box;
struct link { struct link *next; };
struct ops { int version; void (*enter)(struct box *), (*leave)(struct box *); };
struct box {
  int id;
  pthread_mutex_t lock;
  const struct ops *ops;
  struct link link;
  pthread_mutex_t *other;
  struct box *peer;
  void (*act)(struct box *);
};
static pthread_mutex_t g0 = PTHREAD_MUTEX_INITIALIZER, g1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t r0 = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t w0 = PTHREAD_RWLOCK_INITIALIZER;
static struct box boxes[2];
static struct box *heap;
static pthread_mutex_t *table[4];
static struct link *first;
static int shared;
static void plain_enter(struct box *b) { pthread_mutex_lock(&b->lock); }
static void plain_leave(struct box *b) { pthread_mutex_unlock(&b->lock); }
static void other_enter(struct box *b) { pthread_mutex_lock(b->other); }
static void other_leave(struct box *b) { pthread_mutex_unlock(b->other); }
static const struct ops plain = {1, plain_enter, plain_leave}, other = {2, other_enter, other_leave};
static void take(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void give(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
static pthread_mutex_t *choose(int n) { return n == 0 ? &g0 : n == 1 ? &g1 : n == 2 ? &boxes[0].lock : &boxes[1].lock; }
static struct box *of_link(struct link *l) { return (struct box *)((char *)l - offsetof(struct box, link)); }
static void touch(struct box *b) { take(&b->lock); shared++; give(&b->lock); }
static void touch_other(struct box *b) { pthread_mutex_lock(b->other); shared++; pthread_mutex_unlock(b->other); }
static void nothing(struct box *b) { shared += b->id; }
"""
MUTEXES = ["&g0", "&g1", "&boxes[0].lock", "&boxes[1].lock", "&heap->lock", "&r0"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.lines = []
        # What the pointers are set to, once, before there are threads.
        self.table = [self.pick(MUTEXES) for _ in range(4)]
        self.box = {name: {"other": self.pick(MUTEXES), "peer": self.pick(["boxes[0]", "boxes[1]", "(*heap)"]),
                           "ops": self.pick(["plain", "other"]), "act": self.pick(["touch", "touch_other", "nothing"])}
                    for name in ("boxes[0]", "boxes[1]", "(*heap)")}
        self.first = self.pick(["boxes[0]", "boxes[1]", "(*heap)"])

    def mutex(self, has_parameter):
        """An expression of type pthread_mutex_t *."""
        box = self.pick(["boxes[0]", "boxes[1]", "(*heap)"])
        ways = [self.pick(MUTEXES), self.pick(MUTEXES), f"table[{self.random.randrange(4)}]", f"{box}.other", f"&{box}.peer->lock",
                f"choose({self.random.randrange(4)})", "&of_link(first)->lock", f"{box}.peer->other"]
        if has_parameter:
            ways += ["&b->lock", "b->other", "&b->peer->lock", "table[b->id]", "&boxes[b->id & 1].lock", "choose(b->id)"] * 2
        return self.pick(ways)

    def section(self, depth, has_parameter, indent):
        """One critical section with what is inside."""
        pad = "  " * indent
        inner = lambda: self.body(depth - 1, has_parameter, indent + 1)
        way = self.random.randrange(10)
        if way < 4 or depth == 0:
            m = self.mutex(has_parameter)
            lock, unlock = self.pick([("pthread_mutex_lock", "pthread_mutex_unlock"), ("take", "give")])
            name = f"m{self.random.randrange(1000000)}"
            return [f"{pad}pthread_mutex_t *{name} = {m};", f"{pad}{lock}({name});", *inner(), f"{pad}{unlock}({name});"]
        if way == 4:
            m = self.mutex(has_parameter)
            return [f"{pad}if (pthread_mutex_trylock({m}) == 0) {{", *inner(), f"{pad}  pthread_mutex_unlock({m});", f"{pad}}}"]
        if way == 5:
            mode = self.pick(["rd", "wr"])
            return [f"{pad}pthread_rwlock_{mode}lock(&w0);", *inner(), f"{pad}pthread_rwlock_unlock(&w0);"]
        box = "b" if has_parameter else self.pick(["&boxes[0]", "&boxes[1]", "heap"])
        if way == 6:
            return [f"{pad}{{", f"{pad}  struct box *at = {box};", f"{pad}  at->ops->enter(at);", *inner(), f"{pad}  at->ops->leave(at);", f"{pad}}}"]
        if way == 7:
            return [f"{pad}{{", f"{pad}  struct box copy = *({box});", f"{pad}  pthread_mutex_lock(copy.other);", *inner(),
                    f"{pad}  pthread_mutex_unlock(copy.other);", f"{pad}}}"]
        if way == 8:
            return [f"{pad}for (int i = 0; i < 2; i++) {{", f"{pad}  pthread_mutex_lock(&boxes[i].lock);", *inner(),
                    f"{pad}  pthread_mutex_unlock(&boxes[i].lock);", f"{pad}}}"]
        # Two in the order of their addresses.
        a, c = self.mutex(has_parameter), self.mutex(has_parameter)
        return [f"{pad}{{", f"{pad}  pthread_mutex_t *x = {a}, *y = {c};",
                f"{pad}  if (x > y) {{ pthread_mutex_t *z = x; x = y; y = z; }}", f"{pad}  if (x != y) {{", f"{pad}    pthread_mutex_lock(x);",
                f"{pad}    pthread_mutex_lock(y);", f"{pad}    shared++;", f"{pad}    pthread_mutex_unlock(y);",
                f"{pad}    pthread_mutex_unlock(x);", f"{pad}  }}", f"{pad}}}"]

    def body(self, depth, has_parameter, indent):
        pad = "  " * indent
        if depth <= 0:
            return [f"{pad}shared++;"]
        way = self.random.randrange(8)
        if way < 5:
            return self.section(depth, has_parameter, indent)
        if way == 5:
            box = "b" if has_parameter else self.pick(["&boxes[0]", "&boxes[1]", "heap"])
            return [f"{pad}{{", f"{pad}  struct box *who = {box};", f"{pad}  who->act(who);", f"{pad}}}"]
        if way == 6 and has_parameter:
            return [f"{pad}if (b->id & 1) {{", *self.section(depth, True, indent + 1), f"{pad}}} else {{",
                    *self.section(depth, True, indent + 1), f"{pad}}}"]
        return [f"{pad}shared++;"]

    def text(self):
        out = [HEAD]
        routines = self.random.randrange(2, 4)
        for number in range(routines):
            out += [f"static void *run{number}(void *arg) {{", "  struct box *b = arg;"]
            for _ in range(self.random.randrange(1, 3)):
                out += ["  {", *self.section(2, True, 2), "  }"]
            out += ["  return 0;", "}"]
        out += ["int main() {", "  heap = calloc(1, sizeof *heap);"]
        for number, (name, to) in enumerate(self.box.items()):
            out += [f"  {name}.id = {number};", f"  {name}.other = {to['other']};", f"  {name}.peer = &{to['peer']};",
                    f"  {name}.ops = &{to['ops']};", f"  {name}.act = {to['act']};"]
        out += [f"  table[{number}] = {m};" for number, m in enumerate(self.table)]
        out += [f"  first = &{self.first}.link;"]
        threads = self.random.randrange(2, 4)
        out += [f"  pthread_t t[{threads}];"]
        waiting = list(range(threads))
        for number in range(threads):
            box = self.pick(["&boxes[0]", "&boxes[1]", "heap"])
            out += [f"  pthread_create(&t[{number}], 0, run{self.random.randrange(routines)}, {box});"]
            if self.random.random() < 0.15:
                out += [f"  pthread_join(t[{waiting.pop(waiting.index(number))}], 0);"]
        if self.random.random() < 0.4:
            out += ["  {", *self.section(2, False, 2), "  }"]
        out += [f"  pthread_join(t[{number}], 0);" for number in waiting]
        out += ["  return 0;", "}"]
        return "\n".join(out) + "\n"


def main():
    folder, first, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        (folder / f"{seed}.c").write_text(Program(seed).text())


main()
