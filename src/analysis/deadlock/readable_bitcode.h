// Whether bitcode can be read at all. LLVM's reader crashes on some damaged files, so a copy of this process tries
// first.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::analysis {

// An error when reading and linking the files kills the process, or takes longer than any real program does.
Status CheckReadable(const std::vector<std::string>& files, const std::string& main_file);

}  // namespace heddle::analysis
