// The atomic operations themselves, without any watching. 128 bits go through compare-and-swap, which both compilers
// emit in line (their other 16-byte operations may call a library that the target does not have).
#pragma once

#include <cstdint>

#include "runtime/op.h"

namespace heddle::rt::machine {

__extension__ typedef unsigned __int128 uint128;

template <typename T>
T Load(volatile T* at) {
  if constexpr (sizeof(T) == 16) {
    return __sync_val_compare_and_swap(at, T{0}, T{0});
  } else {
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
  }
}

// The value before; the caller compares it with `expected`.
template <typename T>
T CompareAndSwap(volatile T* at, T expected, T desired) {
  return __sync_val_compare_and_swap(at, expected, desired);
}

template <RmwOp kOp, typename T>
T Result(T old, T operand) {
  switch (kOp) {
    case RmwOp::Exchange:
      return operand;
    case RmwOp::Add:
      return static_cast<T>(old + operand);
    case RmwOp::Sub:
      return static_cast<T>(old - operand);
    case RmwOp::And:
      return static_cast<T>(old & operand);
    case RmwOp::Or:
      return static_cast<T>(old | operand);
    case RmwOp::Xor:
      return static_cast<T>(old ^ operand);
    case RmwOp::Nand:
      return static_cast<T>(~(old & operand));
  }
  return old;
}

// Applies the operation; the value before.
template <RmwOp kOp, typename T>
T Rmw(volatile T* at, T operand) {
  if constexpr (sizeof(T) < 16) {
    if constexpr (kOp == RmwOp::Exchange) return __atomic_exchange_n(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::Add) return __atomic_fetch_add(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::Sub) return __atomic_fetch_sub(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::And) return __atomic_fetch_and(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::Or) return __atomic_fetch_or(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::Xor) return __atomic_fetch_xor(at, operand, __ATOMIC_SEQ_CST);
    if constexpr (kOp == RmwOp::Nand) return __atomic_fetch_nand(at, operand, __ATOMIC_SEQ_CST);
  }
  T old = Load(at);
  for (;;) {
    T seen = CompareAndSwap(at, old, Result<kOp>(old, operand));
    if (seen == old) return old;
    old = seen;
  }
}

template <typename T>
void Store(volatile T* at, T value, Order order) {
  if constexpr (sizeof(T) == 16) {
    Rmw<RmwOp::Exchange>(at, value);
  } else if (order == Order::SeqCst) {
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
  }
}

}  // namespace heddle::rt::machine
