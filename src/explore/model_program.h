// Small programs for the tests of searches: threads that are lists of instructions on cells, locks, semaphores and
// condition variables, performed as the target would perform the real ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/execution.h"
#include "explore/wait_queue.h"
#include "sched/c11_graph.h"

namespace heddle::explore {

struct Instruction {
  enum What : uint8_t {
    kLoad,       // r = cell
    kStore,      // cell = a
    kStoreReg,   // cell = r + a
    kAdd,        // r = cell, cell += a
    kCas,        // r = (cell == a), then cell = b
    kExchange,   // r = cell, cell = a
    kOr,         // r = cell, cell |= a
    kWideLoad,   // r = cells 0 and 1 together, as one access of twice the size
    kWideStore,  // both = a
    kWideCas,    // r = (both == a), then both = b
    kTryTake,    // r = 1 when the semaphore was above zero
    kLock,
    kUnlock,
    kReadLock,
    kTryReadLock,  // r = 1 when it has it
    kWant,         // before kLock, of a lock that prefers writers: nobody begins to read until then
    kTryLock,      // r = 1 when it has it
    kPost,
    kTake,
    kWait,       // a: the mutex
    kTimedWait,  // the same, but may end without a signal: r = 1 when it did
    kWake,       // the second half of a wait; the program writer does not use it, nor the other halves below
    kSignal,
    kBroadcast,
    kFutexWait,   // sleeps at the cell when it is a
    kFutexWoken,  // its second half
    kFutexWake,   // wakes a of those
    kBarrier,     // of a threads; r = 1 for the last one to come
    kBarrierEnd,  // its second half
    kOnce,        // r = 1 for the first one to come; others wait until it has left
    kOnceLeave,   // its second half, for that one
    kAwait,       // r = cell, when it is a
    kAwaitBelow,  // r = cell, when it is below a
    kAwaitCas,    // when cell == a: cell = b
    kAwaitSwap,   // when cell != a: r = cell, cell = a
    kSkipIf,      // r == a: leaves b instructions out. Not visible.
    kAssume,      // r == a, or the thread stops for good. Not visible.
    kChoose,      // r = a number below a
    kFence,       // C11 only
    // Nobody looks at what these find.
    kBlindAdd,      // cell += a
    kBlindOr,       // cell |= a
    kBlindXor,      // cell ^= a
    kBlindBarrier,  // of a threads
    // Plain accesses: not visible, but noted.
    kPlainLoad,   // r = cell
    kPlainStore,  // cell = a
    kPlainAdd,    // cell += a
  } what;
  uint32_t object = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  trace::Order order = trace::Order::SeqCst;  // C11 only, as the next
  trace::Order failure = trace::Order::SeqCst;
};

class ModelProgram {
 public:
  std::vector<std::vector<Instruction>> threads;
  std::map<uint32_t, uint32_t> semaphores;  // initial values; 0 when not there
  bool commute = false;                     // operations say that they commute
  bool c11 = false;                         // loads, stores and so on are C11 atomics; the final state has their graph
  bool loads_last = true;                   // C11: a free choice prefers what is no load

  // Runs it; `final_state` describes all that can be seen at the end.
  Execution Run(const Request& request, std::string* final_state) const;
};

}  // namespace heddle::explore
