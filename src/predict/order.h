// Two orders of a trace's events, by vector clocks (sections 2.3 and 5.5.2 of "Predicting Errors in Concurrent
// Systems"):
//
//   must    what no reordering of the trace can change: program order, fork and join, signal and the wait it woke,
//           barriers, semaphores, once, atomics with release and acquire, annotations, what was written and read
//           through descriptors
//   run     all that, and also the order in which this run took its locks: the usual happens-before
//
// Two accesses that are not ordered by `run` race in this very run; not by `must` but by `run` only a lock's order in
// this run stands between them. Semaphores, barriers, atomics and descriptors count as must-order although some
// reorderings could pair them differently: fewer findings, none of them wrong for that reason.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/vector_clock.h"
#include "trace/event.h"

namespace heddle::predict {

struct Clocks {
  VectorClock must;
  VectorClock run;

  void Join(const Clocks& other) {
    must.Join(other.must);
    run.Join(other.run);
  }
};

class TraceOrder {
 public:
  // Takes the next event of the trace.
  void Add(const trace::Event& event);

  const Clocks& Of(uint32_t thread) { return Thread(thread).now; }

  // The lock through which `later` last learnt of `earlier`'s progress; 0 when no lock did.
  uint64_t LockBetween(uint32_t earlier, uint32_t later) const;

 private:
  struct ThreadState {
    Clocks now;
    Clocks released;  // at the last release fence; empty before
    Clocks pending;   // what relaxed loads have read, for the next acquire fence
    bool has_release_fence = false;
    std::map<uint32_t, uint64_t> via_lock;
  };

  ThreadState& Thread(uint32_t thread);
  void Release(uint32_t thread, uint64_t object);  // joins into the object
  void Acquire(uint32_t thread, uint64_t object);
  void TakeLock(uint32_t thread, uint64_t lock);
  void DropLock(uint32_t thread, uint64_t lock);
  void Atomic(const trace::Event& event);
  void AtomicStore(const trace::Event& event, bool continues);
  void AtomicLoad(const trace::Event& event);
  void Fence(const trace::Event& event);
  void Threads(const trace::Event& event);
  void Condition(const trace::Event& event);

  std::vector<ThreadState> threads_;
  std::unordered_map<uint64_t, Clocks> objects_;
  std::unordered_map<uint64_t, VectorClock> locks_;
  std::unordered_map<uint64_t, Clocks> signals_;  // by the signal's sequence number
  std::unordered_map<uint64_t, Clocks> ended_;    // by thread
};

}  // namespace heddle::predict
