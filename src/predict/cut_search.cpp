#include "predict/cut_search.h"

#include <algorithm>

#include "predict/cut_set.h"

namespace heddle::predict {
namespace {

class CutSearch {
 public:
  CutSearch(const TraceModel& model, const Constraints& constraints, Cut bounds, Target target, SearchLimits limits)
      : model_(model),
        constraints_(constraints),
        machine_(&model, &constraints),
        bounds_(std::move(bounds)),
        target_(std::move(target)),
        limits_(limits),
        target_of_(bounds_.size(), kNone),
        steps_(Steps()),
        visited_(Fields()) {
    for (const Place& place : target_) target_of_[place.thread] = place.position;
  }

  SearchResult Run() {
    SearchResult result;
    frames_.push_back({0, 0, 0, false});
    RunEager(kNone, false);
    if (!Enter()) frames_.pop_back();
    constexpr uint64_t kLookEvery = 1024;
    for (uint64_t steps = 1; !frames_.empty() && !found_ && visited_.size() < limits_.states; ++steps) {
      if (steps % kLookEvery == 0 && limits_.deadline.Passed()) break;
      Advance();
    }
    result.verdict = found_ ? Verdict::kFound : frames_.empty() ? Verdict::kAbsent : Verdict::kLimit;
    if (found_) result.witness = path_;
    result.states = visited_.size();
    result.bytes = visited_.bytes();
    return result;
  }

 private:
  struct Frame {
    uint32_t steps;  // of the path before this cut
    uint32_t first;  // of choices_ that are this cut's
    uint32_t next;   // of these to try
    bool settled;    // no thread stands at an operation that would be performed at once if it could
  };

  // How the search goes on at a position. A thread that has run all it can never stands at one that it can pass at any
  // time: those do not count in the memory of visited cuts.
  struct StepKind {
    uint8_t eager;
    uint8_t counts;
    uint8_t alone;  // after it the thread stands at the next one that counts, whatever the others do
  };

  bool AlwaysPasses(const SyncEvent& event, Place place) const {
    if (!machine_.Eager(event) || event.must != 0) return false;
    if (event.data != 0 && constraints_.KeepsData(place.thread, place.position)) return false;
    return event.act == Act::kFree || event.act == Act::kUnlock || event.act == Act::kReadUnlock ||
           event.act == Act::kSemPost || event.act == Act::kLock || event.act == Act::kReadLock;
  }

  std::vector<std::vector<StepKind>> Steps() {
    IgnoreLocks();
    std::vector<std::vector<StepKind>> steps;
    for (uint32_t thread = 0; thread < bounds_.size(); ++thread) {
      steps.emplace_back();
      for (uint32_t i = 0; i < bounds_[thread]; ++i) {
        const SyncEvent& event = model_.threads[thread][i];
        steps.back().push_back(
            {static_cast<uint8_t>(machine_.Eager(event)), static_cast<uint8_t>(!AlwaysPasses(event, {thread, i})), 0});
      }
      bool alone = true;  // what follows, up to the next one that counts, ends at one that waits for its turn
      for (size_t i = steps.back().size(); i-- > 0;) {
        StepKind& step = steps.back()[i];
        step.alone = static_cast<uint8_t>(alone && step.counts != 0 && !constraints_.lost_signals);
        if (step.counts != 0) alone = step.eager == 0;
      }
    }
    return steps;
  }

  // Whether the step leads to a cut that was visited, where that can be told without performing it.
  bool LeadsBack(const Frame& frame, uint32_t thread) const {
    return frame.settled && steps_[thread][machine_.Position(thread)].alone != 0 && visited_.HasNext(thread);
  }

  std::vector<uint32_t> Fields() const {
    std::vector<uint32_t> fields;
    for (const std::vector<StepKind>& steps : steps_) {
      fields.push_back(static_cast<uint32_t>(
          std::count_if(steps.begin(), steps.end(), [](const StepKind& step) { return step.counts != 0; })));
    }
    if (constraints_.lost_signals) fields.resize(fields.size() * 2, 1);
    return fields;
  }

  bool Blocks(const SyncEvent& event, Place place) const {
    if (event.must != 0 || (event.data != 0 && constraints_.KeepsData(place.thread, place.position))) return true;
    if (event.act == Act::kWait && constraints_.waits.contains(place)) return true;
    return !machine_.Eager(event) && !Takes(event.act);
  }

  // Locks with a section, within the bounds, that does not run through: it waits in it, takes a lock that is watched,
  // does what others are affected by, or does not end. For a target it does not matter that sections taken in one go
  // could also have blocked each other; for stuck cuts it does, so there every lock counts as watched until its
  // sections are known to run through.
  void IgnoreLocks() {
    std::vector<bool> watched(model_.locks, target_.empty());
    while (true) {
      std::vector<bool> next = target_.empty() ? std::vector<bool>(model_.locks) : watched;
      for (uint32_t thread = 0; thread < bounds_.size(); ++thread) WatchIn(thread, watched, next);
      if (next == watched) break;
      watched = std::move(next);
    }
    for (uint32_t lock = 0; lock < model_.locks; ++lock) {
      if (!watched[lock]) machine_.Ignore(lock);
    }
  }

  void WatchIn(uint32_t thread, const std::vector<bool>& watched, std::vector<bool>& next) const {
    std::vector<uint32_t> held;
    auto watch_held = [&] {
      for (uint32_t lock : held) next[lock] = true;
    };
    for (uint32_t i = 0; i < bounds_[thread]; ++i) {
      const SyncEvent& event = model_.threads[thread][i];
      if (Blocks(event, {thread, i}) || (Takes(event.act) && watched[event.object])) watch_held();
      if (Takes(event.act)) held.push_back(event.object);
      if (event.act == Act::kUnlock || event.act == Act::kReadUnlock || event.act == Act::kWait) {
        std::erase(held, event.object);
      }
    }
    watch_held();  // what is held at the end
  }

  void Step(uint32_t thread) {
    if (steps_[thread][machine_.Position(thread)].counts != 0) visited_.Change(thread, 1);
    machine_.Perform(thread);
    path_.push_back(thread);
    if (machine_.Lost(thread)) visited_.Change(bounds_.size() + thread, 1);
  }

  void TakeBack() {
    uint32_t thread = path_.back();
    path_.pop_back();
    if (machine_.Lost(thread)) visited_.Change(bounds_.size() + thread, -1);
    machine_.Undo(thread);
    if (steps_[thread][machine_.Position(thread)].counts != 0) visited_.Change(thread, -1);
  }

  bool EagerNow(uint32_t thread) const {
    uint32_t position = machine_.Position(thread);
    return position < bounds_[thread] && steps_[thread][position].eager != 0 && machine_.Enabled(thread);
  }

  // First the thread that has just moved, then those that it may have let go on; `settled`: there are none.
  void RunEager(uint32_t moved, bool settled) {
    if (moved != kNone) {
      while (EagerNow(moved)) Step(moved);
    }
    if (settled) return;
    for (bool again = true; again;) {
      again = false;
      for (uint32_t thread = 0; thread < bounds_.size(); ++thread) {
        while (EagerNow(thread)) {
          Step(thread);
          again = true;
        }
      }
    }
  }

  bool AtGoal() const {
    if (!target_.empty()) {
      return std::all_of(target_.begin(), target_.end(),
                         [&](const Place& place) { return machine_.Position(place.thread) == place.position; });
    }
    bool ended = true;
    for (uint32_t thread = 0; thread < bounds_.size(); ++thread) {
      if (machine_.Position(thread) == bounds_[thread]) continue;
      if (!machine_.Waits(thread)) return false;
      ended = false;
    }
    return !ended;
  }

  // Whether there is something new to do at this cut; then its choices are listed.
  bool Enter() {
    if (AtGoal()) {
      found_ = true;
      return true;
    }
    if (!visited_.Insert()) return false;
    bool settled = true;
    auto first = static_cast<uint32_t>(choices_.size());
    for (uint32_t thread = 0; thread < bounds_.size(); ++thread) {
      uint32_t position = machine_.Position(thread);
      if (position == bounds_[thread]) continue;
      if (steps_[thread][position].eager != 0) settled = false;
      if (!machine_.Enabled(thread)) continue;
      choices_.push_back({Rank(thread), thread});
      for (size_t i = choices_.size() - 1; i > first && choices_[i] < choices_[i - 1]; --i) {
        std::swap(choices_[i], choices_[i - 1]);
      }
    }
    frames_.back().first = frames_.back().next = first;
    frames_.back().settled = settled;
    return true;
  }

  // Choices are tried in the order of the run, which never gets stuck; but sections that the target lies in come last,
  // since nobody else can enter them then. Looking for a stuck cut, it is the other threads that come first.
  uint64_t Rank(uint32_t thread) const {
    constexpr uint64_t kLate = 1ULL << 32U;
    const SyncEvent& event = machine_.Next(thread);
    bool late = target_.empty() ? !path_.empty() && path_.back() == thread
                                : Takes(event.act) && target_of_[thread] != kNone && event.mate >= target_of_[thread];
    return event.order + (late ? kLate : 0);
  }

  // The next choice of the innermost cut, or back.
  void Advance() {
    Frame& frame = frames_.back();
    if (frame.next == choices_.size()) {
      choices_.resize(frame.first);
      return Leave();
    }
    uint32_t thread = choices_[frame.next++].second;
    if (LeadsBack(frame, thread)) return;
    bool settled = frame.settled;
    frames_.push_back({static_cast<uint32_t>(path_.size()), 0, 0, false});
    Step(thread);
    RunEager(thread, settled);
    if (!Enter()) Leave();
  }

  void Leave() {
    while (path_.size() > frames_.back().steps) TakeBack();
    frames_.pop_back();
  }

  const TraceModel& model_;
  const Constraints& constraints_;
  CutMachine machine_;
  Cut bounds_;
  Target target_;
  SearchLimits limits_;
  std::vector<uint32_t> target_of_;           // by thread
  std::vector<std::vector<StepKind>> steps_;  // by thread and position
  CutSet visited_;
  std::vector<Frame> frames_;
  std::vector<std::pair<uint64_t, uint32_t>> choices_;  // rank and thread, of all frames
  Witness path_;
  bool found_ = false;
};

}  // namespace

SearchResult SearchTarget(const TraceModel& model, const Target& target, const Constraints& constraints,
                          SearchLimits limits) {
  Cut bounds = BoundsOf(model, target, constraints);
  return CutSearch(model, constraints, std::move(bounds), target, limits).Run();
}

SearchResult SearchStuck(const TraceModel& model, const Constraints& constraints, SearchLimits limits) {
  Cut bounds;
  for (const auto& events : model.threads) bounds.push_back(static_cast<uint32_t>(events.size()));
  return CutSearch(model, constraints, std::move(bounds), {}, limits).Run();
}

}  // namespace heddle::predict
