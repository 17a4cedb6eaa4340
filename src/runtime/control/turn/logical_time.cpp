#include "runtime/control/turn/logical_time.h"

#include <sys/syscall.h>

#include "runtime/control/turn/control_thread.h"
#include "runtime/control/turn/timer.h"
#include "runtime/memory/hot_section.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {

bool g_virtual_time = true;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kStepTime = 1000;
// Where the clocks stand at the start: an ordinary day, and a machine that has been up for a while.
constexpr uint64_t kRealStart = 1'767'268'800 * kSecond;
constexpr uint64_t kMonotonicStart = 10'000 * kSecond;

HEDDLE_HOT_SECTION uint64_t g_now = 0;

uint64_t StartOf(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kRealStart;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return kMonotonicStart;
  }
}

uint64_t Nanoseconds(const timespec& at) {
  if (at.tv_sec < 0) return 0;
  if (static_cast<uint64_t>(at.tv_sec) > UINT64_MAX / kSecond - 1) return UINT64_MAX;
  return static_cast<uint64_t>(at.tv_sec) * kSecond + static_cast<uint64_t>(at.tv_nsec);
}

}  // namespace

uint64_t LogicalNow() { return g_now; }

void AdvanceTime(ControlThread* self) {
  if (self->now > g_now) g_now = self->now;
  g_now += kStepTime;
  self->now = g_now;
  TimeHasPassed(g_now);
}

void PassAllTime(uint64_t to) {
  if (to > g_now) g_now = to;
}

void PassTime(ControlThread* self, uint64_t to) {
  if (to > self->now) self->now = to;
}

uint64_t ReadTime(ControlThread* self) {
  self->now += kStepTime;
  return self->now;
}

timespec ClockAt(clockid_t clock, uint64_t logical) {
  uint64_t at = StartOf(clock) + logical;
  return {static_cast<time_t>(at / kSecond), static_cast<long>(at % kSecond)};
}

uint64_t LogicalOf(clockid_t clock, const timespec& at) {
  uint64_t wanted = Nanoseconds(at);
  uint64_t start = StartOf(clock);
  return wanted > start ? wanted - start : 0;
}

timespec Later(clockid_t clock, const timespec& span) {
  uint64_t at = 0;
  if (g_virtual_time) {
    const ControlThread* self = Self();
    at = StartOf(clock) + (self == nullptr ? g_now : self->now);
  } else {
    timespec now{};
    Sys(SYS_clock_gettime, clock, &now);
    at = Nanoseconds(now);
  }
  uint64_t wanted = Nanoseconds(span);
  at = at > UINT64_MAX - wanted ? UINT64_MAX : at + wanted;
  return {static_cast<time_t>(at / kSecond), static_cast<long>(at % kSecond)};
}

uint64_t RealNow() {
  timespec now{};
  Sys(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return Nanoseconds(now);
}

uint64_t RealDeadline(clockid_t clock, const timespec& at) {
  timespec now{};
  Sys(SYS_clock_gettime, clock, &now);
  uint64_t wanted = Nanoseconds(at);
  uint64_t current = Nanoseconds(now);
  return RealNow() + (wanted > current ? wanted - current : 0);
}

}  // namespace heddle::rt::control
