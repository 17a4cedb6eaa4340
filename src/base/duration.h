// Times on the command line: 500ms, 60s, 5m, 2h; a bare number is seconds.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

// Seconds. Negative times and unknown units are usage errors that name the text.
Result<double> ParseDuration(std::string_view text);

}  // namespace heddle
