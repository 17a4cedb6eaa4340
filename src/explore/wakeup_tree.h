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
  // Whether one of a single step does. Insert finds that too; this needs no list of the sequence's events.
  template <typename Sequence>
  bool CoveredByStep(const Sequence& sequence) const;
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
// `sequence` is anything that gives pointers to its events in their order.
template <typename Sequence>
bool MayBegin(const ExploredEvent& first, const Sequence& sequence) {
  for (const ExploredEvent* event : sequence) {
    if (event->thread == first.thread) {
      return event->role != wire::Role::kChoice || event->value == first.value;
    }
    if (wire::Dependent(*event, first)) return false;
  }
  return true;
}

// The first branch that may begin the sequence is the one that Insert goes down.
template <typename Sequence>
bool WakeupTree::CoveredByStep(const Sequence& sequence) const {
  for (const auto& branch : branches_) {
    if (MayBegin(branch->event, sequence)) return branch->below.empty();
  }
  return false;
}

}  // namespace heddle::explore
