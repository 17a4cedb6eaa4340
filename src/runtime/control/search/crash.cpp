#include "runtime/control/search/crash.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/control/search/explore.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

bool g_catching = false;

// As the kernel knows it.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};
constexpr unsigned long kRestorer = 0x04000000;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

// Never needed: the handler stops its thread or dies.
void NoReturn() { Sys(SYS_exit_group, 1); }

void SetDefault(int signal) {
  KernelAction action{nullptr, kRestorer, NoReturn, 0};
  Sys(SYS_rt_sigaction, signal, &action, nullptr, 8);
}

[[noreturn]] void Die(int signal) {
  SetDefault(signal);
  uint64_t none = 0;
  Sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, 8);
  long process = Sys(SYS_getpid);
  Sys(SYS_tgkill, process, Sys(SYS_gettid), signal);
  Sys(SYS_exit_group, 1);
  __builtin_unreachable();
}

void Caught(int signal, siginfo_t*, void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  StopCrashed(signal, reinterpret_cast<const void*>(registers[REG_RIP]));  // NOLINT: a code address
  Die(signal);
}

bool Never(const void*) { return false; }

}  // namespace

void CatchCrashes() {
  g_catching = true;
  for (int signal : kSignals) {
    KernelAction now{};
    Sys(SYS_rt_sigaction, signal, nullptr, &now, 8);
    if (now.handler != nullptr) continue;  // the program's own business
    KernelAction action{Caught, SA_SIGINFO | SA_NODEFER | kRestorer, NoReturn, 0};
    Sys(SYS_rt_sigaction, signal, &action, nullptr, 8);
  }
}

void StopCrashed(int signal, const void* pc) {
  if (!g_catching || !Controlled() || t_hot.in_runtime != 0) return;
  if (g_link->crash_signal == 0) {
    g_link->crash_signal = static_cast<uint32_t>(signal);
    g_link->crash_step = g_link->events;
  }
  Point point = PointOf(sched::kYield, 0, pc);
  point.ready = Never;
  Take(point);
  for (;;) Block(kForeverKey);
}

void DieIfCrashed() {
  if (g_catching && g_link->crash_signal != 0) Die(static_cast<int>(g_link->crash_signal));
}

}  // namespace heddle::rt::control
