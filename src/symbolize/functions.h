// The functions of a program or library: where each begins in memory, which lines of the source are its body, and from
// which files its code comes. For what was executed (analysis/coverage), and for which functions a change touches.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::symbolize {

struct FunctionCode {
  std::vector<uint64_t> starts;  // of each piece of its code, as addresses in the file
  std::string file;              // absolute; where it is declared
  uint32_t first = 0;            // its declaration's line
  uint32_t last = 0;             // the last line of its own body; what was inlined into it does not count
  std::set<std::string> files;   // of all its code, inlined functions included
};

struct ModuleCode {
  std::vector<FunctionCode> functions;
  std::set<std::string> units;  // the source files that were compiled, absolute
  std::set<std::string> files;  // all that the line tables name, absolute
};

// Empty when the file has no debug info. An error when it cannot be read or is no ELF file.
Result<ModuleCode> FunctionsOf(const std::string& path);

}  // namespace heddle::symbolize
