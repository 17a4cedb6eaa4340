// Times in seconds: what a command line says (500ms, 60s, 5m, 2h; a bare number is seconds), and how much time has
// passed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace heddle {

// Seconds. Negative times and unknown units are usage errors that name the text.
Result<double> ParseDuration(std::string_view text);

// Of a clock that nobody sets; differences count.
double MonotonicSeconds();

}  // namespace heddle
