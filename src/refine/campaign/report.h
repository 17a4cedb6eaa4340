// Failures as findings.
#pragma once

#include "findings/report.h"
#include "refine/campaign/batch.h"

namespace heddle::refine {

// `source` is how the file is named to the user; empty: as the debug information has it. `text` is its content, for the
// lines that are shown.
findings::Finding FindingOf(const Failure& failure, const std::string& source, const std::string& text);

// "violates state-at-unlock: removed a write to `x`".
std::string MessageOf(const PairResult& result, const std::string& original, const std::string& transformed);

// The same for two traces.
findings::Finding FindingOf(const PairResult& result, const std::string& original, const std::string& transformed,
                            const std::string& thread, const std::string& source, const std::string& text);

}  // namespace heddle::refine
