#include "explore/fewest_switches.h"

#include <algorithm>
#include <deque>
#include <map>

#include "explore/happens_before.h"

namespace heddle::explore {
namespace {

using Done = std::vector<uint32_t>;  // by thread

class Reordering {
 public:
  explicit Reordering(const std::vector<ExploredEvent>& events) {
    for (size_t i = 0; i < events.size(); ++i) {
      order_.Append(events[i]);
      if (threads_.size() <= events[i].thread) threads_.resize(events[i].thread + 1U);
      threads_[events[i].thread].push_back(i);
    }
  }

  std::vector<size_t> Search(size_t limit) {
    // A state of many threads costs their square.
    constexpr size_t kFew = 16;
    constexpr size_t kMany = 64;
    if (threads_.size() > kMany) return Staying();
    if (threads_.size() > kFew) limit = limit * kFew * kFew / (threads_.size() * threads_.size());
    std::deque<Node> queue = {{Done(threads_.size(), 0), kNobody, kNobody}};
    while (!queue.empty()) {
      Node node = queue.front();
      queue.pop_front();
      auto [at, fresh] = seen_.try_emplace({node.done, node.last}, node.before);
      if (!fresh) continue;
      if (IsEnd(node.done)) return PathTo({node.done, node.last});
      if (seen_.size() > limit) return Greedily();
      for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
        if (!CanGo(node.done, thread)) continue;
        Node next{node.done, thread, node.last};
        ++next.done[thread];
        if (thread == node.last) {
          queue.push_front(std::move(next));
        } else {
          queue.push_back(std::move(next));
        }
      }
    }
    return Greedily();
  }

 private:
  static constexpr uint32_t kNobody = wire::kMaxSampled;
  struct Node {
    Done done;
    uint32_t last;
    uint32_t before;  // who went before `last`
  };
  using Key = std::pair<Done, uint32_t>;

  bool IsEnd(const Done& done) const {
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (done[t] < threads_[t].size()) return false;
    }
    return true;
  }

  // All that happens before the thread's next event is done.
  bool CanGo(const Done& done, uint32_t thread) const {
    if (done[thread] >= threads_[thread].size()) return false;
    size_t next = threads_[thread][done[thread]];
    for (size_t t = 0; t < threads_.size(); ++t) {
      if (t != thread && done[t] < threads_[t].size() && order_.Before(threads_[t][done[t]], next)) return false;
    }
    return true;
  }

  std::vector<size_t> PathTo(Key key) const {
    std::vector<size_t> path;
    while (key.second != kNobody) {
      uint32_t before = seen_.at(key);
      path.push_back(threads_[key.second][--key.first[key.second]]);
      key.second = before;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  size_t Run(Done done, uint32_t thread) const {
    size_t length = 0;
    for (; CanGo(done, thread); ++done[thread]) ++length;
    return length;
  }

  std::vector<size_t> Greedily() const {
    std::vector<size_t> path;
    Done done(threads_.size(), 0);
    while (!IsEnd(done)) {
      uint32_t best = 0;
      size_t longest = 0;
      for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
        size_t length = Run(done, thread);
        if (length > longest) best = thread;
        longest = std::max(longest, length);
      }
      for (; CanGo(done, best); ++done[best]) path.push_back(threads_[best][done[best]]);
    }
    return path;
  }

  // A thread goes on while it can; then the one whose event came first.
  std::vector<size_t> Staying() const {
    std::vector<size_t> path;
    Done done(threads_.size(), 0);
    for (size_t first = 0; path.size() < order_.size(); ++first) {
      uint32_t thread = order_.event(first).thread;
      if (done[thread] >= threads_[thread].size() || threads_[thread][done[thread]] != first) continue;
      for (; CanGo(done, thread); ++done[thread]) path.push_back(threads_[thread][done[thread]]);
    }
    return path;
  }

  HappensBefore order_;
  std::vector<std::vector<size_t>> threads_;
  std::map<Key, uint32_t> seen_;
};

}  // namespace

std::vector<size_t> FewestSwitches(const std::vector<ExploredEvent>& events, size_t limit) {
  return Reordering(events).Search(limit);
}

std::vector<size_t> AsLateAsPossible(const std::vector<ExploredEvent>& events, size_t event) {
  HappensBefore order;
  std::vector<size_t> result;
  for (size_t i = 0; i < events.size(); ++i) {
    order.Append(events[i]);
    if (i < event || (i > event && !order.Before(event, i))) result.push_back(i);
  }
  result.push_back(event);
  return result;
}

}  // namespace heddle::explore
