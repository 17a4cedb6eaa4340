// Wakeup trees ("Source Sets", Abdulla et al., JACM 2017, section 6): what is left to explore from a state, as
// sequences that share their beginnings. A branch may begin a sequence when its step comes in it before anything that
// depends on it; then the sequence goes below that branch, without the step. At a leaf, what the leaf leads to covers
// the sequence, and nothing is added; where no branch fits, the rest becomes a new one, behind the others. Branches are
// taken in the order in which they came, so the tree that Insert looks at never has a branch that was taken already.
#include "explore/wakeup_tree.h"

#include <algorithm>
#include <span>

namespace heddle::explore {

WakeupTree::WakeupTree() = default;
WakeupTree::~WakeupTree() = default;
WakeupTree::WakeupTree(WakeupTree&&) noexcept = default;
WakeupTree& WakeupTree::operator=(WakeupTree&&) noexcept = default;

EventList ListOf(const std::vector<ExploredEvent>& events) {
  EventList list;
  list.reserve(events.size());
  for (const ExploredEvent& event : events) list.push_back(&event);
  return list;
}

void WakeupTree::Insert(EventList sequence) {
  WakeupTree* tree = this;
  std::span<const ExploredEvent*> rest = sequence;
  for (size_t i = 0; i < tree->branches_.size();) {
    Branch& branch = *tree->branches_[i];
    if (!MayBegin(branch.event, rest)) {
      ++i;
      continue;
    }
    if (branch.below.empty()) return;  // a leaf: what it leads to covers the sequence
    auto own = std::find_if(rest.begin(), rest.end(),
                            [&](const ExploredEvent* event) { return event->thread == branch.event.thread; });
    if (own != rest.end()) {
      std::move_backward(rest.begin(), own, own + 1);  // nearly always it is the first
      rest = rest.subspan(1);
    }
    tree = &branch.below;
    i = 0;
  }
  for (const ExploredEvent* event : rest) {
    tree->branches_.push_back(std::make_unique<Branch>());
    tree->branches_.back()->event = *event;
    tree = &tree->branches_.back()->below;
  }
}

WakeupTree* WakeupTree::Append(const ExploredEvent& event) {
  branches_.push_back(std::make_unique<Branch>());
  branches_.back()->event = event;
  return &branches_.back()->below;
}

// Sequences are long and trees deep: no recursion.
WakeupTree WakeupTree::Copy() const {
  WakeupTree copy;
  std::vector<std::pair<const WakeupTree*, WakeupTree*>> todo = {{this, &copy}};
  while (!todo.empty()) {
    auto [from, to] = todo.back();
    todo.pop_back();
    for (const auto& branch : from->branches_) todo.emplace_back(&branch->below, to->Append(branch->event));
  }
  return copy;
}

void WakeupTree::Sequences(size_t depth, std::vector<AskedSequence>* sequences) const {
  struct Place {
    const WakeupTree* tree;
    size_t next;
  };
  std::vector<Place> places = {{this, 0}};
  std::vector<ExploredEvent> events;
  while (!places.empty()) {
    Place& place = places.back();
    if (place.next == place.tree->branches_.size()) {
      if (place.tree->branches_.empty() && !events.empty()) sequences->push_back({depth, events});
      places.pop_back();
      if (!events.empty()) events.pop_back();
      continue;
    }
    const Branch& branch = *place.tree->branches_[place.next++];
    events.push_back(branch.event);
    places.push_back({&branch.below, 0});
  }
}

std::unique_ptr<WakeupTree::Branch> WakeupTree::TakeFirst() {
  std::unique_ptr<Branch> first = std::move(branches_.front());
  branches_.erase(branches_.begin());
  return first;
}

}  // namespace heddle::explore
