// A specification in normal form: after each trace one node, built when it is first reached.
//
// A node is a set of states closed under tau. It knows its minimal acceptances (what its stable states offer) and
// whether it can diverge. A state that can tick may refuse everything else, which is the acceptance {tick}.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "csp/lts/format.h"

namespace heddle::csp {

class Spec {
 public:
  // `limit` bounds the states explored; beyond it LimitReached is thrown.
  Spec(System& system, Value process, size_t limit);

  struct LimitReached {};

  static constexpr uint32_t kNone = ~0u;
  uint32_t root() const { return 0; }
  uint32_t After(uint32_t node, EventId event);  // kNone: not possible
  bool Diverges(uint32_t node);
  // Whether a stable state that offers exactly `initials` (sorted; may hold kTick) is allowed after this node's trace.
  bool Accepts(uint32_t node, const std::vector<EventId>& initials);
  static bool Accept(const std::vector<std::vector<EventId>>& acceptances, const std::vector<EventId>& initials);
  // The same in the revivals model: for each event offered, a state of the node offers it and nothing else but those.
  bool AcceptsRevivals(uint32_t node, const std::vector<EventId>& initials);
  // The stable states of the node that offer nothing but `initials` (sorted), as a node: where refusal testing goes on
  // after everything else was refused. kNone: there are none.
  uint32_t Restrict(uint32_t node, const std::vector<EventId>& initials);
  const std::vector<std::vector<EventId>>& Acceptances(uint32_t node);  // stays where it is
  const std::vector<EventId>& Initials(uint32_t node);                  // events of any state, sorted, without tau

  // Builds all nodes at once, always in the same order. Returns a hash of them.
  uint64_t BuildAll();

  size_t node_count() const { return nodes_.size(); }
  size_t state_count() const { return states_.size(); }

 private:
  struct StateInfo {
    System::State state;
    bool expanded = false;
    std::vector<std::pair<EventId, uint32_t>> edges;
    int8_t diverges = -1;  // unknown, no, yes
  };
  struct Node {
    std::vector<uint32_t> states;
    std::vector<EventId> initials;
    std::unordered_map<EventId, uint32_t> after;
    bool initials_known = false;
    bool acceptances_known = false;
    std::vector<std::vector<EventId>> acceptances;
    int8_t diverges = -1;
  };

  uint32_t Intern(System::State state);
  const std::vector<std::pair<EventId, uint32_t>>& Edges(uint32_t state);
  uint32_t NodeOf(std::vector<uint32_t> states);
  bool StateDiverges(uint32_t state);
  // What a state offers when it is stable (or {tick} when it can tick); false when it is not.
  bool StableOffer(uint32_t state, std::vector<EventId>& offer);

  System& system_;
  size_t limit_;
  std::deque<StateInfo> states_;
  std::unordered_map<System::State, uint32_t, System::Hash> numbers_;
  std::deque<Node> nodes_;
  std::map<std::vector<uint32_t>, uint32_t> node_numbers_;
  std::map<std::pair<uint32_t, std::vector<EventId>>, uint32_t> restricted_;
};

}  // namespace heddle::csp
