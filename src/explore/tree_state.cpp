#include "explore/tree_state.h"

#include <algorithm>

namespace heddle::explore {

bool Sleeps(const std::vector<ExploredEvent>& sleeping, uint32_t thread) {
  return std::any_of(sleeping.begin(), sleeping.end(), [&](const ExploredEvent& e) { return e.thread == thread; });
}

bool TreeState::NextValue() {
  if (event.role != wire::Role::kChoice) return false;
  values |= uint64_t{1} << event.value;
  for (uint32_t value = 0; value < event.second && value < 64; ++value) {
    if ((values >> value & 1U) != 0) continue;
    event.value = value;
    return true;
  }
  return false;
}

void TreeState::Retire() {
  if (!Sleeps(sleeping, event.thread)) sleeping.push_back(event);
}

bool TreeState::NextBranch(WakeupTree* below) {
  while (!tree.empty()) {
    std::unique_ptr<WakeupTree::Branch> branch = tree.TakeFirst();
    if (Sleeps(sleeping, branch->event.thread)) continue;
    wire::ThreadBits enabled = event.enabled;
    event = branch->event;
    event.enabled = enabled;
    values = 0;
    *below = std::move(branch->below);
    return true;
  }
  return false;
}

bool TreeState::Advance(WakeupTree* below) {
  *below = WakeupTree();
  bool more = NextValue();
  if (!more) {
    Retire();
    more = NextBranch(below);
  }
  if (more) ++taken;
  return more;
}

bool TreeState::HasMore() const {
  if (event.role == wire::Role::kChoice) {
    uint64_t seen = values | uint64_t{1} << event.value;
    uint64_t all = event.second >= 64 ? ~uint64_t{0} : (uint64_t{1} << event.second) - 1;
    if ((all & ~seen) != 0) return true;
  }
  return std::any_of(tree.branches().begin(), tree.branches().end(), [&](const auto& branch) {
    return branch->event.thread != event.thread && !Sleeps(sleeping, branch->event.thread);
  });
}

}  // namespace heddle::explore
