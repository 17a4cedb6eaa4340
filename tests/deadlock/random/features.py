#!/usr/bin/env python3
"""Random C++ programs with features that hide calls, analysed without running and explored: both must agree.

usage: features.py HEDDLE [--first SEED] [--programs N] [--keep FOLDER]

Each of two threads goes through a few layers: some take a mutex, the others call the next layer through a feature
of the language or a library (virtual functions, callbacks of qsort, destructors at the end of a thread, ...). The innermost
layer writes a variable. Exploration performs every schedule. Wrong is: a deadlock that is performed and not reported, a race
that is performed and not reported by --races. What is reported and never performed is counted.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

LOCKS = {
    "guard": ("mutex", "", "std::lock_guard<std::mutex> hold({m}); {next}"),
    "deferred": ("mutex", "", "std::unique_lock<std::mutex> hold({m}, std::defer_lock); hold.lock(); {next}"),
    "plain": ("mutex", "", "{m}.lock(); {next} {m}.unlock();"),
    "scoped": ("mutex", "", "std::scoped_lock hold({m}); {next}"),
    "moved": ("mutex", "static std::unique_lock<std::mutex> Take{n}() {{ return std::unique_lock<std::mutex>({m}); }}",
              "std::unique_lock<std::mutex> hold = Take{n}(); {next}"),
    "in_base": ("mutex memory",
                "struct Base{n} {{ virtual ~Base{n}() = default; }};\n"
                "struct Hold{n} : Base{n} {{ Hold{n}() {{ {m}.lock(); }} ~Hold{n}() override {{ {m}.unlock(); }} }};",
                "std::unique_ptr<Base{n}> hold(new Hold{n}); {next}"),
    "by_pointer": ("mutex", "static std::mutex* Pick{n}(int which) {{ return which == 0 ? &m0 : which == 1 ? &m1 : &m2; }}",
                   "std::lock_guard<std::mutex> hold(*Pick{n}({index})); {next}"),
}
CALLS = {
    "direct": ("", "", "{next}"),
    "function": ("functional", "static std::function<void()> step{n};", "step{n} = [] {{ {next} }}; step{n}();"),
    "function_map": ("functional map string", "static std::map<std::string, std::function<void()>> steps{n};",
                     "steps{n}[\"x\"] = [] {{ {next} }}; steps{n}[\"y\"] = [] {{}}; steps{n}[\"x\"]();"),
    "virtual": ("memory vector",
                "struct Step{n} {{ virtual ~Step{n}() = default; virtual void Other() {{}} virtual void Do() = 0; }};\n"
                "struct Real{n} : Step{n} {{ void Do() override {{ {next} }} }};\n"
                "struct Empty{n} : Step{n} {{ void Do() override {{}} }};",
                "std::vector<std::unique_ptr<Step{n}>> all; all.emplace_back(new Empty{n}); all.emplace_back(new Real{n});"
                " for (auto& one : all) one->Do();"),
    "shared_virtual": ("memory",
                       "struct Step{n} {{ virtual ~Step{n}() = default; virtual int Do() {{ return 0; }} }};\n"
                       "struct Real{n} : Step{n} {{ int Do() override {{ {next} return 1; }} }};",
                       "std::shared_ptr<Step{n}> one = std::make_shared<Real{n}>(); one->Do();"),
    "second_base": ("", "struct First{n} {{ virtual void A() {{}} int x = 0; }};\n"
                        "struct Second{n} {{ virtual void B() {{}} }};\n"
                        "struct Both{n} : First{n}, Second{n} {{ void B() override {{ {next} }} }};",
                    "Both{n} both; Second{n}* second = &both; second->B();"),
    "virtual_base": ("", "struct Root{n} {{ virtual void B() {{}} virtual ~Root{n}() = default; }};\n"
                         "struct Left{n} : virtual Root{n} {{}};\n"
                         "struct Right{n} : virtual Root{n} {{ void B() override {{ {next} }} }};\n"
                         "struct Both{n} : Left{n}, Right{n} {{}};",
                     "Left{n}* left = new Both{n}; left->B(); delete left;"),
    "member_pointer": ("", "struct Part{n} {{ virtual void Go() {{ {next} }} void Stay() {{}} }};",
                       "Part{n} part; void (Part{n}::*way)() = &Part{n}::Go; (part.*way)();"),
    "table": ("", "struct Table{n} {{ void (*stay)(); void (*go)(void*); void* with; }};\n"
                  "static void Go{n}(void*) {{ {next} }}\n"
                  "static void Use{n}(const Table{n}* table) {{ table->go(table->with); }}",
              "Table{n} table = {{nullptr, Go{n}, nullptr}}; Use{n}(&table);"),
    "qsort": ("cstdlib", "static int Compare{n}(const void*, const void*) {{ {next} return 0; }}",
              "int two[2] = {{2, 1}}; qsort(two, 2, sizeof(int), Compare{n});"),
    "bsearch": ("cstdlib", "static int Compare{n}(const void*, const void*) {{ {next} return 0; }}",
                "int one[1] = {{2}}; int key = 2; (void)!bsearch(&key, one, 1, sizeof(int), Compare{n});"),
    "std_sort": ("algorithm", "", "int two[2] = {{2, 1}}; std::sort(two, two + 2, [](int a, int b) {{ {next} return a < b; }});"),
    "set_order": ("set", "struct Less{n} {{ bool operator()(int a, int b) const {{ {next} return a < b; }} }};",
                  "std::set<int, Less{n}> some; some.insert(1); some.insert(2);"),
    "hash": ("unordered_set", "struct Hash{n} {{ size_t operator()(int a) const {{ {next} return a; }} }};",
             "std::unordered_set<int, Hash{n}> some; some.insert(1);"),
    "once": ("mutex", "static std::once_flag once{n};", "std::call_once(once{n}, [] {{ {next} }});"),
    "local_static": ("", "struct Made{n} {{ Made{n}() {{ {next} }} }};", "static Made{n} made;"),
    "catch": ("", "static void Throw{n}() {{ throw 1; }}", "try {{ Throw{n}(); }} catch (int) {{ {next} }}"),
    "unwinding": ("", "struct Last{n} {{ ~Last{n}() {{ {next} }} }};\n"
                      "static void Throw{n}() {{ Last{n} last; throw 1; }}", "try {{ Throw{n}(); }} catch (int) {{}}"),
    "thread_local": ("", "struct Late{n} {{ int x = 0; ~Late{n}() {{ {next} }} }};\nstatic thread_local Late{n} late{n};",
                     "late{n}.x = 1;"),
    "key": ("pthread.h", "static pthread_key_t key{n};\nstatic void Late{n}(void*) {{ {next} }}\n"
                         "__attribute__((constructor)) static void Make{n}() {{ pthread_key_create(&key{n}, Late{n}); }}",
            "pthread_setspecific(key{n}, &key{n});"),
    "raise": ("csignal", "static void Handle{n}(int) {{ {next} }}", "signal(SIGUSR1, Handle{n}); raise(SIGUSR1);"),
    "thread": ("thread", "", "std::thread inner([] {{ {next} }}); inner.join();"),
    "async": ("future", "", "std::async(std::launch::async, [] {{ {next} }}).get();"),
    "deferred": ("future", "", "std::async(std::launch::deferred, [] {{ {next} }}).get();"),
    "packaged": ("future", "", "std::packaged_task<void()> task([] {{ {next} }}); task();"),
    "variant": ("variant", "struct Go{n} {{}};", "std::variant<int, Go{n}> either = Go{n}();"
                " std::visit([](auto& x) {{ if constexpr (sizeof x == 1) {{ {next} }} }}, either);"),
    "deleter": ("memory", "static void Delete{n}(int* x) {{ delete x; {next} }}", "{{ std::shared_ptr<int> one(new int, Delete{n}); }}"),
    "unique_deleter": ("memory", "", "auto end = [](int* x) {{ delete x; {next} }}; {{ std::unique_ptr<int, decltype(end)> one(new int, end); }}"),
    "optional": ("optional", "struct Part{n} {{ ~Part{n}() {{ {next} }} }};", "std::optional<Part{n}> some; some.emplace(); some.reset();"),
    "any": ("any functional", "", "std::any some = std::function<void()>([] {{ {next} }}); std::any_cast<std::function<void()>&>(some)();"),
    "cleanup": ("pthread.h", "static void Clean{n}(void*) {{ {next} }}", "pthread_cleanup_push(Clean{n}, nullptr); pthread_cleanup_pop(1);"),
    "jump": ("csetjmp", "static jmp_buf place{n};", "if (setjmp(place{n}) == 0) longjmp(place{n}, 1); else {{ {next} }}"),
    "allocator": ("vector memory", "template <typename T> struct Own{n} {{ using value_type = T; Own{n}() = default;\n"
                                   "  template <typename U> Own{n}(const Own{n}<U>&) {{}}\n"
                                   "  T* allocate(size_t c) {{ {next} return std::allocator<T>().allocate(c); }}\n"
                                   "  void deallocate(T* p, size_t c) {{ std::allocator<T>().deallocate(p, c); }}\n"
                                   "  bool operator==(const Own{n}&) const = default; }};",
                  "std::vector<int, Own{n}<int>> some; some.push_back(1);"),
    "stream": ("sstream", "struct Buffer{n} : std::stringbuf {{ int sync() override {{ {next} return 0; }} }};",
               "Buffer{n} buffer; std::ostream out(&buffer); out << std::flush;"),
    "stop": ("stop_token", "", "std::stop_source source; std::stop_callback call(source.get_token(), [] {{ {next} }}); source.request_stop();"),
    "coroutine": ("coroutine", "struct Task{n} {{ struct promise_type {{ Task{n} get_return_object() {{ return "
                  "{{std::coroutine_handle<promise_type>::from_promise(*this)}}; }} std::suspend_always initial_suspend() {{ return {{}}; }} "
                  "std::suspend_always final_suspend() noexcept {{ return {{}}; }} void return_void() {{}} void unhandled_exception() {{}} }};\n"
                  "  std::coroutine_handle<promise_type> handle; }};\n"
                  "static Task{n} Run{n}() {{ co_await std::suspend_always{{}}; {next} }}",
                  "Task{n} task = Run{n}(); task.handle.resume(); task.handle.resume(); task.handle.destroy();"),
    "weak_alias": ("", "extern \"C\" void Real{n}() {{ {next} }}\nextern \"C\" void Name{n}() __attribute__((weak, alias(\"Real{n}\")));",
                   "Name{n}();"),
    "ifunc": ("", "static void Real{n}() {{ {next} }}\nextern \"C\" {{ static void (*Which{n}())() {{ return Real{n}; }} }}\n"
                  "static void Chosen{n}() {{ Which{n}()(); }}", "Chosen{n}();"),
    "nested_function_pointer": ("", "using Way{n} = void (*)();\nstatic void Real{n}() {{ {next} }}\n"
                                    "static Way{n} ways{n}[2] = {{nullptr, Real{n}}};", "volatile int i = 1; ways{n}[i]();"),
    "varargs": ("cstdarg", "static void Call{n}(int count, ...) {{ va_list list; va_start(list, count);\n"
                           "  for (int i = 0; i < count; ++i) va_arg(list, void (*)())(); va_end(list); }}\n"
                           "static void Real{n}() {{ {next} }}", "Call{n}(1, Real{n});"),
    "integer": ("cstdint", "static void Real{n}() {{ {next} }}", "uintptr_t number = reinterpret_cast<uintptr_t>(&Real{n});"
                " reinterpret_cast<void (*)()>(number)();"),
    "copied": ("cstring", "struct Pair{n} {{ int x; void (*go)(); }};\nstatic void Real{n}() {{ {next} }}",
               "Pair{n} a{{1, Real{n}}}, b; memcpy(&b, &a, sizeof a); b.go();"),
}


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.headers, self.before, self.layers, self.used = {"mutex", "thread"}, [], 0, []

    def layer(self, kinds, name, follows, mutex=None):
        """Text of a function that does the feature around a call of `follows`; returns its name."""
        number = self.layers
        self.layers += 1
        headers, support, body = kinds[name]
        self.headers.update(headers.split())
        self.used.append(name)
        words = {"n": number, "next": f"{follows}();", "m": f"m{mutex}", "index": mutex}
        if support:
            self.before.append(support.format(**words))
        self.before.append(f"static void L{number}() {{ {body.format(**words)} }}")
        return f"L{number}"

    def chain(self, mutexes, guarded):
        """Layers from the inside out."""
        follows = "Touch" if guarded else "Nothing"
        for mutex in reversed(mutexes):
            for _ in range(self.random.choice([0, 1, 1])):
                follows = self.layer(CALLS, self.random.choice(sorted(CALLS)), follows)
            follows = self.layer(LOCKS, self.random.choice(sorted(LOCKS)), follows, mutex)
        if self.random.random() < 0.5:
            follows = self.layer(CALLS, self.random.choice(sorted(CALLS)), follows)
        return follows

    def text(self):
        pick = self.random
        first = pick.sample(range(3), 2)
        second = pick.choice([first[::-1], first[::-1], first, pick.sample(range(3), 2), first[:1]])
        touches = pick.random() < 0.5
        ways = [self.chain(first, touches), self.chain(second, touches)]
        main_too = pick.random() < 0.5
        lines = [f"#include <{header}>" for header in sorted(self.headers)]
        lines += ["static std::mutex m0, m1, m2;", "static int shared;", "static void Touch() { ++shared; }", "static void Nothing() {}"]
        lines += self.before
        body = "std::thread b(%s); " % ways[1] if not main_too else ways[1] + "(); "
        lines.append("int main() { std::thread a(%s); %sa.join(); %s}" % (ways[0], body, "" if main_too else "b.join(); "))
        return "\n".join(lines) + "\n"


def run(command, folder, limit):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=limit)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return "no end", ""


def report(folder, name):
    try:
        return json.loads((pathlib.Path(folder) / name).read_text())
    except (OSError, ValueError):
        return {}


def kinds_of(told):
    return {finding["kind"] for finding in told.get("findings", []) if "suppressed" not in finding}


def compare(heddle, seed, folder):
    """(what it is, text of the details)"""
    program = Program(seed)
    source = pathlib.Path(folder) / "p.cpp"
    source.write_text(program.text())
    flags = ["-std=c++20", "-g", "-O1", "-pthread", "-w", str(source)]
    code, text = run([heddle, "c++", *flags, "-o", "p"], folder, 300)
    if code != 0:
        return "build", text
    code, text = run([heddle, "c++", "--bitcode", "-c", *flags, "-o", "p.bc"], folder, 300)
    if code != 0:
        return "build", text
    code, explored = run([heddle, "explore", "--time", "20s", "--json", "e.json", "--", "./p"], folder, 120)
    code, told = run([heddle, "deadlock", "--races", "--all", "--json", "s.json", "p.bc"], folder, 120)
    performed, static = report(folder, "e.json"), report(folder, "s.json")
    if "findings" not in performed or "findings" not in static:
        return "no answer", explored + told
    missing = {kind for kind in ("deadlock", "data-race") if kind in kinds_of(performed) and kind not in kinds_of(static)}
    details = f"layers: {' '.join(program.used)}\n{explored}\n{told}"
    if missing:
        return "MISSED " + " ".join(sorted(missing)), details
    extra = {kind for kind in ("deadlock", "data-race") if kind in kinds_of(static) and kind not in kinds_of(performed)}
    if not performed.get("coverage", {}).get("complete", False):
        return "not explored to the end", details
    return ("alarm " + " ".join(sorted(extra)) if extra else "agree"), details


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--keep", help="folder for the programs that do not agree")
    args = parser.parse_args()
    counts, wrong = {}, 0
    for seed in range(args.first, args.first + args.programs):
        with tempfile.TemporaryDirectory() as folder:
            what, details = compare(os.path.abspath(args.heddle), seed, folder)
            counts[what] = counts.get(what, 0) + 1
            is_wrong = what.startswith("MISSED") or what in ("build", "no answer")
            wrong += is_wrong
            if is_wrong:
                print(f"seed {seed}: {what}\n{details}", flush=True)
            if args.keep and what != "agree":
                kept = pathlib.Path(args.keep)
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{seed}.cpp").write_text((pathlib.Path(folder) / "p.cpp").read_text())
                (kept / f"{seed}.txt").write_text(f"{what}\n{details}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    sys.exit(1 if wrong else 0)


main()
