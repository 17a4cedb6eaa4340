#include "explore/pruned_search.h"

namespace heddle::explore {

PrunedSearch::PrunedSearch(SearchOptions options) : options_(options) {
  options_.prune = false;
  search_ = MakeSearch(options_);
}

bool PrunedSearch::Next(Request* request) { return search_->Next(request); }

Execution PrunedSearch::Shown(const Execution& execution) const {
  Execution shown;
  shown.end = execution.end;
  shown.options = execution.options;
  for (const ExploredEvent& event : execution.events) shown.events.push_back(locks_.Shown(event));
  for (const ExploredEvent& event : execution.pending) shown.pending.push_back(locks_.Shown(event));
  return shown;
}

bool PrunedSearch::BeginAnew() {
  search_ = MakeSearch(options_);
  Request request;
  return search_->Next(&request) && search_->Executed(Shown(*first_));
}

bool PrunedSearch::Executed(const Execution& execution) {
  if (first_ == nullptr) first_ = std::make_unique<Execution>(execution);
  return locks_.Learn(execution) ? BeginAnew() : search_->Executed(Shown(execution));
}

std::string PrunedSearch::PruningText() const {
  if (locks_.all_matter()) return "nothing pruned: " + locks_.why();
  size_t count = locks_.commuting();
  if (count == 0) return "nothing pruned: the order at every lock matters";
  return "the order at " + std::to_string(count) + (count == 1 ? " lock" : " locks") +
         " does not matter and was left open";
}

}  // namespace heddle::explore
