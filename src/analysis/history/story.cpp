#include "analysis/history/story.h"

#include <algorithm>
#include <map>

namespace heddle::analysis {
namespace {

const HistorySubject* Subject(const HistoryRun& run, const std::string& name) {
  for (const HistorySubject& subject : run.subjects) {
    if (subject.name == name) return &subject;
  }
  return nullptr;
}

bool LookedAtOne(const HistoryRun& run, const HistorySighting& sighting) {
  return std::any_of(sighting.subjects.begin(), sighting.subjects.end(), [&](const std::string& name) {
    const HistorySubject* subject = Subject(run, name);
    return subject != nullptr && subject->decided;
  });
}

// Whether `right` holds for each subject that showed it in some run of `later`.
template <typename Predicate>
bool EachIn(const std::vector<const HistoryRun*>& later, const HistorySighting& sighting, Predicate right) {
  if (sighting.subjects.empty()) return false;
  return std::all_of(sighting.subjects.begin(), sighting.subjects.end(), [&](const std::string& name) {
    return std::any_of(later.begin(), later.end(), [&](const HistoryRun* run) {
      const HistorySubject* subject = Subject(*run, name);
      return subject != nullptr && right(*subject);
    });
  });
}

// Takes the runs one after the other; `absent_` are the runs since the last sighting that looked and did not see it.
class Follower {
 public:
  // `sighting`: in this run; null: none.
  void Take(const HistoryRun& run, const HistorySighting* sighting) {
    if (sighting != nullptr) {
      if (story_.first == nullptr) story_.first = &run;
      if (!absent_.empty()) story_.back = &run;
      absent_.clear();
      story_.last = &run;
      story_.sighting = sighting;
      ++story_.seen;
    } else if (story_.last != nullptr && run.Verb() == story_.last->Verb() && LookedAtOne(run, *story_.sighting)) {
      absent_.push_back(&run);
    }
  }

  FindingStory End() {
    story_.looked = absent_.size();
    if (!absent_.empty()) story_.absent = absent_[0];
    const HistorySighting& last = *story_.sighting;
    if (EachIn(absent_, last, [](const HistorySubject& subject) { return subject.searched; })) {
      story_.state = FindingState::kFixed;
    } else if (EachIn(absent_, last, [](const HistorySubject& subject) { return subject.decided; })) {
      story_.state = FindingState::kGone;
    }
    return story_;
  }

 private:
  FindingStory story_;
  std::vector<const HistoryRun*> absent_;
};

}  // namespace

std::string_view StateName(FindingState state) {
  switch (state) {
    case FindingState::kOpen:
      return "open";
    case FindingState::kGone:
      return "gone";
    case FindingState::kFixed:
      return "fixed";
  }
  return "open";
}

std::vector<FindingStory> Stories(std::span<const HistoryRun> runs) {
  std::map<std::string_view, Follower> followers;
  for (const HistoryRun& run : runs) {
    std::map<std::string_view, const HistorySighting*> here;
    for (const HistorySighting& sighting : run.sightings) {
      here[sighting.fingerprint] = &sighting;
      followers.try_emplace(sighting.fingerprint);
    }
    for (auto& [fingerprint, follower] : followers) {
      auto found = here.find(fingerprint);
      follower.Take(run, found == here.end() ? nullptr : found->second);
    }
  }
  std::vector<FindingStory> stories;
  stories.reserve(followers.size());
  for (auto& [fingerprint, follower] : followers) stories.push_back(follower.End());
  std::sort(stories.begin(), stories.end(), [](const FindingStory& a, const FindingStory& b) {
    if (a.state != b.state) return a.state < b.state;
    if (a.first->number != b.first->number) return a.first->number > b.first->number;
    return a.sighting->fingerprint < b.sighting->fingerprint;
  });
  return stories;
}

}  // namespace heddle::analysis
