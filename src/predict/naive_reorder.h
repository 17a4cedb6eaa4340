// All reorderings of a small trace, by trying every operation and access at every point: what the engines are compared
// with. It reads the events themselves and shares nothing with the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "predict/model_builder.h"
#include "trace/event.h"

namespace heddle::predict {

class NaiveReorder {
 public:
  using Event = trace::Event;
  using Kind = trace::Kind;
  using Cut = std::vector<uint32_t>;  // events performed, accesses too

  explicit NaiveReorder(const std::vector<Event>& events) {
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> stores;  // to thread and operations
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> writes;  // to thread and operations before
    std::map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> read;
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> by_sequence;
    for (const Event& event : events) {
      if (event.kind == Kind::SemInit) initial_ = static_cast<int>(event.arg);
      if (event.kind == Kind::SemInit || event.kind == Kind::BarrierInit) continue;
      if (event.thread >= threads_.size()) threads_.resize(event.thread + 1);
      std::vector<Node>& own = threads_[event.thread];
      Node node{event, {}, {}, static_cast<uint32_t>(order_.size())};
      auto here = std::pair(event.thread, static_cast<uint32_t>(own.size() + 1));
      if (event.kind == Kind::AtomicLoad && stores.contains(event.address)) {
        read[event.thread].push_back(stores[event.address]);
      }
      if (event.kind == Kind::AtomicStore) stores[event.address] = {event.thread, Operations(event.thread) + 1};
      if (event.kind == Kind::CondSignal) by_sequence[event.sequence] = here;
      if (event.kind == Kind::CondWake) node.after.push_back(by_sequence.at(event.arg2));
      if (event.kind == Kind::Write) writes[event.address] = {event.thread, Operations(event.thread)};
      if (event.kind == Kind::Read && writes.contains(event.address)) {
        read[event.thread].push_back(writes[event.address]);
      }
      if (IsOperation(event)) {
        node.data = read[event.thread];
        read[event.thread].clear();
      }
      order_.push_back(here);
      own.push_back(node);
    }
  }

  struct State {
    Cut cut;
    std::set<uint32_t> lost;
    bool operator<(const State& other) const { return std::tie(cut, lost) < std::tie(other.cut, other.lost); }
  };

  // Every state that a reordering comes to.
  std::set<State> All(bool keep_data, bool lost_signals) const {
    std::set<State> known;
    std::vector<State> work = {{Cut(threads_.size()), {}}};
    known.insert(work.back());
    while (!work.empty()) {
      State state = work.back();
      work.pop_back();
      for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
        if (!Can(state, thread, keep_data)) continue;
        State next = state;
        if (lost_signals && Next(state.cut, thread).event.kind == Kind::CondWait && SignalCame(state.cut, thread)) {
          next.lost.insert(thread);
        }
        ++next.cut[thread];
        if (known.insert(next).second) work.push_back(next);
      }
    }
    return known;
  }

  // One operation of a thread (by number) only after so many of another.
  struct Rule {
    uint32_t thread;
    uint32_t operation;
    uint32_t other;
    uint32_t count;
  };

  // Every state that a reordering under these rules comes to.
  std::set<Cut> AllUnder(const std::vector<Rule>& rules, bool keep_data) const {
    std::set<Cut> known;
    std::vector<Cut> work = {Cut(threads_.size())};
    known.insert(work.back());
    while (!work.empty()) {
      Cut cut = work.back();
      work.pop_back();
      std::vector<uint32_t> positions = Positions(cut);
      for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
        if (!Can({cut, {}}, thread, keep_data)) continue;
        bool operation = IsOperation(Next(cut, thread).event);
        bool refused =
            operation && std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
              return rule.thread == thread && rule.operation == positions[thread] && positions[rule.other] < rule.count;
            });
        if (refused) continue;
        Cut next = cut;
        ++next[thread];
        if (known.insert(next).second) work.push_back(next);
      }
    }
    return known;
  }

  // Nobody can go on, for reasons for which a program waits: loads do not.
  bool Stuck(const State& state) const {
    bool ended = true;
    for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
      if (state.cut[thread] == threads_[thread].size()) continue;
      if (Can(state, thread, false) || Next(state.cut, thread).event.kind == Kind::AtomicLoad) return false;
      ended = false;
    }
    return !ended;
  }

  // Cuts whose events, in the order of the trace, are a reordering that keeps data.
  std::set<Cut> TraceOrderCuts() const {
    std::set<Cut> valid;
    Cut cut(threads_.size());
    while (true) {
      if (RunsInTraceOrder(cut)) valid.insert(cut);
      size_t i = 0;
      while (i < cut.size() && ++cut[i] > threads_[i].size()) cut[i++] = 0;
      if (i == cut.size()) return valid;
    }
  }

  // Operations of each thread among the events of a cut.
  std::vector<uint32_t> Positions(const Cut& cut) const {
    std::vector<uint32_t> positions;
    for (uint32_t thread = 0; thread < cut.size(); ++thread) {
      auto end = threads_[thread].begin() + cut[thread];
      positions.push_back(static_cast<uint32_t>(
          std::count_if(threads_[thread].begin(), end, [](const Node& node) { return IsOperation(node.event); })));
    }
    return positions;
  }

  // Whether performing the threads' operations in this order is a reordering; accesses come as early as they can.
  bool Runs(const std::vector<uint32_t>& operations, bool keep_data, bool lost_signals, State* end) const {
    State state{Cut(threads_.size()), {}};
    auto access = [&](uint32_t thread) {
      while (state.cut[thread] < threads_[thread].size() && !IsOperation(Next(state.cut, thread).event)) {
        ++state.cut[thread];
      }
    };
    for (uint32_t thread : operations) {
      access(thread);
      if (!Can(state, thread, keep_data)) return false;
      if (lost_signals && Next(state.cut, thread).event.kind == Kind::CondWait && SignalCame(state.cut, thread)) {
        state.lost.insert(thread);
      }
      ++state.cut[thread];
    }
    for (uint32_t thread = 0; thread < threads_.size(); ++thread) access(thread);
    *end = state;
    return true;
  }

  size_t threads() const { return threads_.size(); }

 private:
  struct Node {
    Event event;
    std::vector<std::pair<uint32_t, uint32_t>> after;  // events of threads
    std::vector<std::pair<uint32_t, uint32_t>> data;   // operations of threads
    uint32_t order;
  };

  uint32_t Operations(uint32_t thread) const {
    return static_cast<uint32_t>(std::count_if(threads_[thread].begin(), threads_[thread].end(),
                                               [](const Node& node) { return IsOperation(node.event); }));
  }

  const Node& Next(const Cut& cut, uint32_t thread) const { return threads_[thread][cut[thread]]; }

  bool SignalCame(const Cut& cut, uint32_t thread) const {
    auto [signaller, count] = threads_[thread][cut[thread] + 1].after.at(0);
    return cut[signaller] >= count;
  }

  template <typename See>
  void Past(const Cut& cut, const See& see) const {
    for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
      for (uint32_t i = 0; i < cut[thread]; ++i) see(threads_[thread][i].event);
    }
  }

  bool LockFree(const Cut& cut, uint64_t lock, bool shared) const {
    int alone = 0;
    int readers = 0;
    Past(cut, [&](const Event& event) {
      bool reads = trace::LockDetail::Unpack(event.detail).shared;
      if (event.kind == Kind::Lock && event.address == lock) ++(reads ? readers : alone);
      if (event.kind == Kind::Unlock && event.address == lock) --(reads ? readers : alone);
      if (event.kind == Kind::CondWait && event.arg == lock) --alone;
      if (event.kind == Kind::CondWake && event.arg == lock) ++alone;
    });
    return alone == 0 && (shared || readers == 0);
  }

  int Count(const Cut& cut, Kind kind) const {
    int count = 0;
    Past(cut, [&](const Event& event) { count += event.kind == kind ? 1 : 0; });
    return count;
  }

  bool Forked(const Cut& cut, uint32_t child) const {
    bool found = false;
    Past(cut, [&](const Event& event) { found = found || (event.kind == Kind::ThreadFork && event.arg == child); });
    return found;
  }

  // Two threads make a round of the barrier.
  bool Round(const Cut& cut, bool enter) const {
    int enters = Count(cut, Kind::BarrierEnter);
    int exits = Count(cut, Kind::BarrierExit);
    int end = (exits / 2 + 1) * 2;
    return enter ? enters < end : enters == end;
  }

  bool Can(const State& state, uint32_t thread, bool keep_data) const {
    const Cut& cut = state.cut;
    if (cut[thread] == threads_[thread].size()) return false;
    const Node& node = Next(cut, thread);
    for (auto [other, count] : node.after) {
      if (cut[other] < count) return false;
    }
    if (keep_data) {
      std::vector<uint32_t> positions = Positions(cut);
      for (auto [other, count] : node.data) {
        if (positions[other] < count) return false;
      }
    }
    const Event& event = node.event;
    switch (event.kind) {
      case Kind::ThreadBegin:
        return thread == 0 || Forked(cut, thread);
      case Kind::ThreadJoin:
        return cut[event.arg] == threads_[event.arg].size();
      case Kind::Lock:
        return LockFree(cut, event.address, trace::LockDetail::Unpack(event.detail).shared);
      case Kind::CondWake:
        return !state.lost.contains(thread) && LockFree(cut, event.arg, false);
      case Kind::SemWait:
        return initial_ + Count(cut, Kind::SemPost) > Count(cut, Kind::SemWait);
      case Kind::BarrierEnter:
        return Round(cut, true);
      case Kind::BarrierExit:
        return Round(cut, false);
      default:
        return true;
    }
  }

  bool RunsInTraceOrder(const Cut& cut) const {
    State state{Cut(threads_.size()), {}};
    for (auto [thread, count] : order_) {
      if (count > cut[thread]) continue;
      if (!Can(state, thread, true)) return false;
      ++state.cut[thread];
    }
    return true;
  }

  std::vector<std::vector<Node>> threads_;
  std::vector<std::pair<uint32_t, uint32_t>> order_;
  int initial_ = 0;
};

}  // namespace heddle::predict
