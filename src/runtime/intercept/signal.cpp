// Signals. The target's handlers run through ours: one that comes while the runtime is at work waits until it is done
// (synchronous faults cannot wait); what a handler does is recorded apart from what it interrupted.
#include <signal.h>

#include <cerrno>
#include <cstring>

#include "runtime/control/signals.h"
#include "runtime/control/watchdog.h"
#include "runtime/intercept/handlers.h"
#include "runtime/intercept/real.h"
#include "runtime/mode.h"
#include "runtime/spin.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {
namespace {

constexpr int kSignals = 65;
struct sigaction g_actions[kSignals];  // what the program asked for
SpinLock g_actions_lock;
bool g_handlers_installed = false;

bool MayBeFault(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP;
}
bool IsFault(int number, const siginfo_t* info) { return MayBeFault(number) && info != nullptr && info->si_code > 0; }

void CallHandler(int number, siginfo_t* info, void* context) {
  OnBehalfOf nobody(nullptr);
  struct sigaction action = g_actions[number];
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(number);
  }
}

// Undoes the innermost handler's bookkeeping.
void LeaveHandler(Thread* thread) {
  RuntimeScope scope;
  Interrupted& saved = thread->interrupted[thread->handlers - 1];
  g_hooks.signal_end(saved.number);
  t_hot.recorder = saved.recorder;
  t_hot.run_start = saved.run_start;
  t_hot.top = saved.top;
  t_hot.bottom = saved.bottom;
  --thread->handlers;
}

void RunHandler(int number, siginfo_t* info, void* context) {
  Thread* thread = t_hot.thread;
  if (thread == nullptr || thread->handlers == kMaxHandlers) return CallHandler(number, info, context);
  int error = errno;
  int depth = thread->handlers;
  {
    RuntimeScope scope;
    thread->interrupted[depth] = {t_hot.recorder, t_hot.run_start, t_hot.top, t_hot.bottom, number};
    ++thread->handlers;
    t_hot.top += 2;  // the interrupted code may be about to write the next frame
    t_hot.bottom = t_hot.top;
    g_hooks.signal_begin(number);
  }
  CallHandler(number, info, context);
  if (thread->handlers == depth + 1) LeaveHandler(thread);
  errno = error;
}

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

bool HandlersInstalled() { return __atomic_load_n(&g_handlers_installed, __ATOMIC_RELAXED); }

bool IsHandled(int number) {
  if (number <= 0 || number >= kSignals) return false;
  const struct sigaction& action = g_actions[number];
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool HandlerRestarts(int number) { return (g_actions[number].sa_flags & SA_RESTART) != 0; }

const void* HandlerCode(int number) {
  // Code addresses are those behind calls; this one should be looked up in the handler and not before it.
  return reinterpret_cast<const char*>(g_actions[number].sa_handler) + 1;
}

void RunHandlerOf(PendingSignal& signal) {
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  sigset_t during = before;
  for (int i = 1; i < kSignals; ++i) {
    if (sigismember(&g_actions[signal.number].sa_mask, i) == 1) sigaddset(&during, i);
  }
  if ((g_actions[signal.number].sa_flags & SA_NODEFER) == 0) sigaddset(&during, signal.number);
  pthread_sigmask(SIG_SETMASK, &during, nullptr);
  RunHandler(signal.number, &signal.info, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void RuntimeScope::DeliverPending() {
  Thread* thread = t_hot.thread;
  if (thread == nullptr || control::Controlled()) return;  // control/signals.h
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
  SpinHolder hold(g_actions_lock);
  struct sigaction ours{};
  bool handled = false;
  if (action != nullptr) {
    ours = *action;
    handled = (action->sa_flags & SA_SIGINFO) != 0 || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
    if (handled) {
      __atomic_store_n(&g_handlers_installed, true, __ATOMIC_RELAXED);
      ours.sa_sigaction = Handler;
      ours.sa_flags |= SA_SIGINFO;
      // Under control ours only notes the signal, and must not be interrupted at that.
      if (control::On() && !MayBeFault(number)) sigfillset(&ours.sa_mask);
    }
  }
  struct sigaction kernel{};
  struct sigaction program = g_actions[number];
  if (action != nullptr) g_actions[number] = *action;
  int result = REAL(sigaction)(number, action != nullptr ? &ours : nullptr, &kernel);
  if (result != 0) {
    g_actions[number] = program;
    return result;
  }
  if (handled && control::On()) control::StartWatchdog();  // a thread that computes must run it all the same
  bool was_ours = (kernel.sa_flags & SA_SIGINFO) != 0 && kernel.sa_sigaction == Handler;
  if (old != nullptr) *old = was_ours ? program : kernel;
  return 0;
}

HEDDLE_INTERCEPT sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (Passive()) return REAL(signal)(number, handler);
  struct sigaction action{};
  struct sigaction old{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
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
HEDDLE_INTERCEPT void siglongjmp(sigjmp_buf buffer, int value) noexcept {
  LeaveHandlers();
  REAL(siglongjmp)(buffer, value);
  __builtin_unreachable();
}
