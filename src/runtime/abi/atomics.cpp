// The compiler's calls for atomic operations, 8 to 128 bits, and the fences.
//
// Off: the operation itself. Detect mode without control has ways of its own (direct_atomics.h). Otherwise operations
// on one address are kept apart while the operation and its place in the order are fixed, so the order in the trace is
// the modification order, and each load shows what it read.
#include <sys/syscall.h>

#include "runtime/abi/c11_atomics.h"
#include "runtime/abi/direct_atomics.h"
#include "runtime/abi/machine.h"
#include "runtime/control/search/await.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/raw_syscall.h"
#include "runtime/visible.h"
#include "wire/result_hint.h"

#define HEDDLE_ABI extern "C" __attribute__((visibility("default")))
#define HEDDLE_PC __builtin_return_address(0)

namespace heddle::rt {
namespace {

using machine::uint128;

template <typename T>
uint64_t Low(T value) {
  return static_cast<uint64_t>(value);
}
uint64_t High(uint128 value) { return static_cast<uint64_t>(value >> 64U); }

// The high halves of a 128-bit operation, right behind the event with the low ones.
template <typename T>
void CommitHigh(const Op& op, T first, T second) {
  if constexpr (sizeof(T) == 16) {
    Op high = op;
    high.kind = Kind::AtomicHigh;
    high.arg = High(first);
    high.arg2 = High(second);
    high.arg3 = 0;
    g_hooks.commit(high);
  }
}

Op AtomicOp(Kind kind, const volatile void* address, size_t bytes, int order, const void* pc) {
  Op op = MakeOp(kind, address, pc);
  op.detail = static_cast<uint8_t>(bytes);
  op.order = static_cast<uint8_t>(order & 0xFF);  // gcc puts hints into higher bits
  return op;
}

// Under control: a visible operation, or one of many that are not. Out of line: the others must not pay for it.
// `operand`: what is compared, or the right side of the read-modify-write `how`.
__attribute__((noinline)) void Before(Kind kind, const volatile void* address, size_t bytes, const void* pc,
                                      uint64_t operand = 0, RmwOp how = RmwOp::Exchange, bool unused = false) {
  if (control::g_visible < control::Visible::kAtomics) return control::CountInvisible(pc);
  control::Point point = control::PointOf(static_cast<uint8_t>(kind), reinterpret_cast<uint64_t>(address), pc);
  point.writes = kind != Kind::AtomicLoad;
  point.detail = control::AtomicDetail{static_cast<uint8_t>(bytes), how}.Pack();
  point.arg = operand;
  point.unused = unused;
  if (control::Exploring()) control::MakeAwait(&point, static_cast<uint8_t>(bytes));
  control::Take(point);
  control::NoteMemoryBefore();
}
// `changed`: others may read something else now.
__attribute__((noinline)) void Behind(bool changed) {
  if (control::g_visible >= control::Visible::kAtomics) return control::Done(Outcome::Success, !changed);
  if (changed && control::Exploring()) control::NoteHiddenEffect();
}

// Runs `body` with other operations on the address kept out.
template <typename Body>
auto KeptApart(const void* address, Body body) {
  RuntimeScope scope;
  g_hooks.atomic_enter(address);
  auto result = body();
  g_hooks.atomic_leave(address);
  return result;
}

// `act` is the operation, `tell(result)` commits it and returns what the program sees, `both` does one after the other.
template <typename T, typename Act, typename Tell, typename Both>
T Perform(const volatile T* address, int order, bool stores, Act act, Tell tell, Both both) {
  RuntimeScope scope;
  const void* plain = const_cast<const T*>(address);
  bool relaxed = static_cast<Order>(order & 0xFF) == Order::Relaxed;
  if (relaxed && g_hooks.atomic_need != nullptr) {
    AtomicNeed need = g_hooks.atomic_need(plain, sizeof(T), stores);
    if (need != AtomicNeed::kOrdered) {
      T result = act();
      // Asked again: the first operation with an order may have come meanwhile.
      bool nothing = need == AtomicNeed::kNothing && g_hooks.atomic_need(plain, sizeof(T), stores) == need;
      return nothing ? result : tell(result);
    }
  }
  return KeptApart(plain, both);
}
template <typename T, typename Act, typename Tell>
T Perform(const volatile T* address, int order, bool stores, Act act, Tell tell) {
  return Perform(address, order, stores, act, tell, [&] { return tell(act()); });
}

// A thread that only looks, again and again, waits for another one: which may need its processor. What a plain program
// spins for a microsecond is many times that here, and a whole time slice for each look when processors are few.
constexpr uint32_t kLooksBeforeYield = 256;
inline void Looked() {
  if (++t_hot.looks % kLooksBeforeYield == 0) [[unlikely]]
    Sys(SYS_sched_yield);
}
inline void Changed() { t_hot.looks = 0; }
// The same for functions without a frame: the result goes through.
template <typename T>
__attribute__((noinline, cold)) T Yielded(T result) {
  Sys(SYS_sched_yield);
  return result;
}
template <typename T>
inline T Counted(bool changed, T result) {
  t_hot.looks = changed ? 0 : t_hot.looks + 1;
  if (!changed && t_hot.looks % kLooksBeforeYield == 0) [[unlikely]]
    return Yielded(result);
  return result;
}

template <typename T>
T ChosenLoad(volatile T* at, int order, const void* pc) {
  control::PrepareC11(C11AccessOf(sched::C11Access::kLoad, at, sizeof(T), order));
  Before(Kind::AtomicLoad, at, sizeof(T), pc);
  auto value = KeptApart(const_cast<const T*>(at), [&] {
    control::C11Outcome outcome = PerformOnMemory(at, [](T read) { return read; });
    Op op = AtomicOp(Kind::AtomicLoad, at, sizeof(T), order, pc);
    op.arg = outcome.read;
    g_hooks.commit(op);
    return static_cast<T>(outcome.read);
  });
  Behind(false);
  return value;
}

template <typename T>
void ChosenStore(volatile T* address, T value, int order, const void* pc) {
  control::PrepareC11(C11AccessOf(sched::C11Access::kStore, address, sizeof(T), order));
  Before(Kind::AtomicStore, address, sizeof(T), pc);
  KeptApart(const_cast<const T*>(address), [&] {
    PerformOnMemory(address, [&](T) { return value; });
    Op op = AtomicOp(Kind::AtomicStore, address, sizeof(T), order, pc);
    op.arg = Low(value);
    g_hooks.commit(op);
    return 0;
  });
  Behind(true);
}

template <RmwOp kOp, typename T>
T ChosenRmw(volatile T* address, T operand, int order, const void* pc) {
  control::PrepareC11(C11AccessOf(sched::C11Access::kUpdate, address, sizeof(T), order));
  Before(Kind::AtomicRmw, address, sizeof(T), pc, Low(operand), kOp);
  bool changed = false;
  T before = KeptApart(const_cast<const T*>(address), [&] {
    control::C11Outcome outcome = PerformOnMemory(address, [&](T read) { return machine::Result<kOp>(read, operand); });
    Op op = AtomicOp(Kind::AtomicRmw, address, sizeof(T), order, pc);
    op.result = static_cast<uint8_t>(kOp);
    op.arg = outcome.read;
    op.arg2 = outcome.written;
    changed = outcome.written != outcome.read;
    g_hooks.commit(op);
    return static_cast<T>(outcome.read);
  });
  Behind(changed);
  return before;
}

template <typename T>
bool ChosenCas(volatile T* address, T* expected, T desired, int order, int failure_order, const void* pc) {
  sched::C11Access access = C11AccessOf(sched::C11Access::kCompare, address, sizeof(T), order);
  access.failure = static_cast<Order>(failure_order & 0xFF);
  access.expected = Low(*expected);
  control::PrepareC11(access);
  Before(Kind::AtomicCas, address, sizeof(T), pc, Low(*expected));
  bool swapped = KeptApart(const_cast<const T*>(address), [&] {
    T before = *expected;
    control::C11Outcome outcome = PerformOnMemory(address, [&](T) { return desired; });
    *expected = static_cast<T>(outcome.read);
    Op op = AtomicOp(Kind::AtomicCas, address, sizeof(T), outcome.stores ? order : failure_order, pc);
    op.result = outcome.stores ? 1 : 0;
    op.arg = outcome.read;
    op.arg2 = Low(desired);
    op.arg3 = Low(before);
    g_hooks.commit(op);
    return outcome.stores;
  });
  Behind(swapped);
  return swapped;
}

// kTurns: under control.
template <bool kTurns, typename T>
T Load(const volatile T* address, int order, const void* pc) {
  auto* at = const_cast<volatile T*>(address);
  if (Passive()) return machine::Load(at);
  if constexpr (!kTurns) {
    if (detect::DetectThread* self = DirectThread()) {
      T value = DirectLoad(self, at, order, pc);
      Looked();
      return value;
    }
  }
  if constexpr (kTurns && kChosen<T>) {
    if (control::C11()) return ChosenLoad(at, order, pc);
  }
  if (kTurns) Before(Kind::AtomicLoad, at, sizeof(T), pc);
  auto tell = [&](T value) {
    Op op = AtomicOp(Kind::AtomicLoad, at, sizeof(T), order, pc);
    if (sizeof(T) <= 8 && g_hooks.atomic_choose != nullptr) {
      uint64_t chosen = Low(value);
      g_hooks.atomic_choose(op, &chosen);
      value = static_cast<T>(chosen);
    }
    op.arg = Low(value);
    g_hooks.commit(op);
    CommitHigh<T>(op, value, 0);
    return value;
  };
  T loaded = Perform(address, order, false, [at] { return machine::Load(at); }, tell);
  if (kTurns) Behind(false);
  if (!kTurns) Looked();
  return loaded;
}

template <bool kTurns, typename T>
void Store(volatile T* address, T value, int order, const void* pc) {
  if (Passive()) return machine::Store(address, value, static_cast<Order>(order));
  if constexpr (!kTurns) {
    Changed();
    if (detect::DetectThread* self = DirectThread()) return DirectStore(self, address, value, order, pc);
  }
  if constexpr (kTurns && kChosen<T>) {
    if (control::C11()) return ChosenStore(address, value, order, pc);
  }
  if (kTurns) Before(Kind::AtomicStore, address, sizeof(T), pc);
  auto act = [&] {
    machine::Store(address, value, Order::SeqCst);
    return value;
  };
  auto tell = [&](T stored) {
    Op op = AtomicOp(Kind::AtomicStore, address, sizeof(T), order, pc);
    op.arg = Low(stored);
    g_hooks.commit(op);
    CommitHigh<T>(op, stored, 0);
    return stored;
  };
  // The commit may look at what the store replaces.
  Perform(address, order, true, act, tell, [&] {
    tell(value);
    return act();
  });
  if (kTurns) Behind(true);
}

template <bool kTurns, RmwOp kOp, typename T>
T Rmw(volatile T* address, T operand, int order, const void* pc) {
  if (Passive()) return machine::Rmw<kOp>(address, operand);
  if constexpr (!kTurns) {
    if (detect::DetectThread* self = DirectThread()) {
      T old = DirectRmw<kOp>(self, address, operand, order, pc);
      machine::Result<kOp>(old, operand) != old ? Changed() : Looked();
      return old;
    }
  }
  if constexpr (kTurns && kChosen<T>) {
    if (control::C11()) return ChosenRmw<kOp>(address, operand, order, pc);
  }
  bool unused = (order & wire::kResultUnused) != 0;
  if (kTurns) Before(Kind::AtomicRmw, address, sizeof(T), pc, Low(operand), kOp, unused);
  auto tell = [&](T old) {
    T now = machine::Result<kOp>(old, operand);
    Op op = AtomicOp(Kind::AtomicRmw, address, sizeof(T), order, pc);
    op.result = static_cast<uint8_t>(kOp);
    op.arg = Low(old);
    op.arg2 = Low(now);
    if (kTurns && unused && control::LeavesOrdersOpen()) op.arg3 = kLearnsNothing;
    g_hooks.commit(op);
    CommitHigh<T>(op, old, now);
    return old;
  };
  T before = Perform(address, order, true, [&] { return machine::Rmw<kOp>(address, operand); }, tell);
  bool changed = machine::Result<kOp>(before, operand) != before;
  if (kTurns) Behind(changed);
  if (!kTurns) changed ? Changed() : Looked();
  return before;
}

template <bool kTurns, typename T>
bool Cas(volatile T* address, T* expected, T desired, int order, int failure_order, const void* pc) {
  auto attempt = [&] {
    T seen = machine::CompareAndSwap(address, *expected, desired);
    bool stored = seen == *expected;
    *expected = seen;
    return stored;
  };
  if (Passive()) return attempt();
  t_hot.attempted = 1;
  if constexpr (!kTurns) {
    if (detect::DetectThread* self = DirectThread()) {
      T seen = DirectCas(self, address, *expected, desired, order, failure_order, pc);
      bool stored = seen == *expected;
      *expected = seen;
      stored ? Changed() : Looked();
      return stored;
    }
  }
  if constexpr (kTurns && kChosen<T>) {
    if (control::C11()) return ChosenCas(address, expected, desired, order, failure_order, pc);
  }
  if (kTurns) Before(Kind::AtomicCas, address, sizeof(T), pc, Low(*expected));
  bool swapped = KeptApart(const_cast<const T*>(address), [&] {
    T before = *expected;
    bool stored = attempt();
    Op op = AtomicOp(Kind::AtomicCas, address, sizeof(T), stored ? order : failure_order, pc);
    op.result = stored ? 1 : 0;
    op.arg = Low(*expected);
    op.arg2 = Low(desired);
    op.arg3 = Low(before);
    g_hooks.commit(op);
    CommitHigh<T>(op, *expected, desired);
    return stored;
  });
  if (kTurns) Behind(swapped);
  if (!kTurns) swapped ? Changed() : Looked();
  return swapped;
}

// The same under control. Not inlined, and called before the caller's registers are used for anything else: a search
// looks at them and at the stack (control/search/spin_loop.h), to see whether a loop has come round without a change.

template <typename T>
__attribute__((noinline)) T LoadInTurn(const volatile T* address, int order) {
  HEDDLE_WATCH_LOOP();
  return Load<true>(address, order, HEDDLE_PC);
}
template <RmwOp kOp, typename T>
__attribute__((noinline)) T RmwInTurn(volatile T* address, T operand, int order) {
  HEDDLE_WATCH_LOOP();
  return Rmw<true, kOp>(address, operand, order, HEDDLE_PC);
}
template <typename T>
__attribute__((noinline)) int CasInTurn(volatile T* address, T* expected, T desired, int order, int failure) {
  HEDDLE_WATCH_LOOP();
  return static_cast<int>(Cas<true>(address, expected, desired, order, failure, HEDDLE_PC));
}
// `expected` is a value: what was in memory comes back.
template <typename T>
__attribute__((noinline)) T CasValueInTurn(volatile T* address, T expected, T desired, int order, int failure) {
  HEDDLE_WATCH_LOOP();
  Cas<true>(address, &expected, desired, order, failure, HEDDLE_PC);
  return expected;
}

// What is neither off, nor controlled, nor a repeated operation. Not inlined: those three need no frame.
template <typename T>
__attribute__((noinline)) T OtherLoad(const volatile T* address, int order, const void* pc) {
  return Load<false>(address, order, pc);
}
template <typename T>
__attribute__((noinline)) void OtherStore(volatile T* address, T value, int order, const void* pc) {
  Store<false>(address, value, order, pc);
}
template <RmwOp kOp, typename T>
__attribute__((noinline)) T OtherRmw(volatile T* address, T operand, int order, const void* pc) {
  return Rmw<false, kOp>(address, operand, order, pc);
}
template <typename T>
__attribute__((noinline)) bool OtherCas(volatile T* address, T* expected, T desired, int order, int failure,
                                        const void* pc) {
  return Cas<false>(address, expected, desired, order, failure, pc);
}

template <typename T>
inline T AnyLoad(const volatile T* address, int order, const void* pc) {
  if (g_mode == Mode::Off) return machine::Load(const_cast<volatile T*>(address));
  T value;
  return LoadAgain(address, order, &value) ? Counted(false, value) : OtherLoad(address, order, pc);
}
template <typename T>
inline void AnyStore(volatile T* address, T value, int order, const void* pc) {
  if (g_mode == Mode::Off) return machine::Store(address, value, static_cast<Order>(order & 0xFF));
  StoreAgain(address, value, order) ? Changed() : OtherStore(address, value, order, pc);
}
template <RmwOp kOp, typename T>
inline T AnyRmw(volatile T* address, T operand, int order, const void* pc) {
  if (g_mode == Mode::Off) return machine::Rmw<kOp>(address, operand);
  T before;
  if (!UpdateAgain(address, order, pc, &before, [&] { return machine::Rmw<kOp>(address, operand); }))
    return OtherRmw<kOp>(address, operand, order, pc);
  return Counted(machine::Result<kOp>(before, operand) != before, before);
}
template <typename T>
inline bool AnyCas(volatile T* address, T* expected, T desired, int order, int failure, const void* pc) {
  if (g_mode == Mode::Off || static_cast<Order>(failure & 0xFF) != Order::Relaxed)
    return OtherCas(address, expected, desired, order, failure, pc);
  T seen;
  if (!UpdateAgain(address, order, pc, &seen, [&] { return machine::CompareAndSwap(address, *expected, desired); }))
    return OtherCas(address, expected, desired, order, failure, pc);
  t_hot.attempted = 1;
  bool stored = seen == *expected;
  *expected = seen;
  return Counted(stored, stored);
}

}  // namespace
}  // namespace heddle::rt

using heddle::rt::Kind;
using heddle::rt::RmwOp;

#define HEDDLE_RMW(T, bits, name, op)                                                    \
  HEDDLE_ABI T __tsan_atomic##bits##_##name(volatile T* a, T v, int order) {             \
    if (heddle::rt::control::On()) return heddle::rt::RmwInTurn<RmwOp::op>(a, v, order); \
    return heddle::rt::AnyRmw<RmwOp::op>(a, v, order, HEDDLE_PC);                        \
  }

#define HEDDLE_ATOMIC(T, bits)                                                                                      \
  HEDDLE_ABI T __tsan_atomic##bits##_load(const volatile T* a, int order) {                                         \
    if (heddle::rt::control::On()) return heddle::rt::LoadInTurn(a, order);                                         \
    return heddle::rt::AnyLoad(a, order, HEDDLE_PC);                                                                \
  }                                                                                                                 \
  HEDDLE_ABI void __tsan_atomic##bits##_store(volatile T* a, T v, int order) {                                      \
    if (heddle::rt::control::On()) return heddle::rt::Store<true>(a, v, order, HEDDLE_PC);                          \
    heddle::rt::AnyStore(a, v, order, HEDDLE_PC);                                                                   \
  }                                                                                                                 \
  HEDDLE_RMW(T, bits, exchange, Exchange)                                                                           \
  HEDDLE_RMW(T, bits, fetch_add, Add)                                                                               \
  HEDDLE_RMW(T, bits, fetch_sub, Sub)                                                                               \
  HEDDLE_RMW(T, bits, fetch_and, And)                                                                               \
  HEDDLE_RMW(T, bits, fetch_or, Or)                                                                                 \
  HEDDLE_RMW(T, bits, fetch_xor, Xor)                                                                               \
  HEDDLE_RMW(T, bits, fetch_nand, Nand)                                                                             \
  HEDDLE_ABI int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* expected, T v, int order,          \
                                                               int failure) {                                       \
    if (heddle::rt::control::On()) return heddle::rt::CasInTurn(a, expected, v, order, failure);                    \
    return heddle::rt::AnyCas(a, expected, v, order, failure, HEDDLE_PC);                                           \
  }                                                                                                                 \
  HEDDLE_ABI int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* expected, T v, int order,            \
                                                             int failure) {                                         \
    if (heddle::rt::control::On()) return heddle::rt::CasInTurn(a, expected, v, order, failure);                    \
    return heddle::rt::AnyCas(a, expected, v, order, failure, HEDDLE_PC);                                           \
  }                                                                                                                 \
  HEDDLE_ABI T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T v, int order, int failure) { \
    if (heddle::rt::control::On()) return heddle::rt::CasValueInTurn(a, expected, v, order, failure);               \
    heddle::rt::AnyCas(a, &expected, v, order, failure, HEDDLE_PC);                                                 \
    return expected;                                                                                                \
  }

HEDDLE_ATOMIC(uint8_t, 8)
HEDDLE_ATOMIC(uint16_t, 16)
HEDDLE_ATOMIC(uint32_t, 32)
HEDDLE_ATOMIC(uint64_t, 64)
HEDDLE_ATOMIC(heddle::rt::machine::uint128, 128)

HEDDLE_ABI void __tsan_atomic_thread_fence(int order) {
  if (static_cast<heddle::rt::Order>(order) == heddle::rt::Order::SeqCst) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (heddle::rt::Passive()) return;
  heddle::rt::Op op = heddle::rt::MakeOp(Kind::Fence, nullptr, HEDDLE_PC);
  op.order = static_cast<uint8_t>(order);
  bool visible = heddle::rt::control::On() && heddle::rt::control::g_visible >= heddle::rt::control::Visible::kAtomics;
  if (visible) heddle::rt::control::Take(heddle::rt::control::PointOf(op));
  heddle::rt::Commit(op);
  if (visible && heddle::rt::control::C11()) heddle::rt::control::FenceC11(static_cast<uint8_t>(order));
  if (visible) heddle::rt::control::Done(heddle::rt::Outcome::Success, true);
}

// Orders a thread against its own signal handlers only: the compiler has done all there is to do.
HEDDLE_ABI void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
