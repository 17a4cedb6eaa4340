// Monitors as machine code: the C++ that EmitCpp writes, built with the system's compiler and loaded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "stream/run/machine.h"

namespace heddle::stream {

// Builds the programs (one shared object for all) and gives a machine for each. The compiler is $CXX, else c++, g++ or
// clang++ from PATH; it works in a fresh temporary folder that is removed afterwards. The code stays loaded for the
// life of the process. Without `optimise` the build is quicker and the code slower. kUnsupported when there is no
// compiler.
Result<std::vector<std::unique_ptr<Machine>>> CompileMachines(std::span<const Program* const> programs,
                                                              bool optimise = true);

}  // namespace heddle::stream
