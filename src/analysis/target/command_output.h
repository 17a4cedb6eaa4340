// All that a short command prints (git, ctest), as a value.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::analysis {

// An error when it cannot be started, does not end within a minute or ends with another code than 0; the message is the
// last line that it printed.
Result<std::string> CommandOutput(const std::vector<std::string>& command);

}  // namespace heddle::analysis
