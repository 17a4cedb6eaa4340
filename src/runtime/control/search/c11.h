// C11 atomics under control (option memory=c11): a load reads one of the stores that RC11 allows, not always what
// memory holds; a store may come before others in modification order. sched/c11_graph.h has the rules, docs/explore.md
// the search. Memory always holds the last value of the modification order, so what is not an atomic of at most 8 bytes
// (plain accesses, the kernel's look at a futex) reads that.
//
// Who chooses: a search its plan or the first that is allowed; a replay what the schedule says (HEDDLE_READS); any
// other run the latest store.
#pragma once

#include "runtime/control/turn/control_thread.h"
#include "sched/c11_graph.h"

namespace heddle::rt::control {

extern sched::C11Graph* g_c11;  // null: loads read what memory holds
inline bool C11() { return __builtin_expect(static_cast<long>(g_c11 != nullptr), 0) != 0; }

bool StartC11();

// The calling thread is about to take the turn for this access.
void PrepareC11(const sched::C11Access& access);

struct C11Outcome {
  uint64_t read = 0;
  uint64_t written = 0;
  bool stores = false;
  bool last = false;  // memory must hold `written`
};

// Inside: takes the choice and notes it for the event of this step.
uint32_t ChooseC11(ControlThread* self, uint64_t present);
void NoteC11(ControlThread* self, uint32_t choice, const sched::C11Graph::Performed& performed);

// With the turn: the prepared access. `next(read)` is what it stores.
template <typename Next>
C11Outcome PerformC11(uint64_t present, Next next) {
  ControlThread* self = Self();
  C11Outcome outcome{present, next(present), false, true};
  if (self == nullptr) return outcome;
  uint32_t choice = ChooseC11(self, present);
  auto performed = g_c11->Perform(self->c11.access, present, choice, static_cast<uint32_t>(self->c11.step),
                                  [&](uint64_t read) { return outcome.written = next(read); });
  NoteC11(self, choice, performed);
  self->c11.written = outcome.written;
  outcome.read = performed.read;
  outcome.stores = performed.stores;
  outcome.last = performed.last;
  return outcome;
}

void FenceC11(uint8_t order);
// The kernel's look at a futex: behind a full barrier, at the latest value.
void LookC11(uint64_t address, uint32_t present);
// What an operation that is no atomic hands over; by its event.
void SynchroniseC11(const wire::ExploredEvent& event);
// A block that is given to the program.
void ForgetC11(const void* block, uint64_t bytes);

}  // namespace heddle::rt::control
