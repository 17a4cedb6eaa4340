// A user's source file for `heddle refine test`.
#pragma once

#include "base/result.h"
#include "refine/campaign/batch.h"

namespace heddle::cli {

// kLimit (not decided) with the line when the file, a header of its own or a macro has inline assembly, which no build
// is obliged to keep alike, or atomic operations, which the theory does not cover. `folder` is scratch space.
Status RefineRefuse(const std::string& file, const refine::BuildSpec& spec, const std::string& folder);

// The threads: `wanted`, or the functions whose names begin with "thread". Builds the file once to see its functions.
Result<std::vector<refine::ThreadCase>> RefineThreadsOf(const std::string& file, const std::vector<std::string>& wanted,
                                                        const refine::BuildSpec& spec, const std::string& folder);

}  // namespace heddle::cli
