// States of a search as bytes. Each event is written once, in a table, and named by its place in it: the same few
// operations come in nearly every sequence. Numbers take seven bits a byte, the lowest first.
//
//   "hs1" count events... payload
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "explore/tree_state.h"

namespace heddle::explore {

class EventWriter {
 public:
  void Number(uint64_t number);
  void Event(const ExploredEvent& event);
  void Events(const std::vector<ExploredEvent>& events);
  void Tree(const WakeupTree& tree);
  void State(const TreeState& state);
  void States(const std::vector<TreeState>& states);
  void Sequence(const std::vector<ExploredEvent>& events);  // without who else was enabled, as in a tree
  std::string Text() const;

 private:
  std::vector<ExploredEvent> table_;
  std::unordered_map<std::string, uint64_t> places_;
  std::string payload_;
};

// After the first thing that cannot be, ok() is false and everything read is empty.
class EventReader {
 public:
  explicit EventReader(std::string_view text);
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

  uint64_t Number();
  uint64_t Below(uint64_t limit);  // a number; not ok when it is not below
  size_t Count();                  // of things that take at least a byte each
  ExploredEvent Event();
  std::vector<ExploredEvent> Events();
  WakeupTree Tree();
  TreeState State();
  std::vector<TreeState> States();

 private:
  bool ok_ = true;
  std::string_view rest_;
  std::vector<ExploredEvent> table_;
};

}  // namespace heddle::explore
