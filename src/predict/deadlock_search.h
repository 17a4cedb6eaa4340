// Deadlocks that some reordering of a model has: cycles of lock operations, each of a thread that holds what the one
// before it wants, and cuts at which everybody is stuck for whatever reason (docs/predict.md, engines 3 to 5).
#pragma once

#include <cstdint>
#include <vector>

#include "predict/cut_search.h"
#include "predict/model.h"
#include "predict/race_search.h"

namespace heddle::predict {

// Lock operations of one thread that want the same lock with the same locks held.
struct LockRequest {
  uint32_t thread = 0;
  uint32_t lock = 0;
  bool shared = false;
  std::vector<std::pair<uint32_t, bool>> held;  // locks, true: shared; sorted
  std::vector<uint32_t> positions;
};

struct PredictedDeadlock {
  Target target;  // the operations at which the threads of the cycle stand; empty: everybody is stuck
  Witness witness;
  Engine engine = Engine::kSyncPreserving;
};

struct DeadlockLimits {
  SearchLimits search{200'000};
  SearchLimits stuck{2'000'000};
  uint32_t instances = 16;          // of a cycle that the search tries
  uint32_t cycles = 10'000;         // that are looked at
  uint64_t extensions = 5'000'000;  // steps of the search for cycles, of any number of threads
};

struct DeadlockOutcome {
  std::vector<PredictedDeadlock> deadlocks;
  uint64_t cycles = 0;
  uint64_t refuted = 0;
  uint64_t not_decided = 0;
  bool stuck_decided = true;  // the search for stuck cuts came to an end
  uint64_t states = 0;
};

std::vector<LockRequest> LockRequests(const TraceModel& model);

DeadlockOutcome SearchDeadlocks(const TraceModel& model, DeadlockLimits limits);

}  // namespace heddle::predict
