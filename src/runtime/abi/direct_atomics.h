// Atomic operations in detect mode at full concurrency: the operation itself, with what detect/atomic_turn.h wants to
// know before and behind it. No Op is made and no table of functions is asked.
#pragma once

#include "runtime/abi/machine.h"
#include "runtime/detect/atomic_turn.h"

namespace heddle::rt {

// The thread if the operation is done here; null: the mode has a say (atomics.cpp).
inline detect::DetectThread* DirectThread() { return detect::g_direct_atomics ? detect::Self() : nullptr; }

template <typename T>
detect::AtomicAccess AccessTo(const volatile T* at, bool stores, int order, const void* pc) {
  return {reinterpret_cast<uint64_t>(at),      sizeof(T), stores, detect::AcquiresBy(order),
          stores && detect::ReleasesBy(order), pc};
}

// A repeated operation (detect/atomic_turn.h), done at once: no call, no frame, nothing shared is written but by the
// operation itself. A signal handler may come between any two instructions and leave another entry, epoch or version
// behind: all are asked for again when the operation is done.
struct Repeated {
  const detect::RecentAtomic* known = nullptr;  // null: it is not one
  const detect::Stripe* stripe = nullptr;
  uint64_t access = 0;
  uint64_t version = 0;

  bool Holds() const {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return known->access == access && known->segment == __heddle_segment && known->version == version &&
           stripe->Version() == version;
  }
};
template <typename T>
Repeated FindRepeated(const volatile T* at, bool stores, bool acquires) {
  Thread* thread = t_hot.thread;
  if (!detect::g_direct_atomics || (t_hot.in_runtime | t_hot.gone) != 0 || thread == nullptr) return {};
  detect::DetectThread* self = thread->detect;
  if (self == nullptr) return {};
  detect::RecentAtomic wanted =
      detect::RecentAtomic::Of(__heddle_segment, reinterpret_cast<uint64_t>(at), sizeof(T), stores, acquires);
  Repeated found{&self->recent[RecentPlace(wanted)], &detect::StripeOf(reinterpret_cast<uint64_t>(at)), wanted.access};
  found.version = found.known->version;
  return found.Holds() ? found : Repeated{};
}

template <typename T>
bool LoadAgain(const volatile T* at, int order, T* value) {
  Repeated known = FindRepeated(at, false, detect::AcquiresBy(order));
  if (known.known == nullptr) return false;
  *value = machine::Load(const_cast<volatile T*>(at));
  return known.Holds();
}
template <typename T>
bool StoreAgain(volatile T* at, T value, int order) {
  if (static_cast<Order>(order & 0xFF) != Order::Relaxed) return false;
  if (FindRepeated(at, true, false).known == nullptr) return false;
  machine::Store(at, value, Order::Relaxed);
  return true;
}

// Behind a read-modify-write that was not a repeated one after all: an operation with an order came meanwhile.
__attribute__((noinline, cold)) inline void CountLate(uint64_t address, uint32_t bytes, const void* pc) {
  RuntimeScope scope;
  detect::AtomicAccess access{address, bytes, true, false, false, pc};
  detect::EnterAtomic(detect::Self(), access);
  detect::UpdateLate(detect::Self(), access);
}
// `operate` returns what was in memory.
template <typename T, typename Operate>
bool UpdateAgain(volatile T* at, int order, const void* pc, T* before, Operate operate) {
  if (static_cast<Order>(order & 0xFF) != Order::Relaxed) return false;
  Repeated known = FindRepeated(at, true, false);
  if (known.known == nullptr) return false;
  *before = operate();
  if (!known.Holds()) [[unlikely]]
    CountLate(reinterpret_cast<uint64_t>(at), sizeof(T), pc);
  return true;
}

template <typename T>
__attribute__((noinline)) T FreshLoad(detect::DetectThread* self, volatile T* at, const detect::AtomicAccess& access) {
  detect::EnterAtomic(self, access);
  uint64_t version = 0;
  if (detect::IsIdleLoad(self, access.address, &version)) {
    T value = machine::Load(at);
    if (detect::IsUnchanged(access, version)) {
      detect::Remember(self, access, version);
      return value;
    }
  }
  detect::AtomicTurn turn(self, access.address, false);
  T value = machine::Load(at);
  turn.Load(access.acquires);
  detect::Remember(self, access, turn.version());
  return value;
}

template <typename T>
T DirectLoad(detect::DetectThread* self, volatile T* at, int order, const void* pc) {
  RuntimeScope scope;
  detect::AtomicAccess access = AccessTo(at, false, order, pc);
  uint64_t version = 0;
  if (detect::IsRepeated(self, access, &version)) [[likely]] {
    T value = machine::Load(at);
    if (detect::IsUnchanged(access, version)) [[likely]]
      return value;
  }
  return FreshLoad(self, at, access);
}

template <typename T>
void DirectStore(detect::DetectThread* self, volatile T* at, T value, int order, const void* pc) {
  RuntimeScope scope;
  detect::AtomicAccess access = AccessTo(at, true, order, pc);
  uint64_t version = 0;
  auto plain = static_cast<Order>(order & 0xFF);
  if (!access.releases && detect::IsRepeated(self, access, &version)) return machine::Store(at, value, plain);
  detect::EnterAtomic(self, access);
  if (!access.releases && detect::IsIdle(self, access.address, &version)) {
    machine::Store(at, value, plain);
    return detect::Remember(self, access, version);
  }
  detect::AtomicTurn turn(self, access.address, true);
  machine::Store(at, value, plain);
  turn.Store(access.releases);
}

template <RmwOp kOp, typename T>
T DirectRmw(detect::DetectThread* self, volatile T* at, T operand, int order, const void* pc) {
  RuntimeScope scope;
  detect::AtomicAccess access = AccessTo(at, true, order, pc);
  bool relaxed = !access.acquires && !access.releases;
  uint64_t version = 0;
  bool idle = relaxed && detect::IsRepeated(self, access, &version);
  if (!idle) {
    detect::EnterAtomic(self, access);
    idle = relaxed && detect::IsIdle(self, access.address, &version);
  }
  if (idle) {
    T before = machine::Rmw<kOp>(at, operand);
    if (detect::IsUnchanged(access, version)) {
      detect::Remember(self, access, version);
    } else {
      detect::UpdateLate(self, access);
    }
    return before;
  }
  detect::AtomicTurn turn(self, access.address, detect::ChangesClock(self, access));
  T before = machine::Rmw<kOp>(at, operand);
  turn.Load(access.acquires);
  turn.Update(access.releases);
  return before;
}

// What was in memory.
template <typename T>
T DirectCas(detect::DetectThread* self, volatile T* at, T expected, T desired, int order, int failure, const void* pc) {
  RuntimeScope scope;
  detect::AtomicAccess access = AccessTo(at, true, order, pc);
  detect::AtomicAccess failed = AccessTo(at, false, failure, pc);
  bool relaxed = !access.acquires && !access.releases && !failed.acquires;
  uint64_t version = 0;
  if (relaxed && detect::IsIdle(self, access.address, &version)) {
    T seen = machine::CompareAndSwap(at, expected, desired);
    const detect::AtomicAccess& done = seen == expected ? access : failed;
    detect::EnterAtomic(self, done);
    if (!detect::IsUnchanged(done, version)) detect::UpdateLate(self, done);
    return seen;
  }
  detect::AtomicTurn turn(self, access.address, detect::ChangesClock(self, access));
  T seen = machine::CompareAndSwap(at, expected, desired);
  if (seen == expected) {
    detect::EnterAtomic(self, access);
    turn.Load(access.acquires);
    turn.Update(access.releases);
  } else {
    turn.ChangedNothing();
    detect::EnterAtomic(self, failed);
    turn.Load(failed.acquires);
  }
  return seen;
}

}  // namespace heddle::rt
