#include "runtime/control/scheduler.h"

#include <new>

#include "runtime/control/deadlock.h"
#include "runtime/control/logical_time.h"
#include "runtime/control/outside.h"
#include "runtime/control/replay.h"
#include "runtime/control/step_log.h"
#include "runtime/control/watchdog.h"
#include "runtime/memory/pages.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/options.h"

namespace heddle::rt::control {

SpinLock g_lock;
Carrier* g_carrier = nullptr;
sched::Strategy* g_strategy = nullptr;
sched::ThreadSet g_enabled;
ControlThread* g_slots[sched::kMaxSlots];
uint32_t g_slot_limit = 0;
uint32_t g_live = 0;
uint64_t g_steps = 0;

namespace {

sched::NextOp g_next[sched::kMaxSlots];
uint32_t g_last = sched::kNoSlot;
uint32_t g_row = 0;  // steps in a row by g_last
uint32_t g_blocked = 0;

// First come, first served: the queue, and whether the turn is nobody's.
bool g_free = false;
ControlThread* g_head = nullptr;
ControlThread* g_tail = nullptr;

// A thread that does so many steps in a row, or so many without effect, is taken to spin.
constexpr uint32_t kRowLimit = 20000;
constexpr uint32_t kIdleLimit = 32;
constexpr uint32_t kInvisibleLimit = 1000;

// Who waits for an object, by a hash of it: most operations are on objects that nobody waits for.
constexpr uint32_t kFilter = 1024;
uint16_t g_waiting[kFilter];
uint32_t FilterOf(uint64_t object) { return static_cast<uint32_t>((object * 0x9E3779B97F4A7C15ULL) >> 54U); }

bool ByArrival() { return g_strategy->ByArrival(); }
// Plain accesses happen behind the call that announces them: the thread keeps the turn until it comes again.
bool Informed() { return g_strategy->Informed() || g_visible == Visible::All; }

void Enqueue(ControlThread* thread) {
  thread->queued = true;
  thread->next_in_queue = nullptr;
  (g_head == nullptr ? g_head : g_tail->next_in_queue) = thread;
  g_tail = thread;
}

ControlThread* Dequeue() {
  while (g_head != nullptr) {
    ControlThread* first = g_head;
    g_head = first->next_in_queue;
    first->queued = false;
    if (!first->ended) return first;  // else it was never created after all
  }
  return nullptr;
}

void Unblock(ControlThread* thread) {
  if (!thread->blocked) return;
  thread->blocked = false;
  --g_blocked;
  --g_waiting[FilterOf(thread->blocked_on)];
}

void GrantTurn(ControlThread* thread, uint32_t what) {
  thread->grant.store(what, std::memory_order_seq_cst);
  g_carrier->Unpark(thread);
}

bool CanGo(const ControlThread* thread) {
  return thread->point.ready == nullptr || thread->cancel_asked || thread->point.ready(thread->point.context);
}

// The enabled threads: exact for informed strategies, which see where everyone stands.
const sched::ThreadSet& Candidates() {
  static sched::ThreadSet exact;
  if (!g_strategy->Informed()) return g_enabled;
  exact = sched::ThreadSet();
  g_enabled.ForEach([](uint32_t slot) {
    if (CanGo(g_slots[slot])) exact.Add(slot);
  });
  return exact;
}

ControlThread* AskStrategy() {
  SpinHolder hold(g_lock);
  if (ByArrival()) return Dequeue();
  const sched::ThreadSet& candidates = Candidates();
  if (candidates.empty()) return nullptr;
  uint32_t slot = g_strategy->Pick({&candidates, g_next, g_last, g_steps});
  return slot < sched::kMaxSlots ? g_slots[slot] : nullptr;
}

// Whether threads are on their way to an operation, or will come back by themselves.
bool SomebodyComes() {
  SpinHolder hold(g_lock);
  bool comes = false;
  ForEachLive([&comes](const ControlThread* thread) {
    comes = comes || thread->away || (RealTime() && thread->timed);
    comes = comes || (ByArrival() && !thread->blocked && !thread->queued);
  });
  return comes;
}

// Threads that wait for what has become possible without an operation on it (a once routine that threw, ...).
bool Recheck() {
  SpinHolder hold(g_lock);
  bool found = false;
  ForEachLive([&found](ControlThread* thread) {
    if (!thread->blocked || thread->point.ready == nullptr || !CanGo(thread)) return;
    Enable(thread);
    found = true;
  });
  return found;
}

// No thread can go on, and the one that has the turn is about to block outside: another waits for news in its place, or
// the turn is free for whoever comes back.
void LeaveWatch(const ControlThread* self) {
  SpinHolder hold(g_lock);
  ControlThread* other = nullptr;
  ForEachLive([&other, self](ControlThread* thread) {
    if (thread != self && !thread->away && other == nullptr) other = thread;
  });
  if (other == nullptr) {
    g_free = true;
  } else {
    GrantTurn(other, kChoose);
  }
}

// Who goes next. `self` has the turn; what it waits for (if anything) has been said by Block. Null: by arrival, and
// somebody will come.
ControlThread* PickNext(ControlThread* self) {
  for (;;) {
    if (Replaying()) {
      ControlThread* next = NextOfSchedule();
      if (next != nullptr) return next;
      continue;  // the schedule has ended: the strategy behind it
    }
    ControlThread* next = AskStrategy();
    if (next != nullptr) return next;
    bool comes = SomebodyComes();
    if (ByArrival() && comes) {
      SpinHolder hold(g_lock);
      if (g_head == nullptr) {
        g_free = true;
        return nullptr;
      }
      continue;
    }
    if (Recheck()) continue;
    if (self->away) {
      LeaveWatch(self);
      return nullptr;
    }
    if (!WaitOutside(self, comes)) ReportDeadlock(self);
  }
}

void PassTurn(ControlThread* self) {
  ControlThread* next = PickNext(self);
  if (next == nullptr) return;
  if (next == self) {
    self->grant.store(kPerform, std::memory_order_relaxed);
  } else {
    GrantTurn(next, kPerform);
  }
}

// By arrival: takes the turn if it is free, else queues.
void Arrive(ControlThread* self) {
  SpinHolder hold(g_lock);
  if (g_free) {
    g_free = false;
    self->grant.store(kPerform, std::memory_order_relaxed);
  } else if (!self->queued) {
    Enqueue(self);
  }
}

void SetPoint(ControlThread* self, const Point& point) {
  self->point = point;
  g_next[self->slot] = {point.operation, point.writes, point.address, point.pc};
}

// The program's handlers run as part of this thread, which has not the turn and waits at its point again afterwards.
void RunHandlers(ControlThread* self) {
  Point point = self->point;
  ++self->signals;
  EnableFromOutside(self);
  RuntimeScope::Leave();  // delivers
  RuntimeScope::Enter();
  SetPoint(self, point);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
}

void TimeIsUp(ControlThread* self) {
  SpinHolder hold(g_lock);
  if (!self->blocked || self->grant.load() != kNone) return;
  self->timed = false;
  Unblock(self);
  g_enabled.Add(self->slot);
  if (g_free) {
    g_free = false;
    self->grant.store(kPerform, std::memory_order_relaxed);
  } else {
    Enqueue(self);
  }
}

// Returns with grant kHeld, and what it was before.
uint32_t AwaitGrant(ControlThread* self) {
  for (;;) {
    uint32_t grant = self->grant.load(std::memory_order_acquire);
    switch (grant) {
      case kPerform:
      case kChoose:
        if (self->grant.compare_exchange_strong(grant, kHeld)) return grant;
        break;
      case kSignal:
        if (self->grant.compare_exchange_strong(grant, kNone)) RunHandlers(self);
        break;
      case kArrive:
        if (self->grant.compare_exchange_strong(grant, kNone)) Arrive(self);
        break;
      case kDump:
        if (self->grant.compare_exchange_strong(grant, kNone)) DumpStack(self);
        break;
      default:
        if (self->timed && RealNow() >= self->deadline) {
          TimeIsUp(self);
        } else {
          g_carrier->Park(self, self->timed ? self->deadline : 0);
        }
    }
  }
}

// Waits for the turn, and for being the one to perform.
void Obtain(ControlThread* self) {
  while (AwaitGrant(self) == kChoose) {
    self->grant.store(kNone, std::memory_order_relaxed);
    PassTurn(self);
  }
  if (Replaying()) CheckStep(self);
  if (g_options.until != 0 && g_steps + 1 == g_options.until) ReportStopped(self);
}

void CountSpinning(ControlThread* self, bool idle) {
  if (g_last == self->slot) {
    if (++g_row >= kRowLimit) {
      g_strategy->Yields(self->slot);
      g_row = 0;
    }
  } else {
    g_row = 0;
  }
  self->idle_steps = idle ? self->idle_steps + 1 : 0;
  if (self->idle_steps >= kIdleLimit) {
    self->idle_steps = 0;
    g_strategy->Yields(self->slot);
  }
}

void Obtain(ControlThread* self);

// The same for a thread that has the turn and is about to wait.
void RunHandlersInTurn(ControlThread* self) {
  Point point = self->point;
  ++self->signals;
  self->grant.store(kPerform, std::memory_order_relaxed);
  RuntimeScope::Leave();
  RuntimeScope::Enter();
  SetPoint(self, point);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
  Obtain(self);
}

// Fibers: others run until this thread is granted the turn again.
void AwaitResume(ControlThread* self) {
  for (;;) {
    uint32_t grant = self->grant.load(std::memory_order_relaxed);
    if (grant == kDump) {
      self->grant.store(kNone, std::memory_order_relaxed);
      DumpStack(self);
    } else if (grant != kNone) {
      return;
    }
    g_carrier->Park(self, 0);
  }
}

void GiveTurn(ControlThread* self) {
  if (Informed() && !ByArrival() && !self->away) {
    self->grant.store(kChoose, std::memory_order_release);
    return;
  }
  self->grant.store(kNone, std::memory_order_relaxed);
  PassTurn(self);
  if (g_carrier->is_fiber() && !ByArrival()) AwaitResume(self);
}

void LogStep(ControlThread* self, Outcome outcome) {
  AppendStep(self->number, self->point.operation, static_cast<uint8_t>(outcome), self->point.pc);
  ++g_steps;
  if (Replaying()) StepPerformed();
}

}  // namespace

void Enable(ControlThread* thread) {
  if (thread->ended) return;
  bool was_blocked = thread->blocked;
  Unblock(thread);
  thread->timed = false;
  thread->on_descriptor = false;
  g_enabled.Add(thread->slot);
  if (ByArrival() && was_blocked && !thread->queued) Enqueue(thread);
}

void EnableFromOutside(ControlThread* thread) {
  SpinHolder hold(g_lock);
  thread->away = false;
  if (!thread->ended) {
    Unblock(thread);
    thread->on_descriptor = false;
    g_enabled.Add(thread->slot);
  }
  if (g_free && !ByArrival()) {
    g_free = false;
    GrantTurn(thread, kPerform);
  }
  WakeOutside();
}

void SignalArrived() {
  ControlThread* self = Self();
  if (self == nullptr) return;
  uint32_t none = kNone;
  if (self->grant.compare_exchange_strong(none, kSignal)) WakeOutside();
}

void Take(const Point& point) {
  ControlThread* self = Self();
  RuntimeScope::Enter();
  if (self == nullptr) return;
  SetPoint(self, point);
  self->invisible = 0;
  if (self->away) EnableFromOutside(self);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
  Obtain(self);
}

void Block(uint64_t object) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  if (t_hot.pending != 0) return RunHandlersInTurn(self);
  if (Replaying()) DivergeBlocked(self);
  {
    SpinHolder hold(g_lock);
    self->blocked = true;
    self->blocked_on = object;
    ++g_blocked;
    ++g_waiting[FilterOf(object)];
    g_enabled.Remove(self->slot);
  }
  self->grant.store(kNone, std::memory_order_relaxed);
  PassTurn(self);
  Obtain(self);
  self->timed = false;
}

void Done(Outcome outcome, bool idle) {
  ControlThread* self = Self();
  if (self != nullptr) {
    LogStep(self, outcome);
    CountSpinning(self, idle);
    AdvanceTime(self);
    g_last = self->slot;
    g_strategy->Performed(self->slot, g_next[self->slot]);
    LookOutside();
    GiveTurn(self);
  }
  RuntimeScope::Leave();
}

void Rename(uint8_t operation) {
  ControlThread* self = Self();
  if (self != nullptr) self->point.operation = operation;
}

void Wake(uint64_t object) {
  if (g_waiting[FilterOf(object)] == 0) return;
  SpinHolder hold(g_lock);
  ForEachLive([object](ControlThread* thread) {
    if (thread->blocked && thread->blocked_on == object) Enable(thread);
  });
}

void HintYield() {
  ControlThread* self = Self();
  if (self != nullptr) g_strategy->Yields(self->slot);
}

void CountInvisible(const void* pc) {
  ControlThread* self = Self();
  if (self == nullptr || ++self->invisible < kInvisibleLimit) return;
  Take(PointOf(sched::kYield, 0, pc));
  HintYield();
  Done(Outcome::Success, true);
}

ControlThread* AddThread(Thread* thread) {
  uint32_t slot = 0;
  while (slot < g_slot_limit && g_slots[slot] != nullptr && !g_slots[slot]->ended) ++slot;
  if (slot == sched::kMaxSlots) return nullptr;
  // An ended thread's state stays until its slot is needed: it may be joined.
  if (slot < g_slot_limit && g_slots[slot]->gone.load() != 0) UnmapPages(g_slots[slot], sizeof(ControlThread));
  void* pages = MapPages(sizeof(ControlThread));
  if (pages == nullptr) return nullptr;
  auto* added = new (pages) ControlThread;
  added->thread = thread;
  added->number = thread->number;
  added->slot = slot;
  for (uint32_t i = 0; i < sizeof added->id; ++i) added->id[i] = thread->id[i];
  added->name = NameInSchedule(thread->id);
  added->now = LogicalNow();
  SpinHolder hold(g_lock);
  g_slots[slot] = added;
  if (slot == g_slot_limit) ++g_slot_limit;
  ++g_live;
  SetPoint(added, {sched::Code(Kind::ThreadBegin), false, 0, thread->start_pc, nullptr, nullptr});
  g_enabled.Add(slot);
  g_strategy->Begins(slot);
  g_strategy->Named(slot, added->name);
  if (ByArrival() && g_carrier->is_fiber() && slot != 0) Enqueue(added);  // it stands at its beginning already
  thread->control = added;
  return added;
}

void ForgetThread(ControlThread* thread) {
  SpinHolder hold(g_lock);
  thread->ended = true;
  g_enabled.Remove(thread->slot);
  g_strategy->Ends(thread->slot);
  --g_live;
}

void BeginThread(Thread* thread) {
  t_heap = ThreadHeap::OfSlot(thread->control->slot);
  g_carrier->Enter(thread->control);
  Take({sched::Code(Kind::ThreadBegin), false, 0, thread->start_pc, nullptr, nullptr});
}

void EndBegins() { Take({sched::Code(Kind::ThreadEnd), true, 0, 0, nullptr, nullptr}); }

void EndThreadTurn() {
  ControlThread* self = Self();
  if (self == nullptr) return;
  LogStep(self, Outcome::Success);
  AdvanceTime(self);
  g_last = self->slot;
  g_strategy->Performed(self->slot, g_next[self->slot]);
  {
    SpinHolder hold(g_lock);
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
}

void EndAll() {
  Take({sched::Code(Kind::ProcessExit), true, 0, 0, nullptr, nullptr});
  ControlThread* self = Self();
  if (self != nullptr) LogStep(self, Outcome::Success);
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
  g_blocked = 0;
  for (uint16_t& count : g_waiting) count = 0;
  g_head = nullptr;
  g_free = false;
  g_carrier->Forked(self);
}

void PassOver(ControlThread* thread) {
  SpinHolder hold(g_lock);
  g_enabled.Remove(thread->slot);
  const sched::ThreadSet& candidates = Candidates();
  uint32_t slot = candidates.empty() ? sched::kNoSlot : g_strategy->Pick({&candidates, g_next, g_last, g_steps});
  uint32_t grant = thread->grant.load();
  bool taken = slot != sched::kNoSlot && (grant == kPerform || grant == kChoose) &&
               thread->grant.compare_exchange_strong(grant, kNone);
  if (!taken) {
    g_enabled.Add(thread->slot);
    return;
  }
  thread->away = true;
  GrantTurn(g_slots[slot], kPerform);
}

void GoAway() {
  ControlThread* self = Self();
  if (self == nullptr || g_carrier->is_fiber() || Replaying()) return;
  SpinHolder hold(g_lock);
  self->away = true;
  g_enabled.Remove(self->slot);
}

ControlThread* ThreadOfNumber(uint32_t number) {
  for (uint32_t i = 0; i < g_slot_limit; ++i) {
    if (g_slots[i] != nullptr && g_slots[i]->number == number) return g_slots[i];
  }
  return nullptr;
}

void SwitchStrategy(sched::Strategy* strategy) {
  SpinHolder hold(g_lock);
  g_strategy = strategy;
  ForEachLive([strategy](ControlThread* thread) {
    strategy->Begins(thread->slot);
    strategy->Named(thread->slot, thread->name);
    if (!strategy->ByArrival() || thread->blocked) return;
    uint32_t none = kNone;
    if (g_carrier->is_fiber()) {
      if (thread->grant.load() == kNone && !thread->queued) Enqueue(thread);
    } else if (thread->grant.compare_exchange_strong(none, kArrive)) {
      g_carrier->Unpark(thread);
    }
  });
}

void Holds(uint64_t lock, uint64_t pc, bool shared) {
  ControlThread* self = Self();
  if (self == nullptr || self->held_count == kMaxHeld) return;
  self->held[self->held_count++] = {lock, pc, shared};
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
