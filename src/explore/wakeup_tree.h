// Sequences of operations that lead from a state to executions that were not explored yet ("Source Sets", Abdulla et
// al., JACM 2017, section 6). Branches are explored in the order in which they were added.
#pragma once

#include <memory>
#include <vector>

#include "explore/execution.h"

namespace heddle::explore {

// Something to explore from the state behind so many steps.
struct AskedSequence {
  size_t depth = 0;
  std::vector<ExploredEvent> events;
};

// The same, of events that stand elsewhere: most sequences that are asked for are there already, and need no copy.
using EventList = std::vector<const ExploredEvent*>;
EventList ListOf(const std::vector<ExploredEvent>& events);

class WakeupTree {
 public:
  struct Branch;
  WakeupTree();
  ~WakeupTree();
  WakeupTree(WakeupTree&&) noexcept;
  WakeupTree& operator=(WakeupTree&&) noexcept;
  WakeupTree(const WakeupTree&) = delete;
  WakeupTree& operator=(const WakeupTree&) = delete;

  bool empty() const { return branches_.empty(); }
  size_t size() const { return branches_.size(); }
  const std::vector<std::unique_ptr<Branch>>& branches() const { return branches_; }

  // Unless a sequence that is here begins an execution equivalent to one that begins with this one.
  void Insert(EventList sequence);
  // Takes the first branch out.
  std::unique_ptr<Branch> TakeFirst();
  // Adds a branch behind the others, as it is, and returns what is below it.
  WakeupTree* Append(const ExploredEvent& event);
  WakeupTree Copy() const;
  // Adds every sequence from here to a leaf.
  void Sequences(size_t depth, std::vector<AskedSequence>* sequences) const;

 private:
  std::vector<std::unique_ptr<Branch>> branches_;
};

struct WakeupTree::Branch {
  ExploredEvent event;
  WakeupTree below;
};

// Whether an execution equivalent to one that begins with `sequence` can begin with `first` (weak initials).
bool MayBegin(const ExploredEvent& first, const EventList& sequence);

}  // namespace heddle::explore
