// The C++ back end: a program as one self-contained C++ file.
#pragma once

#include <span>
#include <string>

#include "stream/core/program.h"

namespace heddle::stream {

// One file with a monitor for each program; loading it gives them in the same order.
std::string EmitCpp(std::span<const Program* const> programs);

}  // namespace heddle::stream
