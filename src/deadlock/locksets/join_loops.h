// Loops that join what an earlier loop created: `for (i = 0; i < n; i++) create(&t[i])`, then the same loop with
// join(t[i]).
//
// Matched when both loops are in one function, run over the same array from its first element with the same step, and
// take the same number of turns, and nothing else writes to the array in between: neither the function, nor what it
// calls, nor other threads (unchanged.h). Leaving the second loop then means that every thread of the first is joined,
// and so does going around it because there was no turn. Errors that end the process are no way out of the loop.
#pragma once

#include <map>
#include <vector>

#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/unchanged.h"

namespace heddle::deadlock {

class JoinLoops {
 public:
  void Find(llvm::Module& module, const Facts& facts);

  // The create calls whose threads are all joined when control goes from one block to the other.
  const std::vector<const llvm::CallBase*>& JoinedOnEdge(const llvm::BasicBlock* from,
                                                         const llvm::BasicBlock* to) const;

  // The join calls of loops that join what `create` makes in its loop, turn by turn.
  std::vector<const llvm::CallBase*> JoinsOf(const llvm::CallBase* create) const;

 private:
  void FindIn(llvm::Function& function, const Facts& facts, Unchanged* unchanged);

  std::map<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, std::vector<const llvm::CallBase*>> edges_;
  std::multimap<const llvm::CallBase*, const llvm::CallBase*> joins_;
  std::vector<const llvm::CallBase*> none_;
};

}  // namespace heddle::deadlock
