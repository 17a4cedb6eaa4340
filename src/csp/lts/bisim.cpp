#include "csp/lts/bisim.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace heddle::csp {

std::vector<uint32_t> BisimulationClasses(const ExplicitLts& lts) {
  std::vector<uint32_t> block(lts.states.size(), 0);
  size_t count = lts.states.empty() ? 0 : 1;
  while (true) {
    // The signature of a state: its own class and where its edges lead.
    std::map<std::pair<uint32_t, std::vector<std::pair<EventId, uint32_t>>>, uint32_t> classes;
    std::vector<uint32_t> next(block.size());
    for (size_t s = 0; s < block.size(); ++s) {
      std::vector<std::pair<EventId, uint32_t>> signature;
      for (const ExplicitLts::Edge& edge : lts.states[s]) {
        // A state after tick does nothing; all of them are one.
        signature.emplace_back(edge.event, edge.event == kTick ? 0 : block[edge.target]);
      }
      std::sort(signature.begin(), signature.end());
      signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
      auto it = classes.try_emplace({block[s], std::move(signature)}, static_cast<uint32_t>(classes.size())).first;
      next[s] = it->second;
    }
    block = std::move(next);
    if (classes.size() == count) return block;
    count = classes.size();
  }
}

ExplicitLts Quotient(const ExplicitLts& lts, const std::vector<uint32_t>& classes) {
  ExplicitLts result;
  for (size_t s = 0; s < classes.size(); ++s) {
    if (classes[s] < result.states.size()) continue;
    std::vector<ExplicitLts::Edge> edges;
    for (const ExplicitLts::Edge& edge : lts.states[s]) {
      ExplicitLts::Edge mapped{edge.event, edge.event == kTick ? 0 : classes[edge.target]};
      bool known = std::any_of(edges.begin(), edges.end(), [&](const ExplicitLts::Edge& e) {
        return e.event == mapped.event && e.target == mapped.target;
      });
      if (!known) edges.push_back(mapped);
    }
    result.states.push_back(std::move(edges));
  }
  return result;
}

Value Stepper::Compressed(Value term) {
  Value root = term->kid(0);
  std::unordered_map<Value, uint32_t> number{{root, 0}};
  std::vector<Value> order{root};
  ExplicitLts lts;
  for (size_t at = 0; at < order.size(); ++at) {
    if (order.size() > kCompressLimit) return root;
    std::vector<ExplicitLts::Edge> edges;
    for (const Transition& t : Step(order[at])) {
      auto [it, fresh] = number.try_emplace(t.target, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(t.target);
      edges.push_back({t.event, it->second});
    }
    lts.states.push_back(std::move(edges));
  }
  explicit_.push_back(Quotient(lts, BisimulationClasses(lts)));
  return evaluator_.store().Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kExplicit), &explicit_.back(),
                                 {evaluator_.store().Int(0)});
}

}  // namespace heddle::csp
