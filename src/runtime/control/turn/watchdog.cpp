#include "runtime/control/turn/watchdog.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/carrier/preempt.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/libc/helper_thread.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

bool g_started = false;
uint32_t g_stop = 0;
constexpr int kTickMilliseconds = 50;
constexpr int kShortTickMilliseconds = 5;
// A schedule's next thread is awaited without end, as it may only be slow; the user is told now and then.
constexpr int kReplayFactor = 10;

// The thread that was given the turn and has not come for it.
ControlThread* Awaited() {
  ControlThread* found = nullptr;
  ForEachLive([&found](ControlThread* thread) {
    uint32_t grant = thread->grant.load();
    if (grant == kPerform || grant == kChoose) found = thread;
  });
  return found;
}

// Threads that compute although a signal waits for them.
void LookForSignals(int milliseconds) {
  if (g_carrier->is_fiber() || Replaying() || g_options.reschedule <= 0) return;
  SpinHolder hold(g_lock);
  ForEachLive([milliseconds](ControlThread* thread) {
    thread->signal_ticks = thread->has_signal.load() ? thread->signal_ticks + 1 : 0;
    if (thread->signal_ticks * static_cast<uint32_t>(milliseconds) < static_cast<uint32_t>(g_options.reschedule))
      return;
    AskForHandler(thread->os_id);
  });
}

void Watch() {
  uint64_t seen = 0;
  int still = 0;
  int asked = 0;
  while (__atomic_load_n(&g_live, __ATOMIC_ACQUIRE) != 0) {
    bool impatient = g_spinner_runs.load(std::memory_order_relaxed) == __atomic_load_n(&g_steps, __ATOMIC_RELAXED) + 1;
    int milliseconds = impatient ? kShortTickMilliseconds : kTickMilliseconds;
    timespec tick{0, milliseconds * 1'000'000L};
    Sys(SYS_futex, &g_stop, FUTEX_WAIT_PRIVATE, 0, &tick, nullptr, 0);
    uint64_t steps = __atomic_load_n(&g_steps, __ATOMIC_RELAXED);
    still = steps == seen ? still + milliseconds : 0;
    seen = steps;
    LookForSignals(milliseconds);
    bool fibers = g_carrier->is_fiber();
    int limit = g_options.reschedule;
    if (impatient && limit > 0) limit = kShortTickMilliseconds;
    if (limit <= 0 || still < limit || (g_strategy->ByArrival() && !fibers)) continue;
    if (fibers) {
      AskForPreemption();
      still = 0;
      continue;
    }
    ControlThread* awaited = nullptr;
    {
      SpinHolder hold(g_lock);
      awaited = Awaited();
    }
    if (awaited == nullptr) continue;
    if (Replaying()) {
      if (YieldToSchedule(awaited)) continue;  // a handler that waits for others without an operation
      AskForHandler(awaited->os_id);
      if (++asked % kReplayFactor == 0) Message("replay: waits for a visible operation of ", awaited->id);
    } else if (!PassOver(awaited)) {
      AskForHandler(awaited->os_id);  // what it waits for may be a timer
    }
    still = 0;
  }
}

}  // namespace

void StartWatchdog() {
  if (g_options.reschedule <= 0 || g_started) return;
  g_started = true;
  InstallPreemption();
  StartHelperThread("heddle-watch", Watch);
}

void StopWatchdog() {
  if (!g_started) return;
  __atomic_store_n(&g_stop, 1, __ATOMIC_RELEASE);
  Sys(SYS_futex, &g_stop, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void ForgetWatchdog() { g_started = false; }
bool WatchdogRuns() { return g_started; }

}  // namespace heddle::rt::control
