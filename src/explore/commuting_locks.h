// Which locks do not matter: critical sections of a lock that commute need not be explored in both orders. Every lock
// is taken for one of these until an execution shows otherwise. docs/explore.md (Pruning) has the argument.
//
// A lock matters when, in some execution that was performed,
//   - a section is more than lock, plain accesses, unlock, or the lock is used in another way;
//   - accesses in its sections by two threads conflict, other than by both adding to an integer;
//   - a section calls code that is not instrumented.
// All locks matter when conflicting accesses are ordered by nothing but locks that do not, and have none in common: in
// another order they may race.
#pragma once

#include <set>
#include <string>

#include "explore/execution.h"

namespace heddle::explore {

class CommutingLocks {
 public:
  // Looks at an execution. True: a lock matters that was taken for one that does not in an execution before.
  bool Learn(const Execution& execution);
  // The event as a search sees it that leaves the order of these locks open.
  ExploredEvent Shown(ExploredEvent event) const;

  // Not a lock that was seen to matter.
  bool Commutes(uint64_t lock) const { return !all_matter_ && !matter_.contains(lock); }
  size_t commuting() const { return Commuting().size(); }
  bool all_matter() const { return all_matter_; }
  // Why all of them do; "" when they do not.
  const std::string& why() const { return why_; }

 private:
  std::set<uint64_t> Commuting() const;  // of the locks that were seen
  void LearnUse(const Execution& execution);
  void LearnAccesses(const Execution& execution);
  void AllMatter(const char* why);

  std::set<uint64_t> seen_;
  std::set<uint64_t> matter_;
  std::set<uint64_t> found_;  // by the check under way
  bool all_matter_ = false;
  std::string why_;
};

}  // namespace heddle::explore
