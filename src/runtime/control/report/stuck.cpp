#include "runtime/control/report/stuck.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/carrier/preempt.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/mode.h"
#include "runtime/raw_syscall.h"
#include "runtime/threads/stuck_set.h"

namespace heddle::rt::control {
namespace {

// Whether the thread is known to stand before its operation, and not behind the last one.
bool Stands(const ControlThread* thread) {
  if (thread->blocked) return true;
  return g_on_fibers ? !thread->resting : thread->sleeping.load() != 0;
}

bool WaitsForThreads(const ControlThread* thread) {
  auto kind = static_cast<Kind>(thread->point.operation);
  bool waits = kind == Kind::Lock || kind == Kind::ThreadJoin;
  return waits && thread->point.ready != nullptr && !thread->point.ready(thread->point.context);
}

bool Holds(const ControlThread* thread, uint64_t lock) {
  for (uint32_t i = 0; i < thread->held_count; ++i) {
    if (thread->held[i].lock == lock) return true;
  }
  return false;
}

// Whether all that could let the thread go on are in the set, and there are any.
bool StaysStuck(const ControlThread* thread, const sched::ThreadSet& stuck) {
  bool any = false;
  bool all = true;
  bool joins = static_cast<Kind>(thread->point.operation) == Kind::ThreadJoin;
  ForEachLive([&](const ControlThread* other) {
    bool lets = joins ? JoinKey(other->number) == thread->point.address : Holds(other, thread->point.address);
    any = any || lets;
    all = all && (!lets || stuck.Has(other->slot));
  });
  return any && all;
}

// In a replay on OS threads, whoever holds a lock may still be on the way to the next operation: waits a while for it.
void AwaitHolders(const ControlThread* self) {
  constexpr int kMilliseconds = 500;
  timespec millisecond{0, 1'000'000};
  for (int i = 0; i < kMilliseconds; ++i) {
    bool under_way = false;
    ForEachLive([&](const ControlThread* thread) {
      under_way = under_way || (thread != self && thread->held_count > 0 && !Stands(thread));
    });
    if (!under_way) return;
    Sys(SYS_nanosleep, &millisecond, nullptr);
  }
}

void KeepThoseStuck(sched::ThreadSet& stuck) {
  KeepStuck([](auto each) { ForEachLive(each); }, [&](const ControlThread* thread) { return stuck.Has(thread->slot); },
            [&](const ControlThread* thread) { stuck.Remove(thread->slot); },
            [&](const ControlThread* thread) { return StaysStuck(thread, stuck); }, [] {});
}

sched::ThreadSet g_stuck;

}  // namespace

const sched::ThreadSet& FindStuckNow(const ControlThread* self) {
  g_stuck = sched::ThreadSet();
  StateHolder hold;
  ForEachLive([self](const ControlThread* thread) {
    bool stands = thread == self || Stands(thread);
    if (stands && !thread->away && WaitsForThreads(thread)) g_stuck.Add(thread->slot);
  });
  KeepThoseStuck(g_stuck);
  return g_stuck;
}

const sched::ThreadSet& FindStuck(ControlThread* self) {
  sched::ThreadSet& stuck = g_stuck;
  stuck = sched::ThreadSet();
  // The detector hears of every attempt, but these strategies and schedules make no attempts in vain.
  if (g_mode == Mode::Detect && !g_informed && !Replaying()) return stuck;
  if (Replaying()) g_on_fibers ? RunOthersUp(self) : AwaitHolders(self);
  StateHolder hold;
  ForEachLive([&](const ControlThread* thread) {
    if (thread != self && Stands(thread) && WaitsForThreads(thread)) stuck.Add(thread->slot);
  });
  KeepThoseStuck(stuck);
  return stuck;
}

}  // namespace heddle::rt::control
