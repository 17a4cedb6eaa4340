// Who goes next, and how the turn gets there.
//
// The thread that has the turn asks (PickNext): a replay follows its schedule; otherwise the strategy picks among the
// candidates, which for informed strategies are exactly those that could perform their operation now. When there is
// none, in this order: somebody is on the way to an operation (by arrival: the turn stays free for it), something
// became possible without an operation (Recheck), a timed wait may end (ExpireTimer), a search may end a wait that only
// failed for now (LastChance), something outside may still act (WaitOutside). If nothing is left, it is a deadlock.
//
// The turn is passed by storing a grant into the other thread's word and waking it; at most one thread has one.
// Tests: strategies_test.cpp (every order of a model program), tests/control/run (both carriers, all strategies).
#include "runtime/control/turn/scheduler.h"

#include "runtime/control/replay/replay.h"
#include "runtime/control/report/deadlock.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/start.h"
#include "runtime/control/turn/timer.h"
#include "runtime/control/turn/wait_outside.h"
#include "runtime/memory/hot_section.h"

namespace heddle::rt::control {

HEDDLE_HOT_SECTION SpinLock g_lock;
Carrier* g_carrier = nullptr;
sched::Strategy* g_strategy = nullptr;
HEDDLE_HOT_SECTION sched::ThreadSet g_enabled;
ControlThread* g_slots[sched::kMaxSlots];
HEDDLE_HOT_SECTION uint32_t g_slot_limit = 0;
HEDDLE_HOT_SECTION uint32_t g_live = 0;
HEDDLE_HOT_SECTION uint64_t g_steps = 0;
sched::NextOp g_next[sched::kMaxSlots];
HEDDLE_HOT_SECTION uint32_t g_last = sched::kNoSlot;
bool g_free = false;
HEDDLE_HOT_SECTION ControlThread* g_head = nullptr;
bool g_by_arrival = false;
bool g_informed = false;
bool g_plain_places = false;
bool g_on_fibers = false;

namespace {

HEDDLE_HOT_SECTION ControlThread* g_tail = nullptr;

// Who waits for an object, by a hash of it: most operations are on objects that nobody waits for.
constexpr uint32_t kFilter = 1024;
HEDDLE_HOT_SECTION uint16_t g_waiting[kFilter];
uint32_t FilterOf(uint64_t object) { return static_cast<uint32_t>((object * 0x9E3779B97F4A7C15ULL) >> 54U); }

bool MayBeInterrupted(const ControlThread* thread) {
  return thread->has_signal.load() || thread->signals.all != thread->signals_at_take.all;
}

bool CanGo(const ControlThread* thread) {
  return thread->point.ready == nullptr || thread->cancel_asked || MayBeInterrupted(thread) ||
         thread->point.ready(thread->point.context);
}

// All who waited for an object are enabled when it may be had, and the first takes it. Giving the others the turn would
// only make them wait again.
bool WaitsOn(ControlThread* thread) {
  if (!thread->until_ready || CanGo(thread)) return false;
  MarkBlocked(thread, thread->blocked_on);
  return true;
}

ControlThread* Dequeue() {
  while (g_head != nullptr) {
    ControlThread* first = g_head;
    g_head = first->next_in_queue;
    first->queued = false;
    if (!first->ended && !WaitsOn(first)) return first;  // ended: it was never created after all
  }
  return nullptr;
}

// The enabled threads: exact for informed strategies, which see where everyone stands.
const sched::ThreadSet& Candidates() {
  HEDDLE_HOT_SECTION static sched::ThreadSet exact;
  if (!g_informed) return g_enabled;
  exact.Clear();
  g_enabled.ForEach([](uint32_t slot) {
    if (CanGo(g_slots[slot])) exact.Add(slot);
  });
  return exact;
}

// Whether threads are on their way to an operation, or will come back by themselves. With the state held.
bool SomebodyComes() {
  bool comes = false;
  ForEachLive([&comes](const ControlThread* thread) {
    comes = comes || thread->away || thread->timed;
    comes = comes || (ByArrival() && !thread->blocked && !thread->queued);
  });
  return comes;
}

// Whom the strategy chooses, or null. With the state held.
ControlThread* Choice() {
  if (ByArrival()) return Dequeue();
  for (;;) {
    const sched::ThreadSet& candidates = Candidates();
    if (candidates.empty()) return nullptr;
    uint32_t slot = g_strategy->Pick({&candidates, g_next, g_last, g_steps});
    if (slot >= sched::kMaxSlots) return nullptr;
    if (g_informed || !WaitsOn(g_slots[slot])) return g_slots[slot];
  }
}

// Threads that wait for what has become possible without an operation on it (a once routine that threw, ...).
bool Recheck() {
  StateHolder hold;
  bool found = false;
  ForEachLive([&found](ControlThread* thread) {
    if (!thread->blocked || thread->point.ready == nullptr || !thread->point.ready(thread->point.context)) return;
    Enable(thread);
    found = true;
  });
  return found;
}

// No thread can go on, and the one that has the turn is about to block outside: another waits for news in its place, or
// the turn is free for whoever comes back.
void LeaveWatch(const ControlThread* self) {
  StateHolder hold;
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

}  // namespace

ControlThread* AskStrategy(bool* comes) {
  StateHolder hold;
  ControlThread* next = Choice();
  *comes = next == nullptr && SomebodyComes();
  return next;
}

void Enqueue(ControlThread* thread) {
  thread->queued = true;
  thread->next_in_queue = nullptr;
  (g_head == nullptr ? g_head : g_tail->next_in_queue) = thread;
  g_tail = thread;
}

static void LeaveQueue(ControlThread* thread) {
  ControlThread* before = nullptr;
  for (ControlThread* at = g_head; at != thread; at = at->next_in_queue) before = at;
  (before == nullptr ? g_head : before->next_in_queue) = thread->next_in_queue;
  if (g_tail == thread) g_tail = before;
  thread->queued = false;
}

void TakeFreeTurn(ControlThread* thread) {
  g_free = false;
  if (thread->queued) LeaveQueue(thread);
  thread->grant.store(kPerform, std::memory_order_relaxed);
}

void Unblock(ControlThread* thread) {
  if (!thread->blocked) return;
  thread->blocked = false;
  --g_waiting[FilterOf(thread->blocked_on)];
}

void MarkBlocked(ControlThread* thread, uint64_t object) {
  thread->blocked = true;
  thread->blocked_on = object;
  ++g_waiting[FilterOf(object)];
  g_enabled.Remove(thread->slot);
}

void ForgetBlocked() {
  for (uint16_t& count : g_waiting) count = 0;
}

void GrantTurn(ControlThread* thread, uint32_t what) {
  thread->grant.store(what, g_on_fibers ? std::memory_order_relaxed : std::memory_order_seq_cst);
  g_carrier->Unpark(thread);
}

// Who goes next. `self` has the turn; what it waits for (if anything) has been said by Block. Null: by arrival, and
// somebody will come.
ControlThread* PickNext(ControlThread* self) {
  bool stands = !Replaying();  // in a replay, the thread is behind its last operation still
  for (;;) {
    if (Replaying()) {
      ControlThread* next = NextOfSchedule();
      if (next != nullptr) return next;
      continue;  // the schedule has ended: the strategy behind it
    }
    bool comes = false;
    ControlThread* next = AskStrategy(&comes);
    if (next != nullptr) {
      if (stands && MayBeStuck()) EndIfStuck(self);
      return next;
    }
    if (ByArrival() && comes) {
      StateHolder hold;
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
    if (!comes && !OthersMayAct() && ExpireTimer()) continue;
    if (Exploring()) {
      NoteStanding();
      if (LastChance()) continue;
    }
    if (!WaitOutside(self, comes)) ReportDeadlock(self);
  }
}

// By arrival on OS threads, the first of the queue may sleep, and takes as long to wake up as 50 steps take. A turn
// that it were given would lie idle meanwhile, the thread that passed it would come to its next operation, find the
// turn taken and sleep in its turn: then every step costs two switches of the kernel. So the turn is free until the
// sleeper has come, and whoever is awake may take it; the order of arrival is kept among those that wait. Not for ever:
// after kMostOffers steps that others made, the turn is given.
static bool OfferTurn(ControlThread* next) {
  constexpr uint32_t kMostOffers = 200;
  static uint32_t offers = 0;
  static uint32_t offered = sched::kNoSlot;
  if (g_on_fibers || !ByArrival() || next->sleeping.load(std::memory_order_relaxed) == 0) return false;
  bool again = offered == next->slot;
  offered = next->slot;
  offers = again ? offers + 1 : 0;
  if (offers >= kMostOffers) {
    offered = sched::kNoSlot;
    return false;
  }
  bool told = false;
  {
    StateHolder hold;  // the word too: behind it, the thread may be gone from the queue
    next->queued = true;
    next->next_in_queue = g_head;
    if (g_head == nullptr) g_tail = next;
    g_head = next;
    g_free = true;
    uint32_t none = kNone;
    told = next->grant.compare_exchange_strong(none, kTry);
  }
  if (told) g_carrier->Unpark(next);
  return true;
}

void PassTurn(ControlThread* self) {
  ControlThread* next = PickNext(self);
  if (next == nullptr) return;
  if (next != self && OfferTurn(next)) return;
  if (next == self) {
    self->grant.store(kPerform, std::memory_order_relaxed);
  } else {
    GrantTurn(next, kPerform);
  }
}

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
  StateHolder hold;
  thread->away = false;
  if (!thread->ended) {
    Unblock(thread);
    thread->timed = false;
    thread->on_descriptor = false;
    g_enabled.Add(thread->slot);
  }
  if (g_free && !ByArrival()) {
    g_free = false;
    GrantTurn(thread, kPerform);
  }
  WakeOutside();
}

void Wake(uint64_t object) {
  if (g_waiting[FilterOf(object)] == 0) return;
  StateHolder hold;
  ForEachLive([object](ControlThread* thread) {
    if (thread->blocked && thread->blocked_on == object) Enable(thread);
  });
}

bool PassOver(ControlThread* thread) {
  StateHolder hold;
  g_enabled.Remove(thread->slot);
  const sched::ThreadSet& candidates = Candidates();
  uint32_t slot = candidates.empty() ? sched::kNoSlot : g_strategy->Pick({&candidates, g_next, g_last, g_steps});
  uint32_t grant = thread->grant.load();
  bool taken = slot != sched::kNoSlot && (grant == kPerform || grant == kChoose) &&
               thread->grant.compare_exchange_strong(grant, kPassed);
  if (!taken) {
    g_enabled.Add(thread->slot);
    return false;
  }
  thread->away = true;
  g_carrier->Unpark(thread);  // it may sleep before its operation, and have been slow to wake
  GrantTurn(g_slots[slot], kPerform);
  return true;
}

void UseStrategy(sched::Strategy* strategy, Carrier* carrier) {
  g_strategy = strategy;
  g_carrier = carrier;
  g_by_arrival = strategy->ByArrival();
  g_informed = strategy->Informed();
  g_on_fibers = carrier->is_fiber();
}

void SwitchStrategy(sched::Strategy* strategy) {
  StateHolder hold;
  UseStrategy(strategy, g_carrier);
  ForEachLive([strategy](ControlThread* thread) {
    strategy->Begins(thread->slot);
    strategy->Named(thread->slot, thread->name);
    if (!strategy->ByArrival() || thread->blocked) return;
    uint32_t none = kNone;
    if (g_on_fibers) {
      if (thread->grant.load() == kNone && !thread->queued) Enqueue(thread);
    } else if (thread->grant.compare_exchange_strong(none, kArrive)) {
      g_carrier->Unpark(thread);
    }
  });
}

}  // namespace heddle::rt::control
