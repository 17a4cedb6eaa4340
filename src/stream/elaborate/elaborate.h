// From specification text to the core graph: types are checked, macros expanded, values lifted to streams.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "stream/core/core.h"

namespace heddle::stream {

enum class Dialect { kAuto, kTessla, kPaper };

struct CompileOptions {
  Dialect dialect = Dialect::kAuto;
  std::string base_time;       // "1ns": what one unit of a timestamp is; needed for time literals
  bool check_library = false;  // check unused library functions as well (the tests do)
};

struct Compiled {
  Graph graph;                 // not yet optimised
  bool paper = false;          // printed as before TeSSLa 1.2: strings as literals
  std::string dialect;         // "TeSSLa 1.2", "older TeSSLa", ...
  std::string dialect_reason;  // a line for each feature that decided
};

// Compiles file number `file` of `sources`. Files it includes and the library are added to `sources`. Returns nothing
// when there are errors; warnings may come with a result.
std::optional<Compiled> Compile(SourceMap& sources, uint32_t file, const CompileOptions& options,
                                std::vector<Diagnostic>& diagnostics);

// The library texts that are built in.
std::string_view StandardLibrary();
std::string_view PaperLibrary();

}  // namespace heddle::stream
