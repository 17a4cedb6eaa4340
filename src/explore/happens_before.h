// The order of an execution's events that no equivalent execution changes, and its races: pairs of neighbours in that
// order whose operations could have come the other way round ("Source Sets", Abdulla et al., JACM 2017, section 3).
//
// Event i happens before j when i comes first and a chain of dependent events leads from i to j; by vector clocks, one
// for each event. Races of operations that may have to wait: the event that lets them go on cannot come behind them, so
// it is passed over, and the search for a partner goes on with what came before it, as long as the operation could
// have been performed there (the lock was free, ...).
//
// C11 atomics (sched/c11_graph.h) are ordered by who read from whom alone. They race where another order allows
// something new: a load and a later store that it could have read; two read-modify-writes of one location.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "explore/execution.h"

namespace heddle::explore {

class HappensBefore {
 public:
  size_t size() const { return events_.size(); }
  const ExploredEvent& event(size_t index) const { return events_[index]; }
  void Truncate(size_t size);
  void Append(const ExploredEvent& event);

  bool Before(size_t earlier, size_t later) const { return Knows(ClockOf(later), earlier); }

  // Partners of event `index`, or of `pending` behind the last one; latest first. Valid until the next call. Those of
  // an event depend on what came before it alone, so they are kept.
  std::span<const size_t> Races(size_t index);
  std::vector<size_t> RacesOfPending(const ExploredEvent& pending);

  // Whether there is an access to memory that meets this one but not all of it, and one of them writes or not.
  bool OverlapsOther(const ExploredEvent& event) const;

  // Where the store to the object was performed; 0 for what was there before the first one.
  size_t StoreNamed(uint64_t object, uint32_t name) const;

  // `event`, which stands at `position`, as it would be without `first` and what happens after it: it may find another
  // value, a lock that is free, ... and then write, or not.
  ExploredEvent Without(size_t first, ExploredEvent event, size_t position) const;

  // What comes behind `first` and before `end` and does not happen after `first`.
  std::vector<size_t> NotAfter(size_t first, size_t end) const;

 private:
  using Clock = const uint32_t*;  // by thread: how many of its events are known; stride_ numbers

  struct LockState {
    int owner = -1;
    uint32_t depth = 0;
    uint32_t readers = 0;
    wire::ThreadBits writers;  // threads that wait to write, where that keeps readers out
  };
  struct ObjectEvent {
    size_t index;
    LockState before;
  };
  struct Object {
    std::vector<ObjectEvent> events;
    LockState now;
  };

  bool Knows(Clock clock, size_t index) const { return clock[events_[index].thread] > place_[index]; }
  Clock ClockOf(size_t index) const { return clocks_.data() + index * stride_; }
  void Join(uint32_t* clock, Clock other) const;
  // Makes room for the thread in all clocks.
  void Widen(uint32_t thread);
  // What the thread knows before `before`, for the caller to go on with.
  void ProgramOrder(uint32_t thread, size_t before, uint32_t* clock) const;
  // The lists that an event stands in, 0: none. Accesses to memory stand in those of the eight aligned bytes that they
  // touch, so the events of a list need not meet.
  struct Keys {
    uint64_t first;
    uint64_t second;
  };
  static Keys KeysOf(const ExploredEvent& event);
  void AddTo(uint64_t key, size_t index);
  void RemoveFrom(uint64_t key, size_t index);
  static void Apply(LockState& state, const ExploredEvent& event, uint64_t object);

  // Adds them to `races`.
  void RacesOf(const ExploredEvent& event, size_t position, std::vector<size_t>& races);
  void AddC11Races(const ExploredEvent& event, size_t position, std::vector<size_t>& races) const;
  // Calls `visit` with the dependent events before `position`, latest first. It returns whether all that happens before
  // that one is out of the question too: behind a write, the object's earlier events are then left out.
  template <typename Visit>
  void VisitBack(const ExploredEvent& event, size_t position, Visit visit) const;
  bool CouldGoBefore(const ExploredEvent& event, size_t position, size_t other) const;
  bool WasReady(uint32_t thread, size_t position, size_t other) const;
  // The events of an object that stay when `first` and what happens after it is taken away: the first so many.
  size_t Remaining(const Object& object, size_t first) const;
  ExploredEvent ReadWithout(size_t first, ExploredEvent event) const;
  bool WritesWithout(size_t first, const ExploredEvent& event, size_t position) const;
  uint64_t ValueWithout(size_t first, const ExploredEvent& event, size_t position) const;
  bool LockFree(const ExploredEvent& event, uint64_t object, bool shared, size_t first, size_t position) const;
  bool Holds(uint32_t thread, uint64_t object, size_t first) const;
  bool SemaphoreFree(const ExploredEvent& event, size_t first) const;
  bool FirstOnce(const ExploredEvent& event, size_t first) const;
  bool Woken(const ExploredEvent& event, size_t first) const;

  std::vector<ExploredEvent> events_;
  std::vector<uint32_t> place_;   // of an event among its thread's
  std::vector<uint32_t> clocks_;  // of the events, one after the other
  size_t stride_ = 16;            // numbers of one clock: all threads and more
  std::vector<uint32_t> clock_;   // of the event that is looked at
  std::vector<size_t> races_;     // of the first events, one after the other, ...
  std::vector<size_t> race_end_;  // ... and where those of each end
  std::vector<std::vector<size_t>> of_thread_;
  std::unordered_map<uint64_t, Object> objects_;
};

}  // namespace heddle::explore
