#include "runtime/control/turn/timer.h"

#include <sys/syscall.h>

#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/signals.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"

namespace heddle::rt::control {
namespace {

constexpr uint64_t kMicrosecond = 1000;
constexpr uint64_t kSecond = 1'000'000'000;
uint64_t g_end = 0;  // 0: it does not run
uint64_t g_interval = 0;

uint64_t Nanoseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_usec) * kMicrosecond;
}
timeval TimeOf(uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<suseconds_t>(nanoseconds % kSecond / kMicrosecond)};
}

void Expire() {
  g_end = g_interval == 0 ? 0 : g_end + g_interval;
  if (!IsHandled(SIGALRM)) {
    Sys(SYS_kill, Sys(SYS_getpid), SIGALRM);
    return;
  }
  ControlThread* target = nullptr;
  ForEachLive([&target](ControlThread* thread) {
    if (target == nullptr) target = thread;
  });
  if (target != nullptr) SendSignal(target, SIGALRM);
}

}  // namespace

void SetTimer(const itimerval* value, itimerval* old) {
  uint64_t now = Self()->now;
  if (old != nullptr) *old = {TimeOf(g_interval), TimeOf(g_end > now ? g_end - now : 0)};
  if (value == nullptr) return;
  g_interval = Nanoseconds(value->it_interval);
  uint64_t span = Nanoseconds(value->it_value);
  g_end = span == 0 ? 0 : now + span;
}

void TimeHasPassed(uint64_t now) {
  if (g_end != 0 && now >= g_end) Expire();
}

bool ExpireTimer() {
  if (g_end == 0) return false;
  PassAllTime(g_end);
  Expire();
  return true;
}

}  // namespace heddle::rt::control
