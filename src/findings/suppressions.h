// Suppressions: findings that someone decided to live with, and why.
//
// The grammar is ThreadSanitizer's, so that its files can be used as they are; one rule a line:
//
//   # the statistics counter may lose updates; nobody reads it exactly        <- the reason
//   race:stats_increment
//   deadlock:^Logger::        # trailing reason: the logger is created once
//   fingerprint:ae2e744c18efabbc   # exactly one finding, as `heddle suppress` writes it
//
//   TYPE:PATTERN, where the pattern matches any part of a name; `*` matches anything, `^` at the beginning and `$` at
//   the end tie it to the ends of the name. A line that begins with `#` is a comment, also ` #` behind a rule.
//
//   type               findings             looked at
//   race               data-race            functions, files, modules of the sites' stacks; the variable's name
//   race_top           data-race            the same of the innermost frame only
//   deadlock           lock-order, deadlock the sites' stacks, names of the locks
//   mutex              misuse of a lock     the sites' stacks, names of the locks
//   thread             misuse of a thread   thread names, creation stacks
//   signal             misuse in a handler  the sites' stacks
//   called_from_lib    any                  the module that did the operation
//   KIND (data-race..) that kind            the sites' stacks, variables, locks, thread names
//   fingerprint        any                  the fingerprint, which must be equal
//
// One difference from ThreadSanitizer: `$` there looks at the first place where the text before it occurs, here at any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "findings/report.h"

namespace heddle::findings {

struct Suppression {
  std::string type;
  std::string pattern;
  std::string reason;  // empty: a warning was given
  Span span;           // of the rule
  uint64_t uses = 0;   // findings that it hid; ApplySuppressions counts
};

struct SuppressionSet {
  std::vector<Suppression> rules;
  std::vector<Diagnostic> diagnostics;  // errors (the line is left out) and warnings (no reason)
};

// Parses file number `file` of `sources`. Never fails as a whole: wrong lines become diagnostics.
SuppressionSet ParseSuppressions(const SourceMap& sources, uint32_t file);

// Marks the findings that a rule matches (the first rule that does), unmarks the others, and counts the rule's use.
void ApplySuppressions(SuppressionSet& set, Report& report);

// A warning for each rule without a use.
std::vector<Diagnostic> UnusedSuppressions(const SuppressionSet& set);

// True when the pattern matches (see above). An empty name matches nothing.
bool PatternMatches(std::string_view pattern, std::string_view name);

// True when the rule hides the finding.
bool Matches(const Suppression& rule, const Finding& finding);

}  // namespace heddle::findings
