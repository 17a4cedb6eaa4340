// The witness as text: a row for each step, a column for each thread.
#pragma once

#include <string>

#include "findings/finding.h"
#include "findings/text.h"

namespace heddle::findings {

// Empty when no step has a row. Falls back to one step a line, the thread named, when the columns do not fit.
std::string WitnessText(const Finding& finding, const TextOptions& options);

}  // namespace heddle::findings
