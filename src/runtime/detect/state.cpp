#include "runtime/detect/state.h"

#include "runtime/detect/arena.h"
#include "runtime/memory/pages.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

ThreadRecord* g_records = nullptr;

struct Owner {
  uint64_t first_epoch;
  uint32_t thread;
};
constexpr uint32_t kOwners = 32;  // the latest; accesses of earlier ones are long gone from the history

struct Slot {
  bool used = false;
  bool live = false;
  uint64_t last_epoch = 0;
  uint64_t ended_at = 0;
  History* history = nullptr;
  uint32_t owner_count = 0;
  Owner owners[kOwners];
};
Slot* g_slots = nullptr;
uint32_t g_used = 0;
uint64_t g_ends = 0;
SpinLock g_slots_lock;

// A slot whose last owner's end is known to the creator, else one never used, else the one that ended first.
uint32_t ChooseSlot(const ThreadOrder* creator) {
  uint32_t oldest = kMaxSlots;
  for (uint32_t i = 0; i < g_used; ++i) {
    if (g_slots[i].live) continue;
    if (creator != nullptr && creator->now.Get(i) >= g_slots[i].last_epoch) return i;
    if (oldest == kMaxSlots || g_slots[i].ended_at < g_slots[oldest].ended_at) oldest = i;
  }
  return g_used < kMaxSlots ? g_used++ : oldest;
}

}  // namespace

bool StartState() {
  if (g_slots != nullptr) return true;
  g_records = static_cast<ThreadRecord*>(MapPages(kMaxThreads * sizeof(ThreadRecord)));
  g_slots = static_cast<Slot*>(MapPages(kMaxSlots * sizeof(Slot)));
  return g_records != nullptr && g_slots != nullptr;
}

ThreadRecord* RecordOf(uint32_t number) { return number < kMaxThreads ? &g_records[number] : nullptr; }

bool TakeSlot(const ThreadOrder* creator, uint32_t number, uint32_t* slot, uint64_t* first_epoch) {
  SpinHolder hold(g_slots_lock);
  uint32_t index = ChooseSlot(creator);
  if (index == kMaxSlots) return false;
  Slot& chosen = g_slots[index];
  if (chosen.history == nullptr) chosen.history = static_cast<History*>(MapPages(sizeof(History)));
  if (chosen.history == nullptr) return false;
  chosen.used = chosen.live = true;
  *slot = index;
  *first_epoch = chosen.last_epoch + 1;
  chosen.owners[chosen.owner_count++ % kOwners] = {*first_epoch, number};
  return true;
}

void EndSlot(uint32_t slot, uint64_t last_epoch) {
  SpinHolder hold(g_slots_lock);
  g_slots[slot].live = false;
  g_slots[slot].last_epoch = last_epoch;
  g_slots[slot].ended_at = ++g_ends;
}

void EndOtherSlots(ThreadOrder& self) {
  SpinHolder hold(g_slots_lock);
  for (uint32_t i = 0; i < g_used; ++i) {
    // How far the others were is only in their own memory: this is beyond it, and far below kFreedEpoch, whose bit
    // would make every cell of the slot's next owner one of freed memory. Fifteen forks in a row, each with other
    // threads, stay below.
    constexpr uint64_t kBeyond = uint64_t{1} << 30U;
    constexpr uint64_t kMost = kFreedEpoch - kBeyond;
    if (i == self.slot) continue;
    if (g_slots[i].live && g_slots[i].last_epoch < kMost) g_slots[i].last_epoch += kBeyond;
    g_slots[i].live = false;
    self.now.Set(i, g_slots[i].last_epoch);
  }
  ++self.learnt;
}

History* HistoryOf(uint32_t slot) { return g_slots[slot].history; }

uint32_t OwnerOf(uint32_t slot, uint64_t epoch) {
  SpinHolder hold(g_slots_lock);
  const Slot& its = g_slots[slot];
  for (uint32_t back = 1; back <= kOwners && back <= its.owner_count; ++back) {
    const Owner& owner = its.owners[(its.owner_count - back) % kOwners];
    if (owner.first_epoch <= epoch) return owner.thread;
  }
  return UINT32_MAX;
}

void LockSlots() { g_slots_lock.Lock(); }
void UnlockSlots() { g_slots_lock.Unlock(); }

uint32_t NumberStack() {
  Thread* thread = t_hot.thread;
  if (thread == nullptr) return 0;
  Frame* top = t_hot.top < t_hot.limit ? t_hot.top : t_hot.limit;
  if (top == thread->frames) return 0;
  if (top[-1].node != 0) return top[-1].node;
  Frame* unknown = top;
  while (unknown > thread->frames && unknown[-1].node == 0) --unknown;
  uint32_t parent = unknown == thread->frames ? 0 : unknown[-1].node;
  for (; unknown < top; ++unknown) {
    // Frames that a signal handler skipped were never written.
    if (unknown->call_pc != 0) parent = DepotPut(parent, unknown->call_pc);
    unknown->node = parent;
  }
  return parent;
}

}  // namespace heddle::rt::detect
