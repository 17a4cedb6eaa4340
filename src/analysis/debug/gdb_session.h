// gdb beside a stub, for one replay.
#pragma once

#include <functional>
#include <string_view>

#include "analysis/debug/inferior.h"
#include "base/result.h"

namespace heddle::analysis {

// Runs the program to its finding, then gdb on it until the user leaves. gdb has our standard input and output.
// Errors: the program or gdb cannot be started, or no socket can be made.
Status RunGdbSession(const Launch& launch, const std::function<void(std::string_view)>& show);

}  // namespace heddle::analysis
