// Is a lock right under a model, and which fence does it miss?
#pragma once

#include <array>
#include <string>
#include <vector>

#include "litmus/lock/lock.h"
#include "litmus/model/model.h"
#include "litmus/sim/simulate.h"

namespace heddle::litmus {

enum class LockAnswer { kHolds, kBroken, kUndecided };

struct LockCase {
  std::string text;  // the litmus test
  Test test;
  SimResult result;
  LockAnswer answer = LockAnswer::kHolds;
};

struct LockReport {
  std::array<LockCase, 2> cases;  // stale value, future value
  LockAnswer answer = LockAnswer::kHolds;
  std::vector<std::string> fences;  // fences that mend it together, each with its place; empty: none do
  std::vector<std::string> orders;  // the same for stronger orders of accesses (C)
};

struct LockOptions {
  double seconds = 10;  // for one simulation
  int unroll = 3;
  bool same_group = false;  // GPU: both threads in one CTA
};

// `sequential` is the model under which thread 0 takes the lock alone. kBadInput for a pair that cannot be read;
// kUnsupported when lock does not end on its own.
Result<LockReport> CheckLock(const std::string& file, const LockPair& pair, const Model& model, const Model& sequential,
                             const LockOptions& options);

}  // namespace heddle::litmus
