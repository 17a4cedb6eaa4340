#include "runtime/detect/order.h"

#include <new>

#include "runtime/detect/arena.h"

namespace heddle::rt::detect {
namespace {

// Copies the thread's clock. When the same thread released to the object before and has learnt nothing since, only its
// own component is new.
void AssignNow(ThreadOrder& thread, SyncOrder& object) {
  bool only_own =
      object.last != 0 && SlotOf(object.last) == thread.slot && object.learnt == thread.learnt && !object.clock.empty();
  if (only_own) {
    object.clock.Set(thread.slot, thread.epoch);
  } else {
    object.clock.Assign(thread.now);
  }
  object.last = thread.Segment();
  object.learnt = thread.learnt;
}

void ForgetSequences(SyncOrder& location, uint32_t except) {
  Sequence** at = &location.sequences;
  while (*at != nullptr) {
    Sequence* sequence = *at;
    if (sequence->slot == except) {
      at = &sequence->next;
      continue;
    }
    *at = sequence->next;
    sequence->clock.Clear();
    ArenaGive(sequence, sizeof *sequence);
  }
}

Sequence* FindSequence(SyncOrder& location, uint32_t slot) {
  for (Sequence* sequence = location.sequences; sequence != nullptr; sequence = sequence->next) {
    if (sequence->slot == slot) return sequence;
  }
  return nullptr;
}

void RememberSequence(SyncOrder& location, const ThreadOrder& thread) {
  Sequence* sequence = FindSequence(location, thread.slot);
  if (sequence == nullptr) {
    void* block = ArenaTake(sizeof(Sequence));
    if (block == nullptr) return;
    sequence = new (block) Sequence{thread.slot, {}, location.sequences};
    location.sequences = sequence;
  }
  sequence->clock.Assign(thread.now);
}

constexpr uint32_t kNobody = kMaxSlots;

// L_x = V_x(t) with F_t^rel.
void StoreRelaxed(ThreadOrder& thread, SyncOrder& location, Standard standard) {
  Sequence* own = nullptr;
  if (standard == Standard::kCxx11) {
    ForgetSequences(location, thread.slot);
    own = FindSequence(location, thread.slot);
  }
  location.last = 0;
  if (own != nullptr) {
    location.clock.Assign(own->clock);
    location.clock.Join(thread.released);
  } else if (thread.released_segment != 0) {
    location.clock.Assign(thread.released);
    location.last = thread.released_segment;
    location.learnt = 0;
  } else {
    location.clock.Forget();
  }
}

}  // namespace

void ThreadOrder::Begin(uint32_t its_slot, uint64_t its_epoch) {
  slot = its_slot;
  epoch = its_epoch;
  now.Set(slot, epoch);
}

void ThreadOrder::Clear() {
  now.Clear();
  released.Clear();
  pending.Clear();
}

void SyncOrder::Clear() {
  ForgetSequences(*this, kNobody);
  clock.Clear();
  last = 0;
}

void Acquire(ThreadOrder& thread, const SyncOrder& object) {
  if (thread.deaf || (object.last != 0 && thread.Knows(object.last))) return;
  thread.Learn(object.clock);
}

void Release(ThreadOrder& thread, SyncOrder& object) {
  if (thread.deaf) [[unlikely]]
    return;
  bool dominated = object.clock.empty() || (object.last != 0 && thread.Knows(object.last));
  if (dominated) {
    AssignNow(thread, object);
  } else {
    object.clock.Join(thread.now);
    object.last = 0;
  }
  thread.Tick();
}

bool IsKnownTo(const ThreadOrder& thread, const SyncOrder& location) {
  if (location.clock.empty() || thread.deaf) return true;
  Cell last = __atomic_load_n(&location.last, __ATOMIC_RELAXED);
  return last != 0 && thread.Knows(last);
}

void LoadAtomic(ThreadOrder& thread, const SyncOrder& location, bool acquires) {
  if (IsKnownTo(thread, location)) return;
  if (acquires) {
    thread.Learn(location.clock);
  } else {
    thread.pending.Join(location.clock);
  }
}

void StoreAtomic(ThreadOrder& thread, SyncOrder& location, bool releases, Standard standard) {
  if (thread.deaf) [[unlikely]]
    return;
  if (!releases) return StoreRelaxed(thread, location, standard);
  if (standard == Standard::kCxx11) {
    ForgetSequences(location, thread.slot);
    RememberSequence(location, thread);
  }
  AssignNow(thread, location);
  thread.Tick();
}

void UpdateAtomic(ThreadOrder& thread, SyncOrder& location, bool releases, Standard standard) {
  if (thread.deaf) [[unlikely]]
    return;
  if (releases) {
    if (standard == Standard::kCxx11) RememberSequence(location, thread);
    return Release(thread, location);
  }
  if (thread.released_segment == 0 || location.last == thread.released_segment) return;
  location.clock.Join(thread.released);
  location.last = 0;
}

void Fence(ThreadOrder& thread, bool acquires, bool releases) {
  if (thread.deaf) return;
  if (acquires) thread.Learn(thread.pending);
  if (!releases) return;
  thread.released.Assign(thread.now);
  thread.released_segment = thread.Segment();
  thread.Tick();
}

}  // namespace heddle::rt::detect
