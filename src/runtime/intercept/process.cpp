// The process: fork, exec, exit.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/control/carrier/carrier.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/search/in_place.h"
#include "runtime/control/turn/fork.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/children.h"
#include "runtime/intercept/futex.h"
#include "runtime/intercept/kept_variables.h"
#include "runtime/intercept/limits.h"
#include "runtime/intercept/raw_calls.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

int g_pid = 0;
bool g_ended = false;

// False in a child of vfork, which borrows this process's memory and must leave no trace in it.
bool IsThisProcess() { return control::g_in_place || Sys(SYS_getpid) == g_pid; }

void EndProcess(int code) {
  if (g_mode <= Mode::Off || g_ended || !IsThisProcess()) return;
  g_ended = true;
  RuntimeScope scope;
  if (control::Controlled()) control::EndAll();
  control::NoteProcessEnd(code);
  g_hooks.process_end(code);
}

int StatusOf(int code) { return (code & 0xFF) << 8; }

// Registered before the dynamic linker's own handler, so it runs after every destructor of every library.
void AtExit(int code, void*) {
  EndProcess(code);
  if (!control::g_in_place) return;
  fflush(nullptr);
  control::EndInPlace(StatusOf(code));
}

int g_quick_code = 0;

// Registered first, so it runs behind the program's own handlers; libc's own `_exit` follows, which nobody sees.
void AtQuickExit() {
  EndProcess(g_quick_code);
  if (control::g_in_place) control::EndInPlace(StatusOf(g_quick_code));
}

// Around fork, as handlers of pthread_atfork: registered first, so the runtime's locks are taken after the program's
// own handlers have run (they may wait for threads that record) and are free again before those that follow.
void BeforeFork() {
  if (control::On() && t_hot.in_runtime == 0) control::BeforeFork();
  RuntimeScope::Enter();
  LockHandles();
  g_hooks.fork_before();
}
void AfterFork(bool in_child) {
  UnlockHandles();
  if (in_child && control::On()) control::ChildBegins();
  if (in_child) g_pid = static_cast<int>(Sys(SYS_getpid));
  if (in_child) ForgetOtherHandles(pthread_self());
  g_hooks.fork_after(in_child);
  RuntimeScope::Leave();
  if (control::On()) control::AfterFork(in_child);
}
void AfterForkInParent() { AfterFork(false); }
void AfterForkInChild() { AfterFork(true); }

// A copy of the process made by clone, which runs no handlers of libc. `Sharing` memory, it is a thread or a child as
// vfork makes them, and passed on.
bool SharesMemory(long flags) { return (flags & CLONE_VM) != 0; }
bool CopiesProcess(long number, const long a[6]) {
  return number == SYS_fork || (number == SYS_clone && !SharesMemory(a[0]) && a[1] == 0);
}
template <typename Call>
long CopyProcess(Call call) {
  BeforeFork();
  long child = call();
  int error = errno;
  AfterFork(child == 0);
  errno = error;
  if (child == 0) return 0;
  long made = child;
  child = Kept(control::DemoCall::kIds, nullptr, 0, [&] { return made; });
  if (child > 0) NoteChild(static_cast<pid_t>(child), static_cast<pid_t>(made));
  return child;
}

struct CloneStart {
  int (*start)(void*);
  void* argument;
};
int CloneMain(void* value) {
  CloneStart given = *static_cast<CloneStart*>(value);
  AfterFork(true);
  return given.start(given.argument);
}

}  // namespace

namespace heddle::rt {

void IsCopy() { g_pid = static_cast<int>(Sys(SYS_getpid)); }

void StartProcess() {
  g_pid = static_cast<int>(Sys(SYS_getpid));
  on_exit(AtExit, nullptr);
  at_quick_exit(AtQuickExit);
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
}

}  // namespace heddle::rt

// A child's id in the recording has to be the one that fork returns, so there vfork is fork (as it may be). Otherwise
// the real one must be entered without a frame of ours, since it returns twice.
extern "C" __attribute__((visibility("hidden"))) void* HeddleVforkTarget() {
  bool recorded = !Passive() && control::g_demo != control::Demo::Off;
  static void* const real = FindNext("vfork");
  return recorded ? reinterpret_cast<void*>(&fork) : real;
}
asm(R"(
.text
.globl vfork
.type vfork,@function
vfork:
  .cfi_startproc
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call HeddleVforkTarget
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
.size vfork, .-vfork
)");

HEDDLE_INTERCEPT pid_t fork() noexcept {
  if (Passive()) return REAL(fork)();
  pid_t child = REAL(fork)();
  int error = errno;
  if (child != 0) {
    if (child < 0) control::ForkFailed();
    pid_t made = child;
    errno = error;
    child = static_cast<pid_t>(Kept(control::DemoCall::kIds, nullptr, 0, [&] { return made; }));
    error = errno;
    if (child > 0) NoteChild(child, made);
  }
  if (child > 0) Commit(MakeOp(Kind::ProcessFork, nullptr, HEDDLE_PC, static_cast<uint64_t>(child)));
  errno = error;
  return child;
}

HEDDLE_INTERCEPT int clone(int (*start)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list list;
  va_start(list, argument);
  void* more[3];
  for (void*& value : more) value = va_arg(list, void*);
  va_end(list);
  static auto* const real = reinterpret_cast<decltype(&clone)>(FindNext("clone"));
  if (Passive() || SharesMemory(flags)) return real(start, stack, flags, argument, more[0], more[1], more[2]);
  CloneStart given{start, argument};
  BeforeFork();
  int child = real(CloneMain, stack, flags, &given, more[0], more[1], more[2]);
  int error = errno;
  AfterFork(false);
  errno = error;
  pid_t made = child;
  child = static_cast<pid_t>(Kept(control::DemoCall::kIds, nullptr, 0, [&] { return made; }));
  if (child > 0) NoteChild(child, made);
  return child;
}

// A replay executes other programs only where the kernel keeps them from writing files, and not for one process alone.
static void EndInsteadOfExec(const char* path) {
  if (control::OneProcess()) {
    Message("replay: the process executes another program here: ", path);
    control::EndAsExecuted();
  }
  if (!control::GuardsFiles() || control::KernelGuardsFiles()) return;
  Message("replay: is not executed again: ", path);
  _exit(0);
}
// `call` executes with the environment that it is given; it returns when that failed, and a recording keeps that it
// did.
template <typename Call>
static int Executing(const char* path, char* const environment[], const void* pc, Call call) {
  if (Passive() || !IsThisProcess()) return call(environment);
  Commit(MakeOp(Kind::ProcessExec, nullptr, pc));
  int64_t failed = 0;
  if (control::g_demo == control::Demo::Play && control::PlayBack(control::DemoCall::kOutside, &failed, nullptr, 0)) {
    return static_cast<int>(failed);
  }
  EndInsteadOfExec(path);
  control::NoteProcessExec(true);
  int result = WithKeptVariables(environment, call);
  int error = errno;
  control::NoteProcessExec(false);
  if (control::g_demo == control::Demo::Record) {
    control::Keep(control::DemoCall::kOutside, result, error, nullptr, 0, 0);
  }
  errno = error;
  return result;
}
HEDDLE_INTERCEPT int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  return Executing(path, environment, HEDDLE_PC,
                   [&](char* const* variables) { return REAL(execve)(path, arguments, variables); });
}
HEDDLE_INTERCEPT int execv(const char* path, char* const arguments[]) noexcept {
  return Executing(path, environ, HEDDLE_PC,
                   [&](char* const* variables) { return REAL(execve)(path, arguments, variables); });
}
static int ExecuteFound(const char* file, char* const arguments[], char* const environment[], const void* pc) {
  using Real = int(const char*, char* const*, char* const*);
  static auto* const real = reinterpret_cast<Real*>(FindNext("execvpe"));
  return Executing(file, environment, pc, [&](char* const* variables) { return real(file, arguments, variables); });
}
HEDDLE_INTERCEPT int execvp(const char* file, char* const arguments[]) noexcept {
  return ExecuteFound(file, arguments, environ, HEDDLE_PC);
}
HEDDLE_INTERCEPT int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  return ExecuteFound(file, arguments, environment, HEDDLE_PC);
}
HEDDLE_INTERCEPT int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
  using Real = int(int, char* const*, char* const*);
  static auto* const real = reinterpret_cast<Real*>(FindNext("fexecve"));
  return Executing(arguments[0], environment, HEDDLE_PC,
                   [&](char* const* variables) { return real(fd, arguments, variables); });
}

// The words of execl up to the null that ends them, on the caller's stack; behind it execle has the environment.
static constexpr int kMaxWords = 4096;
static bool CollectWords(const char* first, va_list list, char** words) {
  int count = 0;
  for (const char* word = first; count < kMaxWords; word = va_arg(list, const char*)) {
    words[count++] = const_cast<char*>(word);
    if (word == nullptr) return true;
  }
  errno = E2BIG;
  return false;
}
#define HEDDLE_EXECL(name, call)                                                 \
  HEDDLE_INTERCEPT int name(const char* path, const char* first, ...) noexcept { \
    char* words[kMaxWords];                                                      \
    va_list list;                                                                \
    va_start(list, first);                                                       \
    bool fits = CollectWords(first, list, words);                                \
    [[maybe_unused]] char** environment = fits ? va_arg(list, char**) : nullptr; \
    va_end(list);                                                                \
    return fits ? call : -1;                                                     \
  }
#define HEDDLE_EXECL_PLAIN(name, call)                                           \
  HEDDLE_INTERCEPT int name(const char* path, const char* first, ...) noexcept { \
    char* words[kMaxWords];                                                      \
    va_list list;                                                                \
    va_start(list, first);                                                       \
    bool fits = CollectWords(first, list, words);                                \
    va_end(list);                                                                \
    return fits ? call : -1;                                                     \
  }
HEDDLE_EXECL_PLAIN(execl, execv(path, words))
HEDDLE_EXECL_PLAIN(execlp, execvp(path, words))
HEDDLE_EXECL(execle, execve(path, words, environment))
HEDDLE_INTERCEPT void _exit(int code) {
  EndProcess(code);
  if (control::g_in_place) control::EndInPlace(StatusOf(code));
  Sys(SYS_exit_group, code);
  __builtin_unreachable();
}
HEDDLE_INTERCEPT void _Exit(int code) noexcept { _exit(code); }
HEDDLE_INTERCEPT void quick_exit(int code) noexcept {
  static auto* const real = reinterpret_cast<decltype(&quick_exit)>(FindNext("quick_exit"));
  g_quick_code = code;
  real(code);
  __builtin_unreachable();
}

HEDDLE_INTERCEPT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& value : a) value = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && !Passive()) return Futex({a[0], a[1], a[2], a[3], a[4], a[5]}, HEDDLE_PC);
  if (number == SYS_seccomp && !Passive()) NoteSeccomp();
  if (number == SYS_close_range)
    return close_range(static_cast<unsigned>(a[0]), static_cast<unsigned>(a[1]), static_cast<int>(a[2]));
  if (!Passive() && CopiesProcess(number, a)) {
    return CopyProcess([&] { return Sys(number, a[0], a[1], a[2], a[3], a[4], a[5]); });
  }
  OnBehalfOf caller(HEDDLE_PC);
  long result = 0;
  if (!Passive() && CallByNumber(number, a, &result)) return result;
  return Sys(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
