#!/usr/bin/env python3
"""Reads libc.calls and writes what the runtime and the other users of the table include.

usage: generate.py LIBC.CALLS EXPORTS.MAP UNISTD.H OUT_FOLDER
       generate.py --table LIBC.CALLS OUT_FOLDER               only calls_table.inc

  calls_interceptors.inc  an exported function for each call that has none by hand
  calls_table.inc         one row for each call: name, prototype, ranges, facts
  syscall_hooks.inc       a hook before and after each system call that UNISTD.H names, all of them empty functions
  interceptor_names.inc   __interceptor_NAME for each exported function of libc, as programs for ThreadSanitizer call it
  exports.map             the given one with the names of the first
"""
import pathlib
import re
import sys


def split_arguments(text):
    """At commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse(path):
    calls = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in re.split(r"(?<!\|)\|(?!\|)", line)]
        match = re.fullmatch(r"(.*?[\s*])(\w+)\((.*)\)", fields[0])
        if not match or len(fields) != 3:
            sys.exit(f"{path}:{number}: expected `prototype | ranges | facts`")
        ranges = []
        for part in split_arguments(fields[1]):
            word = re.fullmatch(r"(\w+)\((.*)\)(@\w+)?", part)
            if not word:
                sys.exit(f"{path}:{number}: {part}: expected name(arguments)")
            ranges.append((word.group(1), split_arguments(word.group(2)), word.group(3)))
        parameters = [p for p in split_arguments(match.group(3)) if p != "void"]
        calls.append({"returns": match.group(1).strip(), "name": match.group(2), "parameters": parameters,
                      "ranges": ranges, "facts": fields[2].split(), "text": fields})
    return calls


def name_of(parameter):
    pointer = re.search(r"\(\*(\w+)\)", parameter)
    return pointer.group(1) if pointer else re.search(r"(\w+)$", parameter).group(1)


# For each kind of range: the statement, and whether it comes before the call.
STATEMENTS = {"r": ("ReadsRange(pc, {0}, {1});", True), "w": ("WritesRange(pc, {0}, {1});", False),
              "rv": ("ReadsPieces(pc, {0}, {1});", True), "wv": ("WritesPieces(pc, {0}, {1}, {2});", False),
              "static": ("WritesRange(pc, result, {0});", False), "reads": ("ReadsState(pc, State::k_{0});", True),
              "writes": ("WritesState(pc, State::k_{0});", True), "printf": ("ReadsPrinted(pc, {0}, copy);", True),
              "scanf": ("WritesScanned(pc, {0}, copy, result);", False),
              "gives": ("detect::WritingEnds({0});", True), "changes": ("detect::FilesChange();", True), "gets": ("if ((int64_t)result >= 0) detect::Readable({0});", False)}


def statements(call, before):
    lines = []
    for kind, arguments, when in call["ranges"]:
        if kind in ("v", "keep", "keepfd", "change"):
            continue
        template, is_before = STATEMENTS[kind]
        is_before = is_before if when is None else when == "@before"
        if is_before == before:
            lines.append("    " + template.format(*arguments))
    return lines


def kept(call, arguments):
    """The call with its result and what it wrote kept by a recording; None when it is not."""
    for kind, words, _ in call["ranges"]:
        if kind == "change":
            paths = ", ".join(re.findall(r"path\((\w+)\)", " ".join(call["facts"])))
            return f"static_cast<{call['returns']}>(KeptChange({{{paths}}}, [&] {{ return static_cast<int64_t>(real({arguments})); }}))"
        if kind not in ("keep", "keepfd"):
            continue
        fd, words = (words[0], words[1:]) if kind == "keepfd" else ("-1", words)
        pointer, room = words if words else ("nullptr", "0")
        size = next((a[1] for k, a, _ in call["ranges"] if k == "w" and a[0] == pointer), "0")
        returns = call["returns"]
        return (f"static_cast<{returns}>(KeptOutside({fd}, {pointer}, {room}, [&] {{ return static_cast<int64_t>(real({arguments})); }}, "
                f"[&]([[maybe_unused]] int64_t whole) {{ [[maybe_unused]] auto result = static_cast<{returns}>(whole); "
                f"return static_cast<int64_t>({size}); }}))")
    return None


def interceptor(call):
    name, returns, parameters = call["name"], call["returns"], call["parameters"]
    variadic = parameters and parameters[-1] == "..."
    target = next((a[0] for k, a, _ in call["ranges"] if k == "v"), name)
    fixed = parameters[:-1] if variadic else parameters
    formatted = any(kind in ("printf", "scanf") for kind, _, _ in call["ranges"])
    arguments = ", ".join([name_of(p) for p in fixed] + (["list"] if variadic else []))
    types = ", ".join(fixed + (["va_list list"] if variadic else []))
    signature = ", ".join(parameters)
    lines = [f"HEDDLE_INTERCEPT {returns} HeddleCall_{name}({signature}) __asm__(\"{name}\");",
             f"{returns} HeddleCall_{name}({signature}) {{",
             f"  using Real = {returns}({types});",
             f"  static Real* const real = reinterpret_cast<Real*>(FindNext(\"{target}\"));",
             *(["  void* pc = HEDDLE_PC;", "  [[maybe_unused]] bool watched = IsWatchedCall(pc);"] if call["ranges"] else [])]
    if variadic:
        lines += ["  va_list list;", f"  va_start(list, {name_of(fixed[-1])});"]
    if formatted:
        lines += ["  va_list copy;", "  va_copy(copy, list);"]
    stream = next((name_of(p) for p in fixed if p.startswith("FILE*")), "stdin" if "stream" in call["facts"] else "")
    lines += [f"  control::NoteStream({stream});"] if stream else []
    lines += ["  if (watched) {", *statements(call, True), "  }"] if statements(call, True) else []
    after = statements(call, False)
    if "outside" in call["facts"] and not kept(call, arguments) and not stream and "repeats" not in call["facts"]:
        lines += ["  static bool told = false;", f'  NoteUnfollowed("{name}", &told);']
    call_text = (kept(call, arguments) or f"real({arguments})") + ";"
    lines.append(f"  {returns} result = {call_text}" if returns != "void" else f"  {call_text}")
    if stream and "outside" in call["facts"]:
        lines.append(f"  if (g_mode == Mode::Detect && !Passive()) detect::StreamRead(REAL(fileno)({stream}));")
    if after:
        lines += ["  if (watched) {", "    KeepErrno keep;", *after, "  }"]
    if formatted:
        lines.append("  va_end(copy);")
    if variadic:
        lines.append("  va_end(list);")
    if returns != "void":
        lines.append("  return result;")
    return "\n".join([*lines, "}"])


# Names that the hooks have for calls of other names.
OTHER_NAMES = ["newstat", "newlstat", "newfstat", "newfstatat", "newuname", "sysctl", "stime", "waitpid", "sigpending",
               "sigprocmask", "nice", "socketcall", "ipc", "old_readdir", "sigaction", "llseek", "oldumount", "umount",
               "stat64", "lstat64", "fstat64", "fstatat64", "statfs64", "fstatfs64", "truncate64", "ftruncate64",
               "fcntl64", "sendfile64", "bdflush", "ni_syscall", "olduname", "old_getrlimit", "stat", "lstat", "fstat",
               "fadvise64_64", "spu_run", "spu_create", "perf_event_open", "pread64", "pwrite64", "select", "mmap_pgoff",
               "old_mmap", "gethostname", "getpagesize", "chown16", "lchown16", "fchown16", "setregid16", "setgid16",
               "setreuid16", "setuid16", "setresuid16", "getresuid16", "setresgid16", "getresgid16", "setfsuid16",
               "setfsgid16", "getgroups16", "setgroups16", "getuid16", "geteuid16", "getgid16", "getegid16"]


def hooks(unistd):
    names = re.findall(r"#define __NR_(\w+)", unistd.read_text())
    return sorted(set(names + OTHER_NAMES))


# Not functions of libc that somebody replaces.
OWN_NAMES = ("__tsan_", "__sanitizer_", "Annotate", "WTFAnnotate", "heddle_", "__heddle_", "__VERIFIER_", "GOMP_", "_Z",
             "ompt_", "omp_", "RunningOnValgrind", "ValgrindSlowdown", "ThreadSanitizerQuery")


def interceptors(exports, generated):
    """Also of names that the map exports by a pattern: those are in PATTERNS."""
    names = re.findall(r"(\w+|\w+\*);", exports.split("global:")[1].split("local:")[0]) + [c["name"] for c in generated]
    return sorted({name for name in names if not name.startswith(OWN_NAMES) and not name.endswith("*")} | set(PATTERNS))


PATTERNS = ["pthread_create", "pthread_join", "pthread_detach", "pthread_mutex_lock", "pthread_mutex_trylock",
            "pthread_mutex_unlock", "pthread_mutex_init", "pthread_mutex_destroy", "pthread_cond_wait",
            "pthread_cond_signal", "pthread_cond_broadcast", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
            "pthread_rwlock_unlock", "pthread_once", "sem_wait", "sem_post"]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_table(calls, out):
    rows = [f"{{{quoted(c['name'])}, {quoted(c['text'][0])}, {quoted(c['text'][1])}, {quoted(c['text'][2])}}}," for c in calls]
    out.mkdir(parents=True, exist_ok=True)
    (out / "calls_table.inc").write_text("\n".join(rows) + "\n")


def main():
    if sys.argv[1] == "--table":
        return write_table(parse(pathlib.Path(sys.argv[2])), pathlib.Path(sys.argv[3]))
    table, exports, unistd, out = (pathlib.Path(argument) for argument in sys.argv[1:5])
    calls = parse(table)
    generated = [call for call in calls if (call["ranges"] or "stream" in call["facts"]) and "hand" not in call["facts"]]
    write_table(calls, out)
    (out / "calls_interceptors.inc").write_text(
        "// NOLINTBEGIN: generated\n" + "\n".join(map(interceptor, generated)) + "\n// NOLINTEND\n")
    (out / "syscall_hooks.inc").write_text("\n".join(f'HEDDLE_HOOK("{name}")' for name in hooks(unistd)) + "\n")
    (out / "interceptor_names.inc").write_text(
        "\n".join(f'HEDDLE_NAME("{name}")' for name in interceptors(exports.read_text(), generated)) + "\n")
    names = "".join(f" {call['name']};" for call in generated)
    (out / "exports.map").write_text(exports.read_text().replace("  local: *;", f"   {names}\n  local: *;"))


main()
