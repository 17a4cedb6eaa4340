// Where the files of share/ lie: next to the bin/ of this program, installed or just built.
#pragma once

#include <string>
#include <vector>

namespace heddle::analysis {

// Where include "program.csp" is found (docs/csp.md); empty when this program cannot find itself.
std::vector<std::string> CspIncludePaths();

// Where the memory models are (docs/litmus.md).
std::vector<std::string> LitmusModelPaths();

}  // namespace heddle::analysis
