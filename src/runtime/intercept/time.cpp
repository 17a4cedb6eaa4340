// Clocks and sleeping. Only controlled scheduling cares: time is logical there (control/turn/logical_time.h), so a
// sleep is a visible operation that takes no time, and what the clocks show depends on the schedule alone.
#include <sys/time.h>
#include <time.h>

#include "runtime/control/replay/demo.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/descriptors.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/signals.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

bool Uncontrolled() { return Passive() || !control::Controlled(); }
bool RealClocks() { return Uncontrolled() || !control::g_virtual_time; }

// Reads a real clock, which a recording keeps.
template <typename T, typename Call>
auto ReadClock(T* out, Call call) {
  if (Uncontrolled()) return call();
  iovec piece{out, out == nullptr ? 0 : sizeof(T)};
  return static_cast<decltype(call())>(control::Recorded(
      control::DemoCall::kClock, true, &piece, 1, [&] { return static_cast<int64_t>(call()); },
      [&](int64_t) { return piece.iov_len; }));
}

// A replay has no reason to wait: the clocks show what they showed.
bool Playing() { return control::g_demo == control::Demo::Play; }

timespec Between(const timespec& from, const timespec& to) {
  timespec span{to.tv_sec - from.tv_sec, to.tv_nsec - from.tv_nsec};
  if (span.tv_nsec < 0) span = {span.tv_sec - 1, span.tv_nsec + 1'000'000'000};
  return span.tv_sec < 0 ? timespec{0, 0} : span;
}

// With the turn: whether a handler ended the sleep, and what is left of it.
bool WasInterrupted(bool in_kernel, timespec* left) {
  iovec piece{left, sizeof *left};
  int64_t result = 0;
  if (Playing()) {
    if (!control::WillPlayBack(control::DemoCall::kSleep)) return false;
    return control::PlayBack(control::DemoCall::kSleep, &result, &piece, 1);
  }
  bool interrupted = in_kernel || (control::g_virtual_time && control::Interrupted(control::Self(), false));
  if (interrupted && control::g_demo == control::Demo::Record) {
    control::Keep(control::DemoCall::kSleep, -1, EINTR, &piece, 1, sizeof *left);
  }
  return interrupted;
}

// With the turn, which others get meanwhile: until the time has come or a handler ran.
void SleepOn(uint64_t until) {
  control::ControlThread* self = control::Self();
  bool in_time = true;
  while (in_time && !control::Interrupted(self, false)) {
    self->by_signal = true;
    in_time = control::BlockUntil(control::kForeverKey, until);
    self->by_signal = false;
  }
}

// Sleeps `span`, in logical time or before the turn. What is left of it when a handler ended it, else zero.
timespec Sleep(const timespec& span, const void* pc) {
  control::NoteSleep();
  timespec until = control::Later(CLOCK_MONOTONIC, span);
  timespec left = span;
  bool in_kernel = !control::g_virtual_time && !Playing() && !control::WaitInKernel(nullptr, 0, &span);
  if (in_kernel) {
    timespec now{};
    REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    left = Between(now, until);
    in_kernel = left.tv_sec != 0 || left.tv_nsec != 0;
  }
  control::Take(control::PointOf(heddle::sched::kSleep, 0, pc));
  control::HintYield();
  if (control::WaitsInPlace()) control::WaitInPlace(nullptr, 0, span);
  if (control::g_virtual_time && control::WaitsLast()) SleepOn(control::LogicalOf(CLOCK_MONOTONIC, until));
  bool interrupted = WasInterrupted(in_kernel, &left);
  if (control::g_virtual_time && !interrupted) {
    control::PassTime(control::Self(), control::LogicalOf(CLOCK_MONOTONIC, until));
  }
  if (control::CancelWanted()) {
    control::ActOnCancel();
  } else {
    control::Done(Outcome::Success, true);
  }
  return interrupted ? left : timespec{0, 0};
}

// As nanosleep reports it.
int SleepResult(const timespec& rest, timespec* left) {
  if (rest.tv_sec == 0 && rest.tv_nsec == 0) return 0;
  if (left != nullptr) *left = rest;
  errno = EINTR;
  return -1;
}

timespec Span(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

void Yield(const void* pc) {
  control::Take(control::PointOf(heddle::sched::kYield, 0, pc));
  control::HintYield();
  control::Done(Outcome::Success, true);
}

timespec Now(clockid_t clock) {
  control::NoteClock();
  return control::ClockAt(clock, control::KeptTime(control::Self()));
}

}  // namespace

HEDDLE_INTERCEPT int nanosleep(const timespec* span, timespec* left) {
  if (Uncontrolled() || control::BadTime(span)) return REAL(nanosleep)(span, left);
  return SleepResult(Sleep(*span, HEDDLE_PC), left);
}
HEDDLE_INTERCEPT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (Uncontrolled() || control::BadTime(time)) return REAL(clock_nanosleep)(clock, flags, time, left);
  if (!control::g_virtual_time) {
    timespec span = *time;
    timespec now{};
    if ((flags & TIMER_ABSTIME) != 0 && !Playing()) {
      REAL(clock_gettime)(clock, &now);
      span = Between(now, *time);
    }
    int result = SleepResult(Sleep(span, HEDDLE_PC), (flags & TIMER_ABSTIME) != 0 ? nullptr : left);
    return result == 0 ? 0 : errno;
  }
  uint64_t until = (flags & TIMER_ABSTIME) != 0 ? control::LogicalOf(clock, *time)
                                                : control::LogicalOf(clock, control::Later(clock, *time));
  uint64_t now = control::Self()->now;
  int result =
      SleepResult(Sleep(Span(until > now ? until - now : 0), HEDDLE_PC), (flags & TIMER_ABSTIME) != 0 ? nullptr : left);
  return result == 0 ? 0 : errno;
}
HEDDLE_INTERCEPT int usleep(useconds_t microseconds) {
  if (Uncontrolled()) return REAL(usleep)(microseconds);
  return SleepResult(Sleep(Span(uint64_t{microseconds} * 1000), HEDDLE_PC), nullptr);
}
HEDDLE_INTERCEPT unsigned sleep(unsigned seconds) {
  if (Uncontrolled()) return REAL(sleep)(seconds);
  timespec left = Sleep({static_cast<time_t>(seconds), 0}, HEDDLE_PC);
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec != 0 ? 1 : 0));
}
HEDDLE_INTERCEPT int thrd_sleep(const timespec* span, timespec* left) {
  if (Uncontrolled() || control::BadTime(span)) return REAL(thrd_sleep)(span, left);
  return SleepResult(Sleep(*span, HEDDLE_PC), left);
}
HEDDLE_INTERCEPT int sched_yield() noexcept {
  HEDDLE_WATCH_LOOP();
  if (Uncontrolled()) return REAL(sched_yield)();
  Yield(HEDDLE_PC);
  return 0;
}
HEDDLE_INTERCEPT void thrd_yield() {
  HEDDLE_WATCH_LOOP();
  if (Uncontrolled()) return REAL(thrd_yield)();
  Yield(HEDDLE_PC);
}

HEDDLE_INTERCEPT int clock_gettime(clockid_t clock, timespec* out) noexcept {
  if (RealClocks()) return ReadClock(out, [&] { return REAL(clock_gettime)(clock, out); });
  *out = Now(clock);
  return 0;
}
HEDDLE_INTERCEPT int gettimeofday(timeval* out, void* zone) noexcept {
  if (RealClocks()) return ReadClock(out, [&] { return REAL(gettimeofday)(out, zone); });
  timespec now = Now(CLOCK_REALTIME);
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
HEDDLE_INTERCEPT time_t time(time_t* out) noexcept {
  if (RealClocks()) return ReadClock(out, [&] { return REAL(time)(out); });
  time_t now = Now(CLOCK_REALTIME).tv_sec;
  if (out != nullptr) *out = now;
  return now;
}
HEDDLE_INTERCEPT clock_t clock() noexcept {
  if (RealClocks()) return ReadClock<char>(nullptr, [&] { return REAL(clock)(); });
  timespec now = Now(CLOCK_PROCESS_CPUTIME_ID);
  return static_cast<clock_t>(now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC));
}
HEDDLE_INTERCEPT int timespec_get(timespec* out, int base) noexcept {
  if (RealClocks() || base != TIME_UTC) return ReadClock(out, [&] { return REAL(timespec_get)(out, base); });
  *out = Now(CLOCK_REALTIME);
  return base;
}
