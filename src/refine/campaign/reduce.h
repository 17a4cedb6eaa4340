// A smaller program that fails the same way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "refine/campaign/batch.h"

namespace heddle::refine {

using Lines = std::vector<std::string>;

// Delta debugging over lines: removes pieces as long as `keeps` holds for what is left. `keeps(lines)` must hold.
// Blocks are tried first: a line that ends in `{` goes together with everything up to its brace. At most `max_tests`
// calls.
Lines ReduceLines(Lines lines, const std::function<bool(const Lines&)>& keeps, uint32_t max_tests);

// The program of a failure, reduced so that the same builds violate the same constraint. `text` is the source.
std::string ReduceFailure(const Failure& failure, const std::string& text, const std::string& folder,
                          const BatchOptions& options, uint32_t max_tests);

}  // namespace heddle::refine
