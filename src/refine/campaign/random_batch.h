// Batches of generated threads.
#pragma once

#include "refine/campaign/batch.h"
#include "refine/gen/gen.h"

namespace heddle::refine {

// The threads of `count` consecutive seeds in one file, written to folder/batch.c and tested there.
Result<BatchResult> TestSeeds(uint64_t first_seed, uint32_t count, const GenOptions& gen, const std::string& folder,
                              const BatchOptions& options);

}  // namespace heddle::refine
