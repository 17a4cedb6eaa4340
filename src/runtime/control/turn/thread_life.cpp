// The beginning and end of threads, as the scheduler sees them.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <new>

#include "runtime/control/replay/replay.h"
#include "runtime/control/report/deadlock.h"
#include "runtime/control/report/places.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/watchdog.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

Point PointAt(Kind kind, bool writes, uint64_t pc) {
  Point point;
  point.operation = sched::Code(kind);
  point.writes = writes;
  point.pc = pc;
  return point;
}

// The lowest one. A search gives every thread a slot of its own, so that what depends on it (the place of its heap)
// does not depend on the schedule.
uint32_t FreeSlot(const Thread* thread) {
  if (Exploring()) return ExploreSlot(thread->id);
  uint32_t slot = 0;
  while (slot < g_slot_limit && g_slots[slot] != nullptr && !g_slots[slot]->ended) ++slot;
  return slot;
}

}  // namespace

ControlThread* AddThread(Thread* thread) {
  uint32_t slot = FreeSlot(thread);
  if (slot == sched::kMaxSlots) return nullptr;
  // An ended thread's state stays until its slot is needed: it may be joined. Its pages are used again and never given
  // back, since the watchdog may be looking at it.
  bool gone = g_slots[slot] != nullptr && g_slots[slot]->gone.load() != 0;
  void* pages = gone ? g_slots[slot] : MapPages(sizeof(ControlThread));
  if (pages == nullptr) return nullptr;
  StateHolder hold;
  auto* added = new (pages) ControlThread;
  added->thread = thread;
  added->number = thread->number;
  added->slot = slot;
  for (uint32_t i = 0; i < sizeof added->id; ++i) added->id[i] = thread->id[i];
  added->name = NameInSchedule(thread->id);
  added->now = LogicalNow();
  g_slots[slot] = added;
  if (slot >= g_slot_limit) g_slot_limit = slot + 1;
  ++g_live;
  SetPoint(added, PointAt(Kind::ThreadBegin, false, thread->start_pc));
  g_enabled.Add(slot);
  g_strategy->Begins(slot);
  g_strategy->Named(slot, added->name);
  if (ByArrival() && g_on_fibers && slot != 0) Enqueue(added);  // it stands at its beginning already
  thread->control = added;
  return added;
}

void ForgetThread(ControlThread* thread) {
  StateHolder hold;
  thread->ended = true;
  g_enabled.Remove(thread->slot);
  g_strategy->Ends(thread->slot);
  --g_live;
}

void BeginThread(Thread* thread) {
  thread->control->loop.first_frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  t_heap = ThreadHeap::OfSlot(thread->control->slot);
  if (!thread->control->pooled) thread->control->os_id = static_cast<int>(Sys(SYS_gettid));
  g_carrier->Enter(thread->control);
  Take(PointAt(Kind::ThreadBegin, false, thread->start_pc));
}

void EndBegins() { Take(PointAt(Kind::ThreadEnd, true, 0)); }

namespace {

constexpr int kRobustMutex = 16;  // in pthread_mutex_t::__kind, as glibc has it

// The kernel marks robust mutexes when their owner's OS thread ends. A fiber's has not, or is in another process.
void LeaveRobust(ControlThread* self) {
  for (uint32_t i = 0; i < self->held_count; ++i) {
    if (!self->held[i].robust) continue;
    auto* mutex = reinterpret_cast<pthread_mutex_t*>(self->held[i].lock);  // NOLINT: the program's mutex
    __atomic_store_n(&mutex->__data.__lock, static_cast<int>(FUTEX_OWNER_DIED), __ATOMIC_RELEASE);
    Wake(self->held[i].lock);
    NoteSharedGap("a thread ends with a robust mutex locked");  // a search does not see that this unlocks it
  }
}

// The OS threads of fibers are not those that libc counts: it would not see that the last one ends. The main thread,
// whose stack carries them all, comes back to end the process. Elsewhere libc ends it after the last step, so that a
// schedule is the same on fibers and on OS threads.
bool ComeBackToExit(ControlThread* self) {
  if (!g_on_fibers || self->number != 0 || (!Exploring() && !ScheduleGoesOn())) return false;
  StateHolder hold;
  self->ended = false;
  self->ends_process = true;
  g_enabled.Add(self->slot);
  g_strategy->Begins(self->slot);
  ++g_live;
  self->grant.store(kChoose, std::memory_order_relaxed);
  RuntimeScope::Leave();  // of the end's Take
  return true;
}

}  // namespace

bool EndThreadTurn() {
  ControlThread* self = Self();
  if (self == nullptr) return false;
  if (g_on_fibers) LeaveRobust(self);
  LogStep(self, Outcome::Success);
  AdvanceTime(self);
  g_last = self->slot;
  g_strategy->Performed(self->slot, g_next[self->slot]);
  {
    StateHolder hold;
    self->ended = true;
    g_enabled.Remove(self->slot);
    g_strategy->Ends(self->slot);
    --g_live;
  }
  Wake(JoinKey(self->number));
  t_heap = nullptr;  // the slot's next thread gets it
  self->grant.store(kNone, std::memory_order_relaxed);
  if (g_live == 0) StopWatchdog();
  ControlThread* next = g_live == 0 ? nullptr : PickNext(self);
  if (next != nullptr) GrantTurn(next, kPerform);
  g_carrier->Leave(self, next);
  return ComeBackToExit(self);
}

void EndAll() {
  Take(PointAt(Kind::ProcessExit, true, 0));
  ControlThread* self = Self();
  if (self == nullptr) return;
  ReportStuck(self);
  LogStep(self, Outcome::Success);
  g_strategy->Performed(self->slot, g_next[self->slot]);
}

void OnlyThread() {
  ControlThread* self = Self();
  if (self == nullptr) return;
  ForEachLive([self](ControlThread* thread) {
    if (thread == self) return;
    thread->ended = true;
    g_enabled.Remove(thread->slot);
    g_strategy->Ends(thread->slot);
  });
  g_live = 1;
  ForgetBlocked();
  g_head = nullptr;
  g_free = false;
  g_carrier->Forked(self);
}

void GoAway() {
  ControlThread* self = Self();
  if (self == nullptr || g_on_fibers || Replaying()) return;
  StateHolder hold;
  self->away = true;
  g_enabled.Remove(self->slot);
}

ControlThread* ThreadOfNumber(uint32_t number) {
  // Nearly always the first threads have the first slots.
  if (number < g_slot_limit && g_slots[number] != nullptr && g_slots[number]->number == number) return g_slots[number];
  for (uint32_t i = 0; i < g_slot_limit; ++i) {
    if (g_slots[i] != nullptr && g_slots[i]->number == number) return g_slots[i];
  }
  return nullptr;
}

static bool IsRobust(uint64_t lock) {
  return (reinterpret_cast<const pthread_mutex_t*>(lock)->__data.__kind & kRobustMutex) != 0;  // NOLINT: the program's
}

void Holds(uint64_t lock, uint64_t pc, LockDetail how) {
  ControlThread* self = Self();
  if (self == nullptr || self->held_count == kMaxHeld) return;
  LockInReport& held = self->held[self->held_count++];
  held = {lock, {}, how.shared, how.lock_class == LockClass::Mutex && IsRobust(lock)};
  OwnCalls(pc, held.stack, kHeldFrames);
}

void Drops(uint64_t lock) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  for (uint32_t i = self->held_count; i > 0; --i) {
    if (self->held[i - 1].lock != lock) continue;
    for (uint32_t j = i; j < self->held_count; ++j) self->held[j - 1] = self->held[j];
    --self->held_count;
    return;
  }
}

}  // namespace heddle::rt::control
