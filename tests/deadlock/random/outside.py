#!/usr/bin/env python3
"""Small random programs in two parts: a program, and a library that the analysis does not see.

outside.py FOLDER FIRST_SEED COUNT writes FOLDER/SEED.c and FOLDER/SEED.lib.c. The library gets functions and data through
structures, lists, containers, variables and single arguments, keeps them, and calls them: at once, later, or from a
thread of its own. Every schedule of both parts together shows what can happen; the analysis gets the program alone.
"""
import pathlib, random, sys

SHARED = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
struct item { pthread_mutex_t lock; struct item *peer; void (*act)(struct item *); };
struct entry { int number; void (*call)(struct item *); struct item *data; struct entry *next; };
struct ops { struct entry *list; struct entry inside; };
"""
LIBRARY = {
    "now": ("void lib_now(struct ops *o);",
            "void lib_now(struct ops *o) { o->inside.call(o->inside.data); if (o->list) o->list->call(o->list->data); }"),
    "start": ("void lib_start(struct ops *o); void lib_stop(void);",
              "static pthread_t started; static int is_started;\n"
              "static void *lib_thread(void *x) { struct ops *o = x; o->inside.call(o->inside.data); return 0; }\n"
              "void lib_start(struct ops *o) { if (!is_started) pthread_create(&started, 0, lib_thread, o); is_started = 1; }\n"
              "void lib_stop(void) { if (is_started) pthread_join(started, 0); is_started = 0; }"),
    "keep": ("void lib_keep(void (*f)(struct item *), void *data); void lib_fire(void);",
             "static void (*kept)(struct item *); static void *kept_data;\n"
             "void lib_keep(void (*f)(struct item *), void *data) { kept = f; kept_data = data; }\n"
             "void lib_fire(void) { if (kept) kept(kept_data); }"),
    "swap": ("struct item *lib_swap(struct item *item);",
             "static struct item *swapped;\n"
             "struct item *lib_swap(struct item *item) { struct item *old = swapped; swapped = item; return old ? old : item; }"),
    "link": ("void lib_link(struct item *a, struct item *b);", "void lib_link(struct item *a, struct item *b) { a->peer = b; }"),
    "hook": ("extern void (*lib_hook)(struct item *); extern struct item *lib_hook_data; void lib_step(void);",
             "void (*lib_hook)(struct item *); struct item *lib_hook_data;\n"
             "void lib_step(void) { if (lib_hook) lib_hook(lib_hook_data); }"),
    "give": ("void lib_give(struct entry *e); void (*lib_function(void))(struct item *);",
             "static struct entry *given;\nvoid lib_give(struct entry *e) { given = e; }\n"
             "void (*lib_function(void))(struct item *) { return given ? given->call : 0; }"),
    "member": ("void lib_member(struct item *item);", "void lib_member(struct item *item) { item->act(item->peer); }"),
}
LOCKS = ["&g0", "&g1", "&items[0].lock", "&items[1].lock", "&heap->lock"]
ITEMS = ["&items[0]", "&items[1]", "heap"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.parts = self.random.sample(sorted(LIBRARY), self.random.randrange(2, 5))
        self.functions = [f"on{i}" for i in range(self.random.randrange(2, 4))]

    def lock(self, has_item):
        return self.pick(LOCKS + (["&item->lock", "&item->peer->lock"] * 2 if has_item else []))

    def step(self, pad):
        """A call into the library."""
        part, f, item = self.pick(self.parts), self.pick(self.functions), self.pick(ITEMS)
        ways = {"now": "lib_now(&ops);", "start": "lib_start(&ops);", "keep": self.pick([f"lib_keep({f}, {item});", "lib_fire();"]),
                "swap": f"{{ struct item *got = lib_swap({item}); pthread_mutex_lock(&got->lock); pthread_mutex_unlock(&got->lock); }}",
                "link": f"lib_link({item}, {self.pick(ITEMS)});", "hook": self.pick([f"lib_hook = {f}; lib_hook_data = {item};", "lib_step();"]),
                "give": self.pick(["lib_give(&ops.inside);", f"{{ void (*got)(struct item *) = lib_function(); if (got) got({item}); }}"]),
                "member": f"lib_member({item});"}
        return [pad + ways[part]]

    def section(self, has_item, pad, depth, calls):
        name = f"m{self.random.randrange(1000000)}"
        inside = [pad + "  shared++;"]
        if depth > 0 and self.random.random() < 0.7:
            inside = self.section(has_item, pad + "  ", depth - 1, calls)
        elif calls and self.random.random() < 0.5:
            inside = self.step(pad + "  ")
        return [f"{pad}{{", f"{pad}  pthread_mutex_t *{name} = {self.lock(has_item)};", f"{pad}  pthread_mutex_lock({name});", *inside,
                f"{pad}  pthread_mutex_unlock({name});", f"{pad}}}"]

    def text(self):
        out = [SHARED, *(LIBRARY[part][0] for part in self.parts),
               "static pthread_mutex_t g0 = PTHREAD_MUTEX_INITIALIZER, g1 = PTHREAD_MUTEX_INITIALIZER;",
               "static struct item items[2];", "static struct item *heap;", "static struct ops ops;", "static struct entry *entry;",
               "static int shared;"]
        for function in self.functions:
            out += [f"static void {function}(struct item *item) {{", *self.section(True, "  ", self.random.randrange(2), False), "}"]
        out += ["static void *run(void *arg) {", "  struct item *item = arg;", *self.section(True, "  ", 1, False), "  return 0;", "}"]
        out += ["int main() {", "  heap = calloc(1, sizeof *heap);", "  entry = calloc(1, sizeof *entry);"]
        for item in ("items[0]", "items[1]", "(*heap)"):
            out += [f"  {item}.peer = {self.pick(ITEMS)};", f"  {item}.act = {self.pick(self.functions)};"]
        out += [f"  ops.inside.call = {self.pick(self.functions)};", f"  ops.inside.data = {self.pick(ITEMS)};",
                f"  entry->call = {self.pick(self.functions)};", f"  entry->data = {self.pick(ITEMS)};", "  ops.list = entry;"]
        out += ["  pthread_t t;", f"  pthread_create(&t, 0, run, {self.pick(ITEMS)});"]
        for _ in range(self.random.randrange(1, 4)):
            out += self.step("  ") if self.random.random() < 0.6 else self.section(False, "  ", 1, True)
        out += ["  pthread_join(t, 0);"] + (["  lib_stop();"] if "start" in self.parts else []) + ["  return 0;", "}"]
        return "\n".join(out) + "\n"

    def library(self):
        return "\n".join([SHARED, *(LIBRARY[part][1] for part in self.parts)]) + "\n"


def main():
    folder, first, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        program = Program(seed)
        (folder / f"{seed}.c").write_text(program.text())
        (folder / f"{seed}.lib.c").write_text(program.library())


main()
