// A baseline: the findings that a team already knows, so that CI reports new ones only.
//
// A text file, made for version control: one finding a line, the fingerprint first, the rest (kind and message) for the
// reader of a diff; `#` begins a comment line. Sorted when written.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "findings/report.h"

namespace heddle::findings {

struct Baseline {
  std::set<std::string> fingerprints;
};

// `name` is for messages, which show line, column and caret.
Result<Baseline> ParseBaseline(const std::string& name, const std::string& text);
Result<Baseline> LoadBaseline(const std::string& path);

// The active and known findings of the report as a baseline file.
std::string BaselineText(const Report& report);

// Sets Finding::known; returns how many entries of the baseline no finding has any more.
size_t ApplyBaseline(const Baseline& baseline, Report& report);

}  // namespace heddle::findings
