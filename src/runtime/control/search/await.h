// Loops that wait for a value, under a search (docs/explore.md, "Awaits"). The pass plugin tells the condition right
// before the atomic (instrument/pass/awaits.h); the thread then waits before it, as before a lock, until the condition
// holds of what memory has or, with memory=c11, of a store that it may read. Outside of a search nothing happens.
#pragma once

#include <cstdint>

#include "wire/explored_event.h"

namespace heddle::rt::control {

struct Point;
struct ControlThread;

// Of the atomic that the thread comes to next or stands before.
struct Await {
  uint8_t await_bits = 0;  // 0: it is no await
  wire::Condition condition = wire::Condition::kNone;
  uint8_t bytes = 0;  // of the atomic
  uint64_t operand = 0;
  uint64_t address = 0;
};

// By the calling thread: the next atomic is an await.
void TellAwait(uint32_t condition, uint32_t bits, uint64_t operand);
// The point of that atomic, of so many bytes: it waits if it is one.
void MakeAwait(Point* point, uint8_t bytes);
// Whether the thread stands before an await.
bool Awaits(const ControlThread* thread);
// What the search is to know of it. `performed`: unless the thread went on for another reason.
void SetAwait(wire::ExploredEvent* event, const ControlThread* thread, bool performed);

}  // namespace heddle::rt::control
