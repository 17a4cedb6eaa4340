// Sending signals and waiting for them. What comes before sending is known to who waits for it. Under controlled
// scheduling (control/turn/signals.h) a thread that waits for a signal is blocked in the scheduler, and what the
// program sends to itself does not pass through the kernel.
#include <sys/syscall.h>

#include "runtime/control/search/crash.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/signals.h"
#include "runtime/control/turn/timer.h"
#include "runtime/detect/sync_ops.h"
#include "runtime/intercept/away.h"
#include "runtime/libc/real.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

using control::DemoCall;

bool OnFiber() { return !Uncontrolled() && control::g_carrier->is_fiber(); }
// A fiber's kernel thread sleeps with all signals blocked: what must go through the kernel goes to the one that
// carries.
int SendToCarrier(int number) {
  auto process = Sys(SYS_getpid);
  return static_cast<int>(Sys(SYS_tgkill, process, process, number));
}

// Until a handler has run.
int AwaitHandler(const void* pc) {
  control::Take(CallPoint(pc));
  control::ControlThread* self = control::Self();
  while (!control::Interrupted(self, false)) {
    self->by_signal = true;
    control::Block(control::kForeverKey);
    self->by_signal = false;
  }
  control::Done(Outcome::Error, true);
  errno = EINTR;
  return -1;
}

bool BlockedHere(int number) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, number) == 1;
}

// The handler has run when this returns.
int SendToSelf(int number, int code, const void* pc) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = code;
  info.si_pid = static_cast<pid_t>(Sys(SYS_getpid));
  info.si_uid = static_cast<uid_t>(Sys(SYS_getuid));
  {
    RuntimeScope scope;
    sigset_t all;
    sigset_t mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    control::SignalCame(number, &info);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }
  return control::CallInTurn(heddle::sched::kCall, 0, pc, [] { return 0; });
}

// Waits for one of `set`, which are blocked. `span` null: without end.
int AwaitSignal(const sigset_t* set, siginfo_t* info, const timespec* span, const void* pc) {
  control::Take(CallPoint(pc));
  control::ControlThread* self = control::Self();
  auto attempt = [&] {
    timespec now{0, 0};
    return static_cast<int64_t>(Sys(SYS_rt_sigtimedwait, set, info, &now, sizeof(uint64_t)));
  };
  iovec piece{info, sizeof *info};
  int64_t number = 0;
  if (control::WillPlayBack(DemoCall::kWait)) {
    control::PlayBack(DemoCall::kWait, &number, &piece, 1);
  } else {
    number = attempt();
    while (number < 0 && errno == EAGAIN && span == nullptr && !control::Interrupted(self, false)) {
      self->by_signal = self->for_signal = true;
      control::Block(control::kSignalKey);
      self->by_signal = self->for_signal = false;
      number = attempt();
    }
    if (number < 0 && errno == EAGAIN && control::Interrupted(self, false)) errno = EINTR;
    if (number < 0 && errno == EAGAIN)
      control::PassTime(self, control::LogicalOf(CLOCK_MONOTONIC, control::Later(CLOCK_MONOTONIC, *span)));
    int error = errno;
    if (control::g_demo == control::Demo::Record)
      control::Keep(DemoCall::kWait, number, error, &piece, 1, sizeof *info);
    errno = error;
  }
  int error = errno;
  control::Done(number < 0 ? Outcome::Error : Outcome::Success, number < 0);
  errno = error;
  return static_cast<int>(number);
}

// In real time the kernel waits.
int AwaitSignalAway(const sigset_t* set, siginfo_t* info, const timespec* span, const void* pc) {
  return Away(pc, [&] {
    return static_cast<int>(Kept(DemoCall::kWait, info, sizeof *info,
                                 [&] { return Sys(SYS_rt_sigtimedwait, set, info, span, sizeof(uint64_t)); }));
  });
}

int Await(const sigset_t* set, siginfo_t* info, const timespec* span, const void* pc) {
  siginfo_t own{};
  siginfo_t* out = info == nullptr ? &own : info;
  return control::g_virtual_time ? AwaitSignal(set, out, span, pc) : AwaitSignalAway(set, out, span, pc);
}

// Sends a signal that the program does not handle, or to another process; a replay of a recording does not.
template <typename Call>
int SendOut(const void* pc, Call call) {
  return control::CallInTurn(heddle::sched::kCall, 0, pc, [&] {
    auto result = static_cast<int>(KeptInTurn(DemoCall::kWait, nullptr, 0, call));
    control::Wake(control::kSignalKey);
    return result;
  });
}

// The edge from whoever sends a signal to whoever waits for it; handlers have none (detect/sync_ops.h).
void Sending(int number) {
  if (g_mode != Mode::Detect || number <= 0 || number >= kSignals || Passive()) return;
  RuntimeScope scope;
  detect::SignalSent(number);
}
int Received(int number) {
  if (g_mode != Mode::Detect || number <= 0 || number >= kSignals || Passive()) return number;
  RuntimeScope scope;
  detect::SignalTaken(number);
  return number;
}

}  // namespace

HEDDLE_INTERCEPT int pause() {
  if (Uncontrolled()) return REAL(pause)();
  return AwaitHandler(HEDDLE_PC);
}
HEDDLE_INTERCEPT int sigsuspend(const sigset_t* mask) {
  if (Uncontrolled()) return REAL(sigsuspend)(mask);
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, mask, &before);
  int result = AwaitHandler(HEDDLE_PC);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}
HEDDLE_INTERCEPT int sigwait(const sigset_t* set, int* number) {
  if (Uncontrolled()) {
    int error = REAL(sigwait)(set, number);
    if (error == 0) Received(*number);
    return error;
  }
  int got = -1;
  do {
    got = Await(set, nullptr, nullptr, HEDDLE_PC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno;
  *number = Received(got);
  return 0;
}
HEDDLE_INTERCEPT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return Received(Uncontrolled() ? REAL(sigwaitinfo)(set, info) : Await(set, info, nullptr, HEDDLE_PC));
}
HEDDLE_INTERCEPT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* span) {
  return Received(Uncontrolled() ? REAL(sigtimedwait)(set, info, span) : Await(set, info, span, HEDDLE_PC));
}

HEDDLE_INTERCEPT int raise(int number) noexcept {
  Sending(number);
  if (Uncontrolled()) return REAL(raise)(number);
  control::NoteSharedGap("a signal is sent (raise)");
  if (IsHandled(number)) return SendToSelf(number, SI_TKILL, HEDDLE_PC);
  return OnFiber() ? SendToCarrier(number) : REAL(raise)(number);
}
HEDDLE_INTERCEPT int kill(pid_t process, int number) noexcept {
  Sending(number);
  if (Uncontrolled()) return REAL(kill)(process, number);
  // Whether there is such a process.
  if (number == 0)
    return static_cast<int>(Kept(DemoCall::kWait, nullptr, 0, [&] { return REAL(kill)(process, number); }));
  control::NoteSharedGap("a signal is sent (kill)");
  bool own = process == getpid();
  if (own && IsHandled(number) && !BlockedHere(number)) return SendToSelf(number, SI_USER, HEDDLE_PC);
  if (own && !IsHandled(number)) process = static_cast<pid_t>(Sys(SYS_getpid));  // as the kernel knows it
  return SendOut(HEDDLE_PC, [&] { return REAL(kill)(process, number); });
}
HEDDLE_INTERCEPT int pthread_kill(pthread_t handle, int number) noexcept {
  Sending(number);
  if (Uncontrolled() || number == 0) return REAL(pthread_kill)(handle, number);
  control::NoteSharedGap("a signal is sent (pthread_kill)");
  bool self = pthread_equal(handle, pthread_self()) != 0;
  if (self && IsHandled(number)) return SendToSelf(number, SI_TKILL, HEDDLE_PC);
  control::ControlThread* target = control::ThreadOfNumber(NumberOf(handle));
  if (target != nullptr && IsHandled(number) && control::g_virtual_time) {
    return control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [&] {
      control::SendSignal(target, number);
      return 0;
    });
  }
  return SendOut(HEDDLE_PC, [&] {
    if (!OnFiber()) return REAL(pthread_kill)(handle, number);
    return SendToCarrier(number) == 0 ? 0 : errno;
  });
}

// With a value. Under control they pass through the kernel.
HEDDLE_INTERCEPT int sigqueue(pid_t process, int number, const sigval value) noexcept {
  static auto* const real = reinterpret_cast<int (*)(pid_t, int, sigval)>(FindNext("sigqueue"));
  Sending(number);
  return real(process, number, value);
}
HEDDLE_INTERCEPT int pthread_sigqueue(pthread_t handle, int number, const sigval value) noexcept {
  static auto* const real = reinterpret_cast<int (*)(pthread_t, int, sigval)>(FindNext("pthread_sigqueue"));
  Sending(number);
  return real(handle, number, value);
}
HEDDLE_INTERCEPT int killpg(pid_t group, int number) noexcept {
  static auto* const real = reinterpret_cast<int (*)(pid_t, int)>(FindNext("killpg"));
  Sending(number);
  return real(group, number);
}

HEDDLE_INTERCEPT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) noexcept {
  if (Uncontrolled()) return REAL(setitimer)(which, value, old);
  if (which == ITIMER_REAL && control::g_virtual_time) {
    return control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [&] {
      control::SetTimer(value, old);
      return 0;
    });
  }
  return static_cast<int>(Kept(DemoCall::kWait, old, sizeof *old, [&] { return REAL(setitimer)(which, value, old); }));
}
HEDDLE_INTERCEPT unsigned alarm(unsigned seconds) noexcept {
  if (Uncontrolled()) return REAL(alarm)(seconds);
  itimerval value{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval old{};
  setitimer(ITIMER_REAL, &value, &old);
  return static_cast<unsigned>(old.it_value.tv_sec + (old.it_value.tv_usec != 0 ? 1 : 0));
}

// For the report: what failed, and where.
static void NoteAssertion(const char* what, const char* file, unsigned line, const char* function) {
  if (Passive() || control::Exploring() || t_hot.thread == nullptr) return;
  static FindingsText text;
  static SpinLock lock;
  RuntimeScope scope;
  SpinHolder hold(lock);
  text.Reset();
  text.Add(FindingLine::kAssertion).Number(t_hot.thread->number).Number(line).Line();
  text.Add(FindingLine::kFile).Add(file == nullptr ? "?" : file).Line();
  text.Add(FindingLine::kFunction).Add(function == nullptr ? "?" : function).Line();
  text.Add(FindingLine::kText).Add(what == nullptr ? "?" : what).Line();
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
}

HEDDLE_INTERCEPT void abort() noexcept {
  if (control::Exploring() && !IsHandled(SIGABRT)) control::StopCrashed(SIGABRT, HEDDLE_PC);
  if (OnFiber()) {
    SendToCarrier(SIGABRT);
    signal(SIGABRT, SIG_DFL);
    SendToCarrier(SIGABRT);
  }
  REAL(abort)();
  __builtin_unreachable();
}
// libc's own would call its own abort.
HEDDLE_INTERCEPT void __assert_fail(const char* what, const char* file, unsigned line, const char* function) noexcept {
  NoteAssertion(what, file, line, function);
  fflush(nullptr);
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file, line, function, what);
  fflush(stderr);
  abort();
}
