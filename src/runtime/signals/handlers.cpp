// What the program asked for each signal, and the running of its handlers: what a handler does is recorded apart from
// what it interrupted. Who decides when a handler runs is above: intercept/signal.cpp, or the scheduler.
#include "runtime/signals/handlers.h"

#include <cerrno>

#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/spin.h"

namespace heddle::rt {
namespace {

struct sigaction g_actions[kSignals];  // what the program asked for
SpinLock g_actions_lock;
bool g_handlers_installed = false;

}  // namespace

// SA_RESETHAND: the kernel has taken it away when the signal came through it; one that the runtime sent has not.
static void ForgetHandler(int number) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  g_actions[number] = standard;
  REAL(sigaction)(number, &standard, nullptr);
}

void CallHandler(int number, siginfo_t* info, void* context) {
  OnBehalfOf nobody(nullptr);
  struct sigaction action = g_actions[number];
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) ForgetHandler(number);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(number);
  }
}

void LeaveHandler(Thread* thread) {
  RuntimeScope scope;
  Interrupted& saved = thread->interrupted[thread->handlers - 1];
  g_hooks.signal_end(saved.number);
  t_hot.recorder = saved.recorder;
  t_hot.run_start = saved.run_start;
  t_hot.top = saved.top;
  t_hot.bottom = saved.bottom;
  t_hot.ignore = saved.ignore;
  --thread->handlers;
}

void RunHandler(int number, siginfo_t* info, void* context) {
  Thread* thread = t_hot.thread;
  if (thread == nullptr || thread->handlers == kMaxHandlers) return CallHandler(number, info, context);
  int error = errno;
  int depth = thread->handlers;
  {
    RuntimeScope scope;
    bool directed = info != nullptr && info->si_code == SI_TKILL;
    thread->interrupted[depth] = {t_hot.recorder, t_hot.run_start, t_hot.top, t_hot.bottom,
                                  t_hot.ignore,   number,          directed};
    ++thread->handlers;
    t_hot.ignore = 0;
    t_hot.top += 2;  // the interrupted code may be about to write the next frame
    t_hot.bottom = t_hot.top;
    g_hooks.signal_begin(number);
  }
  CallHandler(number, info, context);
  if (thread->handlers == depth + 1) LeaveHandler(thread);
  errno = error;
}

bool HandlersInstalled() { return __atomic_load_n(&g_handlers_installed, __ATOMIC_RELAXED); }

bool IsHandled(int number) {
  if (number <= 0 || number >= kSignals) return false;
  return IsHandler(g_actions[number]);
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

DispositionsHolder::DispositionsHolder() { g_actions_lock.Lock(); }
DispositionsHolder::~DispositionsHolder() { g_actions_lock.Unlock(); }

bool IsHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

struct sigaction Disposition(int number) { return g_actions[number]; }

void SetDisposition(int number, const struct sigaction& action) {
  if (IsHandler(action)) __atomic_store_n(&g_handlers_installed, true, __ATOMIC_RELAXED);
  g_actions[number] = action;
}

}  // namespace heddle::rt
