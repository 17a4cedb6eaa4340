#include "explore/commuting_search.h"

#include <deque>

#include "explore/happens_before.h"

namespace heddle::explore {
namespace {

using wire::Role;

constexpr uint64_t kWordKey = uint64_t{1} << 60U;  // addresses of words are no addresses of barriers

uint64_t WordOf(uint64_t address) { return kWordKey | address / 8; }
uint64_t KeyOf(const ExploredEvent& event) { return event.bytes == 0 ? event.object : WordOf(event.object); }

// Whether the operation may have to wait for what memory holds, or is part of such a wait.
bool WaitsForMemory(const ExploredEvent& event) { return event.bytes != 0 && event.role != Role::kAccess; }

}  // namespace

bool CommutingObjects::Commutes(const ExploredEvent& event) const {
  return event.commutes != wire::Commutes::kNo && !matter_.contains(KeyOf(event));
}

ExploredEvent CommutingObjects::Shown(ExploredEvent event) const {
  if (!Commutes(event)) event.commutes = wire::Commutes::kNo;
  return event;
}

Execution CommutingObjects::Shown(const Execution& execution) const {
  Execution shown = execution;
  for (ExploredEvent& event : shown.events) event = Shown(event);
  for (ExploredEvent& event : shown.pending) event = Shown(event);
  return shown;
}

void CommutingObjects::Matters(uint64_t key) {
  if (matter_.insert(key).second && seen_.contains(key)) found_ = true;
}

// Arrivals of different rounds must be ordered by something else than the order in which they came.
void CommutingObjects::CheckRounds(const Execution& execution) {
  HappensBefore order;
  std::vector<size_t> arrivals;
  for (const ExploredEvent& event : execution.events) {
    size_t index = order.size();
    ExploredEvent shown = Shown(event);
    bool arrives = shown.commutes == wire::Commutes::kArrives;
    if (arrives) {  // the round alone
      shown.object = shown.second;
      shown.second = 0;
    }
    order.Append(shown);
    if (!arrives) continue;
    for (size_t earlier : arrivals) {
      const ExploredEvent& other = execution.events[earlier];
      bool other_round = other.object == event.object && other.second != event.second;
      if (other_round && !order.Before(earlier, index)) Matters(event.object);
    }
    arrivals.push_back(index);
  }
}

bool CommutingObjects::Learn(const Execution& execution) {
  found_ = false;
  bool arrivals = false;
  for (const std::vector<ExploredEvent>* events : {&execution.events, &execution.pending}) {
    for (const ExploredEvent& event : *events) {
      if (event.commutes != wire::Commutes::kNo) seen_.insert(KeyOf(event));
      arrivals = arrivals || event.commutes == wire::Commutes::kArrives;
    }
  }
  for (const std::vector<ExploredEvent>* events : {&execution.events, &execution.pending}) {
    for (const ExploredEvent& event : *events) {
      if (!WaitsForMemory(event)) continue;
      Matters(WordOf(event.object));
      Matters(WordOf(event.object + event.bytes - 1));
    }
  }
  if (arrivals) CheckRounds(execution);
  return found_;
}

CommutingSearch::CommutingSearch(SearchOptions options) : options_(options) {
  options_.commute = false;
  search_ = MakeSearch(options_);
}

bool CommutingSearch::Next(Request* request) {
  bool more = search_->Next(request);
  request->commute = true;
  return more;
}

void CommutingSearch::Ahead(size_t most, std::vector<Request>* requests) const {
  search_->Ahead(most, requests);
  for (Request& request : *requests) request.commute = true;
}

bool CommutingSearch::Executed(const Execution& execution) {
  if (first_ == nullptr) first_ = std::make_unique<Execution>(execution);
  if (objects_.Learn(execution)) {
    search_ = MakeSearch(options_);
    Request request;
    return search_->Next(&request) && search_->Executed(objects_.Shown(*first_));
  }
  if (objects_.NoneMatters()) return search_->Executed(execution);
  return search_->Executed(objects_.Shown(execution));
}

void CommutingSearch::FurtherAhead(size_t most, const Known& known, std::vector<Request>* requests) const {
  std::deque<Execution> shown;
  auto as_shown = [&](Request request) -> const Execution* {
    request.commute = true;
    const Execution* execution = known(request);
    if (execution == nullptr || objects_.NoneMatters()) return execution;
    return &shown.emplace_back(objects_.Shown(*execution));
  };
  search_->FurtherAhead(most, as_shown, requests);
  for (Request& request : *requests) request.commute = true;
}

}  // namespace heddle::explore
