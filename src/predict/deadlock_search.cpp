#include "predict/deadlock_search.h"

#include <algorithm>

#include "predict/acquisition.h"
#include "predict/must_order.h"
#include "predict/sync_preserving.h"

namespace heddle::predict {
namespace {

using trace::Kind;

// Whether `holder` has what `request` wants, so that the request waits.
bool Blocked(const LockRequest& request, const LockRequest& holder) {
  return std::any_of(holder.held.begin(), holder.held.end(),
                     [&](const auto& held) { return held.first == request.lock && (!held.second || !request.shared); });
}

// A lock that both hold, one of them alone, keeps them apart.
bool Excluded(const LockRequest& a, const LockRequest& b) {
  return std::any_of(a.held.begin(), a.held.end(), [&](const auto& x) {
    return std::any_of(b.held.begin(), b.held.end(),
                       [&](const auto& y) { return x.first == y.first && (!x.second || !y.second); });
  });
}

class CycleSearch {
 public:
  CycleSearch(const TraceModel& model, const DeadlockLimits& limits, DeadlockOutcome* outcome)
      : model_(model), limits_(limits), outcome_(outcome), must_(model), closure_(&model) {}

  void Run() {
    requests_ = LockRequests(model_);
    for (size_t first = 0; first < requests_.size(); ++first) {
      cycle_ = {first};
      Extend();
    }
    if (extensions_ > limits_.extensions || late_) ++outcome_->not_decided;
  }

 private:
  // Cycles start at their request with the lowest number, so each comes once.
  void Extend() {
    const LockRequest& last = requests_[cycle_.back()];
    const LockRequest& start = requests_[cycle_.front()];
    if (cycle_.size() > 1 && Blocked(last, start)) Decide();
    for (size_t next = cycle_.front() + 1; next < requests_.size(); ++next) {
      constexpr uint64_t kLookEvery = 4096;
      if (++extensions_ > limits_.extensions || late_) return;
      if (extensions_ % kLookEvery == 0) late_ = limits_.search.deadline.Passed();
      if (!Blocked(last, requests_[next]) || !Fits(next)) continue;
      cycle_.push_back(next);
      Extend();
      cycle_.pop_back();
    }
  }

  bool Fits(size_t next) const {
    return std::all_of(cycle_.begin(), cycle_.end(), [&](size_t one) {
      return requests_[one].thread != requests_[next].thread && !Excluded(requests_[one], requests_[next]);
    });
  }

  void Decide() {
    late_ = late_ || limits_.search.deadline.Passed();
    if (outcome_->cycles == limits_.cycles || late_) {
      ++outcome_->not_decided;
      return;
    }
    ++outcome_->cycles;
    if (TrySyncPreserving()) return;
    bool decided = true;
    if (TrySearch(&decided)) return;
    ++(decided ? outcome_->refuted : outcome_->not_decided);
  }

  Target TargetAt(const std::vector<size_t>& at) const {
    Target target;
    for (size_t i = 0; i < cycle_.size(); ++i) {
      const LockRequest& request = requests_[cycle_[i]];
      target.push_back({request.thread, request.positions[at[i]]});
    }
    return target;
  }

  // One queue for each thread: what the closure has passed is passed for all that comes later in the others.
  bool TrySyncPreserving() {
    closure_.Restart();
    std::vector<size_t> at(cycle_.size());
    while (true) {
      Target target = TargetAt(at);
      if (closure_.Reaches(target)) {
        outcome_->deadlocks.push_back({target, closure_.MakeWitness(), Engine::kSyncPreserving});
        return true;
      }
      if (closure_.impossible()) return false;
      for (size_t i = 0; i < at.size(); ++i) {
        if (closure_.Position(target[i].thread) > target[i].position) ++at[i];
        if (at[i] == requests_[cycle_[i]].positions.size()) return false;
      }
    }
  }

  bool Open(const Target& target) const {
    for (size_t i = 0; i < target.size(); ++i) {
      for (size_t j = i + 1; j < target.size(); ++j) {
        if (!must_.Unordered(target[i], target[j])) return false;
      }
    }
    return true;
  }

  // All combinations of positions that must-order leaves open, up to the limit.
  std::vector<Target> Instances(bool* all) const {
    std::vector<Target> found;
    std::vector<size_t> at(cycle_.size());
    uint64_t looked = 0;
    while (true) {
      Target target = TargetAt(at);
      if (Open(target) && !HistoriesExclude(model_, target)) found.push_back(std::move(target));
      size_t i = 0;
      while (i < at.size() && ++at[i] == requests_[cycle_[i]].positions.size()) at[i++] = 0;
      if (i == at.size()) return found;
      if (found.size() == limits_.instances || ++looked == 100'000) {
        *all = false;
        return found;
      }
    }
  }

  bool TrySearch(bool* decided) {
    std::vector<Target> instances = Instances(decided);
    for (bool keep_data : {true, false}) {
      for (const Target& target : instances) {
        SearchResult result = SearchTarget(model_, target, {.data = keep_data}, limits_.search);
        outcome_->states += result.states;
        if (result.verdict == Verdict::kFound) {
          Engine engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
          outcome_->deadlocks.push_back({target, std::move(result.witness), engine});
          return true;
        }
        if (!keep_data && result.verdict == Verdict::kLimit) *decided = false;
      }
    }
    return false;
  }

  const TraceModel& model_;
  const DeadlockLimits& limits_;
  DeadlockOutcome* outcome_;
  MustOrder must_;
  SyncPreserving closure_;
  std::vector<LockRequest> requests_;
  std::vector<size_t> cycle_;
  uint64_t extensions_ = 0;
  bool late_ = false;
};

// Waits that another order of the same operations could leave without what ends them, or that a lock could be held
// across.
bool HasOtherWaits(const TraceModel& model) {
  for (const auto& events : model.threads) {
    int held = 0;
    for (const SyncEvent& event : events) {
      if (event.act == Act::kSemWait || event.act == Act::kWait) return true;
      if (event.act == Act::kBarrierEnter && !model.barriers[event.object].fixed) return true;
      bool waits = event.kind == Kind::ThreadJoin || event.act == Act::kBarrierExit;
      if (waits && held > 0) return true;
      if (Takes(event.act)) ++held;
      if (event.act == Act::kUnlock || event.act == Act::kReadUnlock) --held;
    }
  }
  return false;
}

bool SameEnd(const TraceModel& model, const Witness& a, const Witness& b) {
  Cut x(model.threads.size());
  Cut y(model.threads.size());
  for (uint32_t thread : a) ++x[thread];
  for (uint32_t thread : b) ++y[thread];
  return x == y;
}

void SearchOtherWaits(const TraceModel& model, const DeadlockLimits& limits, DeadlockOutcome* outcome) {
  for (bool keep_data : {true, false}) {
    SearchResult result = SearchStuck(model, {.data = keep_data, .lost_signals = true}, limits.stuck);
    outcome->states += result.states;
    if (!keep_data) outcome->stuck_decided = result.verdict != Verdict::kLimit;
    if (result.verdict != Verdict::kFound) continue;
    bool known = std::any_of(outcome->deadlocks.begin(), outcome->deadlocks.end(), [&](const PredictedDeadlock& one) {
      return one.target.empty() && SameEnd(model, one.witness, result.witness);
    });
    Engine engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
    if (!known) outcome->deadlocks.push_back({{}, std::move(result.witness), engine});
  }
}

}  // namespace

DeadlockOutcome SearchDeadlocks(const TraceModel& model, DeadlockLimits limits) {
  DeadlockOutcome outcome;
  CycleSearch(model, limits, &outcome).Run();
  // Otherwise every stuck cut has a cycle of locks: what else waits, waits for threads that are in one.
  if (HasOtherWaits(model)) SearchOtherWaits(model, limits, &outcome);
  return outcome;
}

}  // namespace heddle::predict
