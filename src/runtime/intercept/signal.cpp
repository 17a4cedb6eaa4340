// Signals. The target's handlers run through ours: one that comes while the runtime is at work waits until it is done
// (synchronous faults cannot wait); what a handler does is recorded apart from what it interrupted.
#include <signal.h>

#include <cerrno>
#include <cstring>

#include "runtime/control/turn/signals.h"
#include "runtime/control/turn/watchdog.h"
#include "runtime/detect/sync_ops.h"
#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/signals/handlers.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {
namespace {

bool MayBeFault(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}
bool IsFault(int number, const siginfo_t* info) { return MayBeFault(number) && info != nullptr && info->si_code > 0; }

void Handler(int number, siginfo_t* info, void* context) {
  if (control::Controlled() && !IsFault(number, info)) return control::SignalCame(number, info);
  if (t_hot.in_runtime != 0 && t_hot.thread != nullptr && !IsFault(number, info)) {
    Thread* thread = t_hot.thread;
    if (thread->pending_count < kMaxPending) {
      thread->pending[thread->pending_count] = {number, *info};
      ++thread->pending_count;
      t_hot.pending = 1;
    }
    return;
  }
  if (t_hot.in_runtime != 0) return CallHandler(number, info, context);
  RunHandler(number, info, context);
}

}  // namespace

void RuntimeScope::DeliverPending() {
  Thread* thread = t_hot.thread;
  if (thread == nullptr || control::Controlled()) return;  // control/turn/signals.h
  int error = errno;
  // New signals must not touch the list while it is read.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  while (t_hot.pending != 0) {
    pthread_sigmask(SIG_BLOCK, &all, &before);
    PendingSignal first = thread->pending[0];
    --thread->pending_count;
    for (int i = 0; i < thread->pending_count; ++i) thread->pending[i] = thread->pending[i + 1];
    t_hot.pending = thread->pending_count > 0 ? 1 : 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    RunHandlerOf(first);
  }
  errno = error;
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
  if (Passive() || number <= 0 || number >= kSignals) return REAL(sigaction)(number, action, old);
  RuntimeScope scope;
  DispositionsHolder hold;
  struct sigaction ours{};
  bool handled = false;
  if (action != nullptr) {
    ours = *action;
    handled = IsHandler(*action);
    if (handled) {
      ours.sa_sigaction = Handler;
      ours.sa_flags |= SA_SIGINFO;
      // Under control ours only notes the signal, and must not be interrupted at that.
      if (control::On() && !MayBeFault(number)) sigfillset(&ours.sa_mask);
    }
  }
  if (handled && g_mode == Mode::Detect) detect::HandlerInstalled(number);
  struct sigaction kernel{};
  struct sigaction program = Disposition(number);
  if (action != nullptr) SetDisposition(number, *action);
  int result = REAL(sigaction)(number, action != nullptr ? &ours : nullptr, &kernel);
  if (result != 0) {
    SetDisposition(number, program);
    return result;
  }
  if (handled && control::On()) control::StartWatchdog();  // a thread that computes must run it all the same
  bool was_ours = (kernel.sa_flags & SA_SIGINFO) != 0 && kernel.sa_sigaction == Handler;
  if (old != nullptr) *old = was_ours ? program : kernel;
  return 0;
}

static sighandler_t SetHandler(int number, sighandler_t handler, int flags) {
  struct sigaction action{};
  struct sigaction old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
HEDDLE_INTERCEPT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (Passive()) return REAL(signal)(number, handler);
  return SetHandler(number, handler, SA_RESTART);
}
HEDDLE_INTERCEPT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return SetHandler(number, handler, SA_RESTART);
}
HEDDLE_INTERCEPT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return SetHandler(number, handler, SA_RESTART);
}
// What `signal` is in programs that ask for X/Open: the handler runs once, and calls that it interrupts fail.
HEDDLE_INTERCEPT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return SetHandler(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
HEDDLE_INTERCEPT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  return SetHandler(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
// The older interface: the mask is changed with the handler.
HEDDLE_INTERCEPT sighandler_t sigset(int number, sighandler_t handler) noexcept {
  sigset_t one;
  sigset_t before;
  sigemptyset(&one);
  if (sigaddset(&one, number) != 0) return SIG_ERR;
  bool hold = handler == SIG_HOLD;
  struct sigaction old{};
  bool failed = hold && sigaction(number, nullptr, &old) != 0;
  if (!hold) old.sa_handler = SetHandler(number, handler, 0);
  if (failed || old.sa_handler == SIG_ERR) return SIG_ERR;
  pthread_sigmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
  return sigismember(&before, number) == 1 ? SIG_HOLD : old.sa_handler;
}
HEDDLE_INTERCEPT int siginterrupt(int number, int interrupts) noexcept {
  struct sigaction action{};
  if (sigaction(number, nullptr, &action) != 0) return -1;
  action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return sigaction(number, &action, nullptr);
}

// A jump out of a handler ends it.
static void LeaveHandlers() {
  while (t_hot.thread != nullptr && t_hot.thread->handlers > 0) LeaveHandler(t_hot.thread);
}
HEDDLE_INTERCEPT void longjmp(jmp_buf buffer, int value) noexcept {
  LeaveHandlers();
  REAL(longjmp)(buffer, value);
  __builtin_unreachable();
}
HEDDLE_INTERCEPT void _longjmp(jmp_buf buffer, int value) noexcept {
  LeaveHandlers();
  REAL(longjmp)(buffer, value);
  __builtin_unreachable();
}
HEDDLE_INTERCEPT void __longjmp_chk(jmp_buf buffer, int value) noexcept {  // of fortified programs
  LeaveHandlers();
  REAL(longjmp)(buffer, value);
  __builtin_unreachable();
}
HEDDLE_INTERCEPT void siglongjmp(sigjmp_buf buffer, int value) noexcept {
  LeaveHandlers();
  REAL(siglongjmp)(buffer, value);
  __builtin_unreachable();
}
