// What the history says about each finding: since when, until when, and what its absence means.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/history/history.h"

namespace heddle::analysis {

enum class FindingState {
  kOpen,   // in the last run that could have shown it
  kGone,   // later runs looked and did not see it; none of them went through every execution
  kFixed,  // a later run went through every execution of each program and test that showed it
};
std::string_view StateName(FindingState state);  // "open", ...

// The pointers are into the runs.
struct FindingStory {
  const HistorySighting* sighting = nullptr;  // the last
  const HistoryRun* first = nullptr;
  const HistoryRun* last = nullptr;
  uint64_t seen = 0;                   // runs with it
  const HistoryRun* back = nullptr;    // where it came back after decided runs without it, the last time
  const HistoryRun* absent = nullptr;  // the first run since `last` that looked, decided, and did not see it
  uint64_t looked = 0;                 // runs since `last` like that
  FindingState state = FindingState::kOpen;
};

// One for each fingerprint: open ones first, then gone, then fixed; in each group the newest first.
//
// Only runs of the same verb are compared: another analysis may not look for this kind at all. A later run counts when
// it decided at least one subject that showed the finding in `last`. The finding is gone (or fixed) when for each of
// these subjects there was such a run (one that searched every execution).
std::vector<FindingStory> Stories(std::span<const HistoryRun> runs);

}  // namespace heddle::analysis
