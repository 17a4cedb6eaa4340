// A strategy decides which thread performs the next visible operation. The scheduler in the target asks it; tests and
// searches may ask it too. docs/add-a-strategy.md is the recipe for a new one.
//
// Threads are named by slot: a small number that a thread has while it lives, the lowest that was free when it was
// created. A strategy is called by one thread at a time and may depend on nothing but what it is told and its seed;
// then the same program under the same seed gives the same schedule.
//
// Freestanding: no allocation, no exceptions, no libstdc++ (these classes are linked into the target).
#pragma once

#include <cstdint>

#include "sched/next_op.h"
#include "sched/thread_set.h"

namespace heddle::sched {

// What a strategy may look at when it picks.
struct View {
  const ThreadSet* enabled = nullptr;  // never empty
  const NextOp* next = nullptr;        // by slot; only for informed strategies
  uint32_t last = kNoSlot;             // who performed the last operation
  uint64_t step = 0;                   // how many have been performed
};

class Strategy {
 public:
  // Whether Pick wants the operations that the threads stand before. Then the pick is made when every thread has come
  // to its next operation, so code between operations does not run in parallel.
  virtual bool Informed() const { return false; }
  // Whether the order in which threads come to their operations decides (first come, first served).
  virtual bool ByArrival() const { return false; }

  virtual void Begins(uint32_t slot) { (void)slot; }  // a thread was created
  // Its index among the names in the file that the run was given, -1 when it has none. Follows Begins.
  virtual void Named(uint32_t slot, int32_t name) { (void)slot, (void)name; }
  virtual void Ends(uint32_t slot) { (void)slot; }
  virtual void Performed(uint32_t slot, const NextOp& op) { (void)slot, (void)op; }
  // The thread asked to let others go first, or seems to spin: it will do the same until another thread acts.
  virtual void Yields(uint32_t slot) { (void)slot; }

  // The thread to go next, from view.enabled. A thread that turns out to be blocked is taken from the set, and the
  // question comes again.
  virtual uint32_t Pick(const View& view) = 0;

 protected:
  ~Strategy() = default;  // never owned through the interface
};

}  // namespace heddle::sched
