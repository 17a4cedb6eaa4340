// From lines of the source to the code they became: the other direction of Symbolizer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/symbolizer.h"

namespace heddle::symbolize {

struct SourceLine {
  std::string file;  // as some debug info says it: an absolute path, or one from a folder that is not known
  uint32_t line = 0;

  bool operator==(const SourceLine&) const = default;
};

// Whether two paths can name one file: the same, or the shorter is the end of the longer, whole names compared.
bool SamePath(std::string_view a, std::string_view b);

// For each line its code in a process with these modules, sorted: what the line tables attribute to the line itself,
// and functions that were inlined where it calls them. Empty for a line that has none; modules without debug info have
// none.
std::vector<std::vector<Module::Range>> LineAddresses(const std::vector<Module>& modules,
                                                      const std::vector<SourceLine>& lines);

}  // namespace heddle::symbolize
