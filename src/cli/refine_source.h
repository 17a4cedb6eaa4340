// A user's source file for `heddle refine test`.
#pragma once

#include "base/result.h"
#include "refine/campaign/batch.h"

namespace heddle::cli {

// kLimit (not decided) with the line when the file has inline assembly, which no build is obliged to keep alike.
Status RefineRefuseAssembly(const std::string& file);

// The threads: `wanted`, or the functions whose names begin with "thread". Builds the file once to see its functions.
Result<std::vector<refine::ThreadCase>> RefineThreadsOf(const std::string& file, const std::vector<std::string>& wanted,
                                                        const refine::BuildSpec& spec, const std::string& folder);

}  // namespace heddle::cli
