#include "litmus/sim/way_choice.h"

// Values are numbered by location and value, and a way has two sets of numbers: what all its traces read, and what they
// write. A choice for the first threads is given up as soon as it needs what neither it nor any way of the later
// threads gives.
namespace heddle::litmus {
namespace {

void Merge(std::vector<Word>& into, const std::vector<Word>& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] |= from[i];
}

}  // namespace

WayChoice::WayChoice(const Test& test, const std::vector<std::vector<Way>>& ways) : test_(test), ways_(ways) {
  NumberValues();
  profiles_.resize(ways_.size());
  later_.assign(ways_.size() + 1, Set(words_, 0));
  for (size_t t = ways_.size(); t > 0; --t) {
    later_[t - 1] = later_[t];
    for (const Way& way : ways_[t - 1]) {
      profiles_[t - 1].push_back(ProfileOf(way));
      Merge(later_[t - 1], profiles_[t - 1].back().gives);
    }
  }
  given_.assign(ways_.size() + 1, Set(words_, 0));
  needed_ = given_;
  for (const Cell& cell : test_.cells) Add(given_[0], InitialOf(cell));
  chosen_.resize(ways_.size());
}

void WayChoice::NumberValues() {
  for (const auto& thread : ways_) {
    for (const Way& way : thread) {
      for (const Trace* trace : way.traces) {
        for (const Event& event : trace->events) {
          if (event.reads) IdOf({Physical(event), event.read_value});
          if (event.writes) IdOf({Physical(event), event.written_value});
        }
      }
    }
  }
  for (const Cell& cell : test_.cells) IdOf(InitialOf(cell));
  words_ = ids_.size() / 64 + 1;
}

WayChoice::Key WayChoice::InitialOf(const Cell& cell) const {
  return {cell.physical, test_.cells[static_cast<size_t>(cell.physical)].init};
}

WayChoice::Profile WayChoice::ProfileOf(const Trace& trace) {
  Profile profile{Set(words_, 0), Set(words_, 0)};
  for (const Event& event : trace.events) {
    if (event.reads) Add(profile.needs, {Physical(event), event.read_value});
    if (event.writes) Add(profile.gives, {Physical(event), event.written_value});
  }
  return profile;
}

// Needs what all its traces need; they write the same.
WayChoice::Profile WayChoice::ProfileOf(const Way& way) {
  Profile profile = ProfileOf(*way.traces[0]);
  for (size_t i = 1; i < way.traces.size(); ++i) {
    Profile other = ProfileOf(*way.traces[i]);
    for (size_t w = 0; w < words_; ++w) profile.needs[w] &= other.needs[w];
  }
  return profile;
}

void WayChoice::Choose(size_t thread, const std::function<void(const std::vector<const Way*>&)>& next,
                       const std::function<bool()>& stop) {
  if (thread == ways_.size()) {
    next(chosen_);
    return;
  }
  for (size_t i = 0; i < ways_[thread].size() && !stop(); ++i) {
    const Profile& profile = profiles_[thread][i];
    bool possible = true;
    for (size_t w = 0; w < words_; ++w) {
      given_[thread + 1][w] = given_[thread][w] | profile.gives[w];
      needed_[thread + 1][w] = needed_[thread][w] | profile.needs[w];
      possible = possible && (needed_[thread + 1][w] & ~(given_[thread + 1][w] | later_[thread + 1][w])) == 0;
    }
    if (!possible) continue;
    chosen_[thread] = &ways_[thread][i];
    Choose(thread + 1, next, stop);
  }
}

}  // namespace heddle::litmus
