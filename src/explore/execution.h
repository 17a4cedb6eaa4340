// One execution, and what a search asks of whoever performs them.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/explore_policy.h"
#include "wire/explored_event.h"
#include "wire/plain_access.h"

namespace heddle::explore {

using wire::ExploredEvent;
using Step = wire::PlannedStep;

enum class End : uint8_t {
  kDone,      // every thread that could go on has: the program ended, or some threads wait for ever
  kDeadlock,  // the same, and not all threads have ended
  kAsleep,    // abandoned: what follows has been explored
  kBlocked,   // abandoned by the program: an assumption does not hold, a loop spins on what cannot come here
  kDepth,     // abandoned: too long
  kDiverged,  // a planned step could not be performed
  kFailed,    // no execution took place: the target is gone
};

struct Execution {
  std::vector<ExploredEvent> events;
  std::vector<ExploredEvent> pending;  // at the end: the operations of those that wait
  std::vector<uint32_t> options;       // of the events, one after the other (ExploredEvent::options)
  End end = End::kDone;
  std::vector<wire::PlainAccess> accesses;  // in their order; only when they were asked for
  bool accesses_known = false;              // all of them are there
};

struct Request {
  std::vector<Step> prefix;
  std::vector<ExploredEvent> sleeping;
  uint64_t sleep_from = 0;
  bool commute = false;  // operations may say that they commute (ExploreLink::commute)
};

}  // namespace heddle::explore
