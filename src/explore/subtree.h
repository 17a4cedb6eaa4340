// A part of an optimal search that somebody explores alone: everything behind one branch of a state, or what is left
// of that. shared_search.h says how the parts make a whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explore/tree_state.h"

namespace heddle::explore {

struct Subtree {
  // The states from the root of the whole search on. Of those before `base` only the event that leads on and who sleeps
  // is known: they belong to others. The last one's event is the branch to explore; or, when there are states from
  // `base` on, these are what is left of it.
  std::vector<TreeState> path;
  size_t base = 0;
  WakeupTree below;  // without own states: what must be explored behind the branch
};

struct SubtreeRest {
  std::vector<AskedSequence> asks;  // of states before `base`
  ExploredEvent root;               // the event before `base` as it was performed
  std::vector<TreeState> own;       // from `base` on; empty: everything is explored
};

// For other processes, with the same program on the same kind of machine. Nothing: not such a text.
std::string EncodeSubtree(const Subtree& subtree);
std::optional<Subtree> DecodeSubtree(std::string_view text);
std::string EncodeRest(const SubtreeRest& rest);
std::optional<SubtreeRest> DecodeRest(std::string_view text);

}  // namespace heddle::explore
