#include "litmus/sim/barriers.h"

#include <algorithm>

// A group is the nth use of one barrier by the threads of its scope. Without a number of threads all of the group meet:
// each arrival synchronises with each wait. With a number q of threads, the first q to arrive meet, and one that comes
// later has some q - 1 of the earlier ones before it; every choice of these is tried. A wait
// ends after the arrivals that it needs. When these and program order form a cycle, or fewer than q threads come at
// all, some thread waits for ever: the execution has no end and is no execution of the test. An arrival (bar.arrive)
// does not wait.
//
// OpenCL has two fences for each barrier and says by itself which meet: there the order of barriers is not looked at.
namespace heddle::litmus {
namespace {

bool Waits(const Event& event) { return !event.tags.test(TagOf("ARRIVE")); }

}  // namespace

void BarrierMeetings::ForEach(Execution& execution, const std::function<bool()>& next) {
  execution_ = &execution;
  FindGroups();
  Meet(0, next);
}

void BarrierMeetings::FindGroups() {
  barriers_.clear();
  groups_.clear();
  const auto& events = execution_->events();
  for (size_t e = 0; e < events.size(); ++e) {
    if (events[e].barrier_use < 0) continue;
    int event = static_cast<int>(e);
    barriers_.push_back(event);
    auto same = [&](const Group& group) { return execution_->SameBarrier(group.events[0], event); };
    auto found = std::find_if(groups_.begin(), groups_.end(), same);
    if (found == groups_.end()) found = groups_.insert(groups_.end(), Group{});
    found->events.push_back(event);
    if (events[e].barrier_threads > 0) {
      found->quorum = std::max(found->quorum, static_cast<size_t>(events[e].barrier_threads));
    }
  }
  for (Group& group : groups_) {
    if (group.quorum == 0) group.quorum = group.events.size();
  }
}

bool BarrierMeetings::Meet(size_t number, const std::function<bool()>& next) {
  if (number == groups_.size()) return !AllEnd() || next();
  const Group& group = groups_[number];
  bool waits = std::any_of(group.events.begin(), group.events.end(),
                           [&](int e) { return Waits(execution_->events()[static_cast<size_t>(e)]); });
  if (group.quorum > group.events.size()) return waits || Meet(number + 1, next);
  std::vector<int> order = group.events;
  auto first_end = order.begin() + static_cast<std::ptrdiff_t>(group.quorum);
  do {
    if (!std::is_sorted(order.begin(), first_end)) continue;  // the first ones in another order: no difference
    for (size_t i = 0; i < group.quorum; ++i) {
      for (size_t j = 0; j < group.quorum; ++j) Put(order[j], order[i], true);
    }
    bool more = Late(number, order, group.quorum, next);
    for (size_t i = 0; i < group.quorum; ++i) {
      for (size_t j = 0; j < group.quorum; ++j) Put(order[j], order[i], false);
    }
    if (!more) return false;
  } while (group.quorum < order.size() && std::next_permutation(order.begin(), order.end()));
  return true;
}

// Those at `place` and after it in the order came late: each has any quorum - 1 earlier ones before it.
bool BarrierMeetings::Late(size_t number, const std::vector<int>& order, size_t place,
                           const std::function<bool()>& next) {
  if (place >= order.size()) return Meet(number + 1, next);
  std::vector<bool> with(place, false);
  std::fill_n(with.begin(), groups_[number].quorum - 1, true);
  bool more = true;
  do {
    for (size_t i = 0; i < place; ++i) Put(order[i], order[place], with[i]);
    more = Late(number, order, place + 1, next);
  } while (more && std::prev_permutation(with.begin(), with.end()));
  for (size_t i = 0; i < place; ++i) Put(order[i], order[place], false);
  return more;
}

void BarrierMeetings::Put(int arrival, int wait, bool meet) {
  if (Waits(execution_->events()[static_cast<size_t>(wait)])) execution_->SetMeeting(arrival, wait, meet);
}

// Whether every wait ends: barriers are passed one after another until none is left. A thread has arrived at a barrier
// when it has passed those before it.
bool BarrierMeetings::AllEnd() const {
  Arch arch = execution_->test().arch;
  if (barriers_.empty() || (arch != Arch::kPtx && arch != Arch::kVulkan)) return true;
  std::vector<bool> passed(barriers_.size(), false);
  auto arrived = [&](size_t e) {
    for (size_t f = 0; f < barriers_.size(); ++f) {
      if (!passed[f] && execution_->PoBefore(barriers_[f], barriers_[e])) return false;
    }
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < barriers_.size(); ++e) {
      if (passed[e] || !arrived(e)) continue;
      bool ends = true;
      for (size_t f = 0; f < barriers_.size() && ends; ++f) {
        ends = !execution_->Meeting(barriers_[f], barriers_[e]) || arrived(f);
      }
      passed[e] = ends;
      changed = changed || ends;
    }
  }
  return std::all_of(passed.begin(), passed.end(), [](bool done) { return done; });
}

}  // namespace heddle::litmus
