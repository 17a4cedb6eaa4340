#include "refine/campaign/random_batch.h"

#include "base/file.h"

namespace heddle::refine {

Result<BatchResult> TestSeeds(uint64_t first_seed, uint32_t count, const GenOptions& gen, const std::string& folder,
                              const BatchOptions& options) {
  std::vector<GeneratedThread> threads;
  std::vector<ThreadCase> cases;
  for (uint32_t i = 0; i < count; ++i) {
    threads.push_back(GenerateThread(first_seed + i, i, gen));
    cases.push_back({threads.back().function, threads.back().prefix, first_seed + i});
  }
  std::string source = folder + "/batch.c";
  if (Status written = WriteFileAtomic(source, ProgramText(threads)); !written) return written.error();
  return TestBatch(source, cases, folder, options);
}

}  // namespace heddle::refine
