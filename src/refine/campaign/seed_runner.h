// Tests ranges of seeds on several threads of this process.
#pragma once

#include <cstdint>
#include <functional>

#include "refine/campaign/random_batch.h"

namespace heddle::refine {

struct SeedRange {
  uint64_t first = 0;
  uint32_t count = 0;
};

struct RunnerOptions {
  BatchOptions batch;
  GenOptions gen;
  uint32_t jobs = 1;
};

// `next` hands out ranges until it returns one with count 0; `done` gets each result. Both are called by one thread at
// a time. The first error ends the run.
Status RunSeeds(const RunnerOptions& options, const std::function<SeedRange()>& next,
                const std::function<Status(SeedRange, const BatchResult&)>& done);

}  // namespace heddle::refine
