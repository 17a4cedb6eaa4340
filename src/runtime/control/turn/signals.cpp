#include "runtime/control/turn/signals.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/timer.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

bool AsRecorded() { return g_demo == Demo::Play && Replaying(); }

// Signals of one number that wait count once, as they do in the kernel (but for those of real-time numbers).
bool Waits(const PendingSignal* list, uint32_t count, int number) {
  for (uint32_t i = 0; i < count && number < SIGRTMIN; ++i) {
    if (list[i].number == number) return true;
  }
  return false;
}

// Takes the first that `mask` does not block out of a list of `count`.
bool TakeOut(PendingSignal* list, uint32_t* count, const sigset_t& mask, PendingSignal* out) {
  for (uint32_t i = 0; i < *count; ++i) {
    if (sigismember(&mask, list[i].number) == 1) continue;
    *out = list[i];
    --*count;
    for (; i < *count; ++i) list[i] = list[i + 1];
    return true;
  }
  return false;
}

// New signals must not touch the thread's list while it is read.
bool TakePending(ControlThread* self, PendingSignal* out) {
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  auto count = static_cast<uint32_t>(self->thread->pending_count);
  bool found = TakeOut(self->sent, &self->sent_count, mask, out) || TakeOut(self->thread->pending, &count, mask, out);
  self->thread->pending_count = static_cast<int>(count);
  t_hot.pending = count > 0 ? 1 : 0;
  self->has_signal.store(found && (count > 0 || self->sent_count > 0));
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return found;
}

}  // namespace

void SignalCame(int number, const siginfo_t* info) {
  Thread* thread = t_hot.thread;
  if (AsRecorded()) return;
  auto count = static_cast<uint32_t>(thread->pending_count);
  if (count < kMaxPending && !Waits(thread->pending, count, number)) {
    thread->pending[count] = {number, *info};
    ++thread->pending_count;
  }
  t_hot.pending = 1;
  thread->control->has_signal.store(true);
  SignalArrived();
}

void SendSignal(ControlThread* target, int number) {
  if (AsRecorded() || target->sent_count == kMaxSent || Waits(target->sent, target->sent_count, number)) return;
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_TKILL;
  info.si_pid = static_cast<pid_t>(Sys(SYS_getpid));
  info.si_uid = static_cast<uid_t>(Sys(SYS_getuid));
  target->sent[target->sent_count++] = {number, info};
  target->has_signal.store(true);
  SpinHolder hold(g_lock);
  if (target->blocked) Enable(target);
}

bool NextSignal(ControlThread* self, PendingSignal* out) {
  if (self->point.operation == sched::Code(Kind::ThreadBegin) ||
      self->point.operation == sched::Code(Kind::ProcessExit)) {
    return false;
  }
  if (Replaying() && !HandlerIsNext(self)) return false;
  if (AsRecorded()) return PlaySignal(self, out);
  if (t_hot.pending == 0 && self->sent_count == 0) {
    // It came from the timer that expired because nobody could go on.
    if (!Replaying() || !ExpireTimer() || self->sent_count == 0) return false;
  }
  if (!TakePending(self, out)) return false;
  if (g_demo == Demo::Record) KeepSignal(self, *out);
  return true;
}

bool Interrupted(const ControlThread* self, bool restarts) {
  return restarts ? self->signals.interrupting != self->signals_at_take.interrupting
                  : self->signals.all != self->signals_at_take.all;
}

}  // namespace heddle::rt::control
