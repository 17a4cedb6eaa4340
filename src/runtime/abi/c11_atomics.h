// Atomic operations whose reads are chosen (control/search/c11.h). Inside abi/atomics.cpp: `Before`, `Behind` and
// `KeptApart` are its own.
#pragma once

#include "runtime/abi/machine.h"
#include "runtime/control/search/c11.h"

namespace heddle::rt {

template <typename T>
constexpr bool kChosen = sizeof(T) <= 8;

inline sched::C11Access C11AccessOf(sched::C11Access::Kind kind, const volatile void* address, size_t bytes,
                                    int order) {
  sched::C11Access access;
  access.kind = kind;
  access.order = static_cast<Order>(order & 0xFF);
  access.bytes = static_cast<uint8_t>(bytes);
  access.address = reinterpret_cast<uint64_t>(address);
  return access;
}

// With the turn and the address kept apart: performs it on the graph and on memory.
template <typename T, typename Next>
control::C11Outcome PerformOnMemory(volatile T* address, Next next) {
  auto present = static_cast<uint64_t>(machine::Load(address));
  control::C11Outcome outcome =
      control::PerformC11(present, [&](uint64_t read) { return static_cast<uint64_t>(next(static_cast<T>(read))); });
  if (outcome.stores && outcome.last) machine::Store(address, static_cast<T>(outcome.written), Order::SeqCst);
  return outcome;
}

}  // namespace heddle::rt
