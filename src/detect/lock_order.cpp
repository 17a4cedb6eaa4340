// Depth first over the edges "took `to` while holding `from`": a path grows by an edge that begins where the last one
// ends and that can be under way at the same time as all edges of the path. It is a cycle when its last edge waits for
// the lock that its first one holds. Each cycle is found once, from the edge with its smallest lock, because a path
// never goes on from a lock that is smaller than its first. The number of cycles may be exponential: after kMostSteps
// the search gives up, and the report says so.
//
// This is Goodlock with gate locks (Havelund, SPIN 2000) for any number of threads, with happens-before that no lock
// causes as a further reason to exclude. The static analysis has the same shape on other edges (deadlock/cycles), where
// a lock is a set of possible objects. Test: findings_file_test.cpp (LockOrderTest).
#include "detect/lock_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::detect {
namespace {

constexpr size_t kMostSteps = 2'000'000;

bool Before(const LockEdge& a, const LockEdge& b) {
  auto known = b.before.find(a.slot);
  return known != b.before.end() && known->second >= a.epoch;
}

bool GateBetween(const LockEdge& a, const LockEdge& b) {
  return std::any_of(a.held.begin(), a.held.end(), [&b](const auto& lock) {
    auto other = b.held.find(lock.first);
    return other != b.held.end() && !(lock.second && other->second);
  });
}

// Whether the two can be under way at the same time.
bool MayOverlap(const LockEdge& a, const LockEdge& b) {
  return a.thread != b.thread && !GateBetween(a, b) && !Before(a, b) && !Before(b, a);
}

// Whether a thread that wants what `waiter` wants has to wait for one that holds it as `holder` does.
bool Waits(const LockEdge& waiter, const LockEdge& holder) {
  return waiter.to == holder.from && !(waiter.to_shared && holder.from_shared);
}

class LockCycleSearch {
 public:
  explicit LockCycleSearch(const std::vector<LockEdge>& edges) : edges_(edges) {
    for (size_t i = 0; i < edges.size(); ++i) from_[edges[i].from].push_back(i);
  }

  LockCycles Run() {
    for (size_t i = 0; i < edges_.size() && result_.complete; ++i) {
      path_ = {i};
      Extend();
    }
    return std::move(result_);
  }

 private:
  // Each cycle is found from the edge with its smallest lock.
  void Extend() {
    if (++steps_ > kMostSteps) {
      result_.complete = false;
      return;
    }
    const LockEdge& first = edges_[path_.front()];
    const LockEdge& last = edges_[path_.back()];
    if (path_.size() > 1 && Waits(last, first)) Found();
    auto next = from_.find(last.to);
    if (next == from_.end() || last.to <= first.from) return;
    for (size_t candidate : next->second) {
      const LockEdge& edge = edges_[candidate];
      if (!Waits(last, edge)) continue;
      bool fits = std::all_of(path_.begin(), path_.end(), [&](size_t i) { return MayOverlap(edges_[i], edge); });
      if (!fits) continue;
      path_.push_back(candidate);
      Extend();
      path_.pop_back();
      if (!result_.complete) return;
    }
  }

  void Found() {
    std::set<uint64_t> locks;
    for (size_t i : path_) locks.insert(edges_[i].from);
    if (known_.insert(std::move(locks)).second) result_.cycles.push_back(path_);
  }

  const std::vector<LockEdge>& edges_;
  std::map<uint64_t, std::vector<size_t>> from_;
  std::set<std::set<uint64_t>> known_;
  LockCycle path_;
  LockCycles result_;
  size_t steps_ = 0;
};

}  // namespace

LockCycles FindLockCycles(const std::vector<LockEdge>& edges) { return LockCycleSearch(edges).Run(); }

}  // namespace heddle::detect
