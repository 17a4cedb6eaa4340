// How far a search for a target has to look: the threads of the target up to it, the others as far as these need, and
// on to where they hold no lock. Threads that post a semaphore or enter a barrier that somebody up to there waits for
// are looked at as a whole.
#include <algorithm>

#include "predict/cut_search.h"

namespace heddle::predict {
namespace {

class Bounds {
 public:
  Bounds(const TraceModel& model, const Target& target, const Constraints& constraints)
      : model_(model),
        constraints_(constraints),
        bound_(model.threads.size()),
        done_(model.threads.size()),
        held_(model.threads.size()),
        fixed_(model.threads.size()),
        semaphore_seen_(model.semaphores.size()),
        barrier_seen_(model.barriers.size()) {
    for (const Place& place : target) {
      bound_[place.thread] = place.position;
      fixed_[place.thread] = true;
    }
  }

  Cut Run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (uint32_t thread = 0; thread < bound_.size(); ++thread) changed = Walk(thread) || changed;
    }
    return bound_;
  }

 private:
  bool Walk(uint32_t thread) {
    const std::vector<SyncEvent>& events = model_.threads[thread];
    bool moved = false;
    while (done_[thread] < bound_[thread]) {
      moved = true;
      See(events[done_[thread]++], thread);
      // Inside a section: on to its end.
      bool at_end = done_[thread] == bound_[thread] && bound_[thread] < events.size();
      if (at_end && held_[thread] > 0 && !fixed_[thread]) ++bound_[thread];
    }
    return moved;
  }

  void Raise(Need need) {
    if (!fixed_[need.thread]) bound_[need.thread] = std::max(bound_[need.thread], need.count);
  }

  void See(const SyncEvent& event, uint32_t thread) {
    for (const Need& need : model_.Must(event)) Raise(need);
    if (constraints_.KeepsData(thread, done_[thread] - 1)) {
      for (const Need& need : model_.Data(event)) Raise(need);
    }
    if (Takes(event.act)) ++held_[thread];
    if (event.act == Act::kUnlock || event.act == Act::kReadUnlock || event.act == Act::kWait) --held_[thread];
    if (event.act == Act::kSemWait && !semaphore_seen_[event.object]) {
      semaphore_seen_[event.object] = true;
      RaiseAll(model_.semaphores[event.object].posts);
    }
    bool barrier = event.act == Act::kBarrierEnter || event.act == Act::kBarrierExit;
    if (barrier && !model_.barriers[event.object].fixed && !barrier_seen_[event.object]) {
      barrier_seen_[event.object] = true;
      RaiseAll(model_.barriers[event.object].enters);
    }
  }

  // A barrier's exits are one behind its enters; going on to the end of the thread is always enough.
  void RaiseAll(const std::vector<uint32_t>& orders) {
    for (uint32_t order : orders) {
      const Place& place = model_.places[order];
      uint32_t end = static_cast<uint32_t>(model_.threads[place.thread].size());
      Raise({place.thread, std::min(place.position + 2, end)});
    }
  }

  const TraceModel& model_;
  const Constraints& constraints_;
  Cut bound_;
  Cut done_;
  std::vector<int> held_;
  std::vector<bool> fixed_;
  std::vector<bool> semaphore_seen_;
  std::vector<bool> barrier_seen_;
};

}  // namespace

Cut BoundsOf(const TraceModel& model, const Target& target, const Constraints& constraints) {
  return Bounds(model, target, constraints).Run();
}

}  // namespace heddle::predict
