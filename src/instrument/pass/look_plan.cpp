#include "instrument/pass/look_plan.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <algorithm>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

using Calls = SmallVector<CallInst*, 64>;

bool IsSizedAccess(const CallInst* call) { return AsSizedAccess(call->getCalledFunction()->getName()).bytes != 0; }

size_t CountAccesses(const Calls& calls) { return static_cast<size_t>(count_if(calls, IsSizedAccess)); }

// The accesses of each loop that has no loop in it.
DenseMap<const Loop*, size_t> CountInInnermostLoops(const Calls& calls, const LoopInfo& loops) {
  DenseMap<const Loop*, size_t> counts;
  for (const CallInst* call : calls) {
    const Loop* loop = loops.getLoopFor(call->getParent());
    if (loop != nullptr && loop->isInnermost() && IsSizedAccess(call)) ++counts[loop];
  }
  return counts;
}

std::vector<bool> InShortLoops(Function& function, const Calls& calls) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  DenseMap<const Loop*, size_t> counts = CountInInnermostLoops(calls, loops);
  std::vector<bool> chosen(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    auto known = counts.find(loops.getLoopFor(calls[i]->getParent()));
    chosen[i] = known != counts.end() && known->second <= kShortLoop && IsSizedAccess(calls[i]);
  }
  return chosen;
}

}  // namespace

LookPlan PlanLooks(Function& function) {
  Calls calls = WatchedCalls(make_range(function.begin(), function.end()));
  size_t accesses = CountAccesses(calls);
  if (accesses <= kShortFunction) return {true, std::vector<bool>(calls.size(), true)};
  std::vector<bool> chosen = InShortLoops(function, calls);
  auto inlined = static_cast<size_t>(std::count(chosen.begin(), chosen.end(), true));
  return {4 * inlined >= accesses, std::move(chosen)};
}

}  // namespace heddle::instrument
