// One comparison: a thread of the original build against the same thread of another one.
//
// Both run with the same environment, the original first. Reads that the original does not do are not reported as such:
// compilers may load early what they then do not use. Instead the environment writes the location just before the read,
// as a context that does not race with the original may, and the thread is run again: if what the thread leaves behind
// changes, the value was used, and that is a finding.
#pragma once

#include <string>

#include "base/result.h"
#include "refine/check/check.h"
#include "refine/check/explain.h"
#include "refine/trace/tracer.h"

namespace heddle::refine {

enum class Outcome { kMatches, kViolation, kUndecided };

struct PairOptions {
  uint64_t seed = 0;
  uint64_t max_blocks = 200'000;
  std::string prefix;
  bool strict_reads = false;  // report every read that the original does not do
  bool lines = false;
};

struct PairResult {
  Outcome outcome = Outcome::kMatches;
  std::string reason;  // of kUndecided
  Violation violation;
  Explanation explanation;
  uint64_t events = 0;          // of both traces
  uint64_t harmless_reads = 0;  // that the original does not do and whose value does not matter
  Trace original, transformed;  // of a violation
};

// `original` may be given from an earlier comparison with the same options, else it is run.
Result<PairResult> TestPair(Tracer& original, Tracer& transformed, const std::string& thread,
                            const PairOptions& options, const Trace* original_trace = nullptr);

// Whether the original does something else when memcmp returns another value of the same sign. C leaves that value
// open, and builds that compare inline have their own.
Result<bool> NeedsCompareValue(Tracer& original, const Trace& trace, const std::string& thread,
                               const PairOptions& options);

// Whether a run with the original's environment traps: the source has undefined behaviour there.
Result<bool> Traps(Tracer& sanitized, const Trace& original, const std::string& thread, const PairOptions& options);

}  // namespace heddle::refine
