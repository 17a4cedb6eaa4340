// A leaf that is met a little at a time: chase(P), where P is a network whose shape never changes.
//
// The knowledge of an intruder is such a process. It has a state for each set of facts, far too many to explore in
// advance, and the rest of the system lets it meet few of them. A state is the states of P's leaves after all taus have
// been followed; what it does with an event is computed when the rest of the system offers that event to it, and kept.
//
// Which tau is followed is the same as in Stepper::Chase: the first one that the first possible rule gives. The tests
// compare the two (network_test).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "csp/lts/format.h"

namespace heddle::csp {

class Growing {
 public:
  // Whether no step of the format changes its shape, except termination.
  static bool Fits(const Format& format);

  Growing(System& system, const Format& format);

  // The state that chasing leads to from these states of the leaves.
  uint32_t Number(std::vector<uint32_t> leaves);
  std::vector<uint32_t> Leaves(uint32_t state) const;
  // Where a state goes with an event, without repetitions.
  const std::vector<uint32_t>& Targets(uint32_t state, EventId event);

  // Has the alphabet and the terminated state, and no states of its own.
  const Machine& machine() const { return machine_; }
  uint32_t format() const { return format_.id; }

 private:
  struct Row {  // the moves of one leaf with one event
    uint32_t leaf;
    std::vector<uint32_t> first;  // by state
    std::vector<uint32_t> targets;
  };
  static constexpr uint32_t kOmegaState = 0;

  bool Possible(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& leaves) const;
  bool Settle(std::vector<uint32_t>& leaves);
  uint32_t Intern(const std::vector<uint32_t>& leaves, bool diverges);

  System& system_;
  const Format& format_;
  Machine machine_;
  size_t bytes_ = 1;  // for the state of a leaf
  std::vector<Row> rows_;
  std::vector<std::vector<uint32_t>> rule_rows_;  // by rule, one row for each part
  std::vector<uint32_t> taus_;
  std::unordered_map<EventId, std::vector<uint32_t>> by_event_;
  std::deque<std::string> states_;
  std::vector<bool> diverges_;
  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> known_;  // by state and event
};

}  // namespace heddle::csp
