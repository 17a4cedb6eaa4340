// A state of an optimal search: the branch that was taken last, those that need not be taken, those that wait.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "explore/execution.h"
#include "explore/wakeup_tree.h"

namespace heddle::explore {

bool Sleeps(const std::vector<ExploredEvent>& sleeping, uint32_t thread);

struct TreeState {
  ExploredEvent event;                  // taken last
  std::vector<ExploredEvent> sleeping;  // explored, here or before; `event` not yet
  uint64_t values = 0;                  // a choice: values taken
  WakeupTree tree;                      // sequences to take
  uint32_t taken = 1;                   // branches so far

  // The next value of a choice; false: there is none, or it is no choice.
  bool NextValue();
  // `event` need not be taken again.
  void Retire();
  // Takes the next branch of the tree; `below` becomes what is known of what follows it.
  bool NextBranch(WakeupTree* below);
  // All three, as a search does that has explored `event`, or has given it to somebody who does.
  bool Advance(WakeupTree* below);
  // Whether a branch is left.
  bool HasMore() const;
  // An execution that begins like this has to be explored from here, unless one that is equivalent is or will be.
  // `sequence` gives pointers to its events; most that are asked for are covered, so a list is made of the others only.
  template <typename Sequence>
  void Ask(const Sequence& sequence) {
    for (const ExploredEvent& sleeper : sleeping) {
      if (MayBegin(sleeper, sequence)) return;
    }
    if (tree.CoveredByStep(sequence)) return;
    EventList list;
    for (const ExploredEvent* one : sequence) list.push_back(one);
    tree.Insert(std::move(list));
  }
};

}  // namespace heddle::explore
