// Successors of packed states. One explorer serves one search.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "csp/large_stack.h"
#include "csp/refine/packed.h"

namespace heddle::csp {

// Thrown when a state does not fit the key width; the search starts again with a wider key.
struct TooNarrow {};
[[noreturn]] inline void ThrowTooNarrow() {
  AboutToThrow();
  throw TooNarrow{};
}

// Thrown, in all ranks alike, when a system cannot be searched by several processes (searcher_ranks.h).
struct CannotShare {
  std::string reason;
};

// Thrown when a state of the graded format is reached other than step by step (graded.h); the search starts again
// without making use of it.
struct NotGraded {};

template <int W>
class Explorer {
 public:
  Explorer(System& system, const KeyWidth& width, bool reduction)
      : system_(system), width_(width), reduction_(reduction), packed_(size_t{1} << width.format_bits) {}

  Key<W> Encode(const System::State& state, uint32_t node) {
    if (refuse_numbered_) CheckShared(system_.format(state.format));
    uint32_t number = NumberOf(state.format);
    const PackedFormat& packed = *packed_[number].load(std::memory_order_acquire);
    Key<W> key{};
    for (size_t i = 0; i < state.leaves.size(); ++i) {
      const PackedFormat::Field& field = packed.fields[i];
      if (state.leaves[i] > field.mask) ThrowTooNarrow();
      key[field.word] |= uint64_t{state.leaves[i]} << field.shift;
    }
    SetHeader(key, number, node);
    return key;
  }

  System::State Decode(const Key<W>& key) const {
    System::State state;
    const PackedFormat& packed = PackedIn(key);
    state.format = packed.id;
    for (const PackedFormat::Field& field : packed.fields) {
      state.leaves.push_back(static_cast<uint32_t>(key[field.word] >> field.shift & field.mask));
    }
    return state;
  }

  uint32_t NodeIn(const Key<W>& key) const {
    return static_cast<uint32_t>(key[W - 1] >> NodeShift() & ((uint64_t{1} << width_.node_bits) - 1));
  }
  uint32_t FormatIn(const Key<W>& key) const { return PackedIn(key).id; }
  void SetNode(Key<W>& key, uint32_t node) const {
    uint64_t mask = ((uint64_t{1} << width_.node_bits) - 1);
    if (node > mask) ThrowTooNarrow();
    key[W - 1] = (key[W - 1] & ~(mask << NodeShift())) | uint64_t{node} << NodeShift();
  }

  void CheckNode(uint32_t node) const {
    if (node >= (uint64_t{1} << width_.node_bits)) ThrowTooNarrow();
  }
  const KeyWidth& width() const { return width_; }
  // Equal where explorers have met the same formats in the same order, with the same numbers for states and events.
  uint64_t fingerprint() const { return fingerprint_; }

  // Whoever uses the evaluator while threads search holds this.
  std::mutex& mutex() { return mutex_; }

  // From now on a step that changes the format must not lead to this one.
  void UseGraded(uint32_t format) { graded_ = static_cast<int64_t>(format); }
  bool InGraded(const Key<W>& key) const { return static_cast<int64_t>(FormatIn(key)) == graded_; }

  const PackedFormat& PackedIn(const Key<W>& key) const {
    size_t number = (key[W - 1] >> (64 - width_.format_bits)) - 1;
    return *packed_[number].load(std::memory_order_acquire);
  }

  // From now on (or no longer) the target of a step that changes the format is not computed: it is the key Deferred().
  void Defer(bool on) { deferring_ = on; }
  static Key<W> Deferred() { return {}; }

  // From now on no state may be of a format whose states are numbered as they are met.
  void RefuseNumbered() { refuse_numbered_ = true; }
  static void CheckShared(const Format& format) {
    if (!format.lazy && !format.grows) return;
    AboutToThrow();
    throw CannotShare{"a process that several ranks cannot share (it is explored as terms, or chased)"};
  }

  // What a step was, for counterexamples: the rule, or the event of a lazy state.
  struct Step {
    EventId event;
    uint32_t rule;  // kNoRule for a lazy state
  };
  static constexpr uint32_t kNoRule = ~0u;

  // Calls emit(Step, Key) for each successor, always in the same order; the node in the key is unchanged.
  template <typename Emit>
  void ForEach(const Key<W>& key, const Emit& emit) {
    const PackedFormat& p = PackedIn(key);
    if (p.format->lazy) return ForEachLazy(key, emit);
    if (p.format->grows) return ForEachGrowing(key, p, emit);
    uint32_t urgent = p.format->prioritised ? MostUrgent(key, p) : kNoRank;
    for (uint32_t rule : p.format->free_rules) {
      if (p.steps[rule].rank > urgent) continue;
      Step step{p.steps[rule].event, rule};
      emit(step, Slow(key, p, rule, {}));
    }
    for (size_t leaf = 0; leaf < p.fields.size(); ++leaf) {
      const PackedFormat::Field& field = p.fields[leaf];
      size_t state = key[field.word] >> field.shift & field.mask;
      const PackedFormat::Lead* lead = p.leads[leaf].data() + p.lead_first[leaf][state];
      const PackedFormat::Lead* end = p.leads[leaf].data() + p.lead_first[leaf][state + 1];
      for (; lead != end; ++lead) {
        const PackedFormat::Step& step = p.steps[lead->rule];
        if (step.rank > urgent) continue;
        bool slow = step.slow || (!p.boundary[leaf].empty() && p.boundary[leaf][lead->target]);
        Key<W> next = key;
        next[field.word] += lead->delta;
        if (step.rows.empty() && !slow) {
          emit(Step{step.event, lead->rule}, next);
        } else if (step.rows.size() == 1 && !slow) {
          const PackedFormat::Row& row = p.rows[step.rows[0]];
          const PackedFormat::Field& second = p.fields[step.second_leaf];
          size_t s = key[second.word] >> second.shift & second.mask;
          for (uint32_t m = row.first[s]; m < row.first[s + 1]; ++m) {
            const PackedFormat::Move& move = row.moves[m];
            if (move.boundary) {
              emit(Step{step.event, lead->rule}, Slow(key, p, lead->rule, {lead->target, move.target}));
              continue;
            }
            Key<W> both = next;
            both[second.word] += move.delta;
            emit(Step{step.event, lead->rule}, both);
          }
        } else {
          Combine(key, p, *lead, next, slow, emit);
        }
      }
    }
  }

 private:
  static constexpr uint32_t kNoRank = ~0u;

  static std::pair<uint32_t, uint32_t> MovesOf(const Key<W>& key, const PackedFormat& p, const PackedFormat::Row& row) {
    const PackedFormat::Field& f = p.fields[row.leaf];
    size_t s = key[f.word] >> f.shift & f.mask;
    return {row.first[s], row.first[s + 1]};
  }

  // The lowest rank of a rule that is possible.
  uint32_t MostUrgent(const Key<W>& key, const PackedFormat& p) const {
    uint32_t urgent = kNoRank;
    for (uint32_t rule : p.format->free_rules) {
      if (uint32_t rank = p.steps[rule].rank; rank != 0) urgent = std::min(urgent, rank);
    }
    for (size_t leaf = 0; leaf < p.fields.size(); ++leaf) {
      const PackedFormat::Field& field = p.fields[leaf];
      size_t state = key[field.word] >> field.shift & field.mask;
      const PackedFormat::Lead* lead = p.leads[leaf].data() + p.lead_first[leaf][state];
      const PackedFormat::Lead* end = p.leads[leaf].data() + p.lead_first[leaf][state + 1];
      for (; lead != end && urgent > 1; ++lead) {
        const PackedFormat::Step& step = p.steps[lead->rule];
        if (step.rank == 0 || step.rank >= urgent) continue;
        bool possible = std::all_of(step.rows.begin(), step.rows.end(), [&](uint32_t row) {
          auto [from, to] = MovesOf(key, p, p.rows[row]);
          return from != to;
        });
        if (possible) urgent = step.rank;
      }
    }
    return urgent;
  }

  int NodeShift() const { return 64 - width_.header_bits(); }

  void SetHeader(Key<W>& key, uint32_t number, uint32_t node) const {
    if (node >= (uint64_t{1} << width_.node_bits)) ThrowTooNarrow();
    key[W - 1] |= uint64_t{node} << NodeShift() | uint64_t{number + 1} << (64 - width_.format_bits);
  }

  uint32_t NumberOf(uint32_t format) {
    if (auto known = numbers_.find(format); known != numbers_.end()) return known->second;
    auto number = static_cast<uint32_t>(numbers_.size());
    if (number + 1 >= packed_.size()) ThrowTooNarrow();
    owned_.push_back(Pack(system_.format(format), width_, reduction_));
    if (owned_.back() == nullptr) ThrowTooNarrow();
    owned_.back()->id = format;
    packed_[number].store(owned_.back().get(), std::memory_order_release);
    numbers_.emplace(format, number);
    AddToFingerprint(*owned_.back());
    return number;
  }

  void AddToFingerprint(const PackedFormat& packed) {
    auto add = [&](uint64_t value) { fingerprint_ = (fingerprint_ ^ value) * 0x9E3779B97F4A7C15ull + 1; };
    for (const PackedFormat::Step& step : packed.steps) add(step.event);
    for (const auto& leads : packed.leads) {
      for (const PackedFormat::Lead& lead : leads) add(lead.delta ^ uint64_t{lead.rule} << 32);
    }
    for (const PackedFormat::Row& row : packed.rows) {
      for (const PackedFormat::Move& move : row.moves) add(move.delta);
    }
  }

  // A step that changes the format. Uses the evaluator, hence the lock.
  Key<W> Slow(const Key<W>& key, const PackedFormat& p, uint32_t rule, const std::vector<uint32_t>& targets) {
    if (deferring_) return Deferred();
    std::lock_guard<std::mutex> lock(mutex_);
    return SlowLocked(key, p, rule, targets);
  }

  Key<W> SlowLocked(const Key<W>& key, const PackedFormat& p, uint32_t rule, const std::vector<uint32_t>& targets) {
    System::State next = system_.Apply(Decode(key), p.format->rules[rule], targets);
    if (static_cast<int64_t>(next.format) == graded_) {
      AboutToThrow();
      throw NotGraded{};
    }
    return Encode(next, NodeIn(key));
  }

  template <typename Emit>
  void ForEachLazy(const Key<W>& key, const Emit& emit) {
    std::vector<std::pair<EventId, Key<W>>> successors;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      System::State state = Decode(key);
      for (const Transition& t : system_.stepper().Step(system_.LazyTerm(state.leaves[0]))) {
        state.leaves[0] = system_.LazyNumber(t.target);
        successors.emplace_back(t.event, Encode(state, NodeIn(key)));
      }
    }
    for (const auto& [event, next] : successors) emit(Step{event, kNoRule}, next);
  }

  // A format with a leaf whose moves are computed when they are asked for: rule by rule, without the packed tables.
  template <typename Emit>
  void ForEachGrowing(const Key<W>& key, const PackedFormat& p, const Emit& emit) {
    std::vector<std::pair<Step, Key<W>>> successors;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const Format& format = *p.format;
      System::State state = Decode(key);
      for (uint32_t number : system_.PossibleRules(format, state)) {
        const Rule& rule = format.rules[number];
        system_.ForEachMove(format, state, rule, [&](const std::vector<uint32_t>& targets, bool boundary) {
          Step step{rule.event, number};
          if (boundary || !rule.changes.empty()) {
            successors.emplace_back(step, SlowLocked(key, p, number, targets));
            return;
          }
          Key<W> next = key;
          for (size_t i = 0; i < targets.size(); ++i) {
            const PackedFormat::Field& field = p.fields[rule.parts[i].leaf];
            if (targets[i] > field.mask) ThrowTooNarrow();
            next[field.word] += (uint64_t{targets[i]} - state.leaves[rule.parts[i].leaf]) << field.shift;
          }
          successors.emplace_back(step, next);
        });
      }
    }
    for (const auto& [step, next] : successors) emit(step, next);
  }

  // Every combination of moves of a rule with three parts or more, or one that is slow.
  template <typename Emit>
  void Combine(const Key<W>& key, const PackedFormat& p, const PackedFormat::Lead& lead, const Key<W>& next, bool slow,
               const Emit& emit) {
    const PackedFormat::Step& step = p.steps[lead.rule];
    size_t n = step.rows.size();
    std::vector<uint32_t> begin(n);
    std::vector<uint32_t> end(n);
    for (size_t i = 0; i < n; ++i) {
      std::tie(begin[i], end[i]) = MovesOf(key, p, p.rows[step.rows[i]]);
      if (begin[i] == end[i]) return;
    }
    std::vector<uint32_t> at = begin;
    while (true) {
      Key<W> joint = next;
      bool any_slow = slow;
      std::vector<uint32_t> targets{lead.target};
      for (size_t i = 0; i < n; ++i) {
        const PackedFormat::Row& row = p.rows[step.rows[i]];
        const PackedFormat::Move& move = row.moves[at[i]];
        joint[p.fields[row.leaf].word] += move.delta;
        any_slow |= move.boundary;
        targets.push_back(move.target);
      }
      emit(Step{step.event, lead.rule}, any_slow ? Slow(key, p, lead.rule, targets) : joint);
      size_t i = 0;
      while (i < n && ++at[i] == end[i]) {
        at[i] = begin[i];
        ++i;
      }
      if (i == n) return;
    }
  }

  System& system_;
  KeyWidth width_;
  bool reduction_;
  bool deferring_ = false;
  bool refuse_numbered_ = false;
  uint64_t fingerprint_ = 0;
  std::unordered_map<uint32_t, uint32_t> numbers_;  // of formats
  std::vector<std::atomic<const PackedFormat*>> packed_;
  std::vector<std::unique_ptr<PackedFormat>> owned_;
  int64_t graded_ = -1;  // see UseGraded
  std::mutex mutex_;
};

}  // namespace heddle::csp
