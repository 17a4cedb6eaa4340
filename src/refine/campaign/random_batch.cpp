#include "refine/campaign/random_batch.h"

#include "base/file.h"

namespace heddle::refine {

Result<BatchResult> TestSeeds(uint64_t first_seed, uint32_t count, const GenOptions& gen, const std::string& folder,
                              const BatchOptions& options) {
  std::vector<GeneratedThread> threads;
  std::vector<ThreadCase> cases;
  for (uint32_t i = 0; i < count; ++i) {
    Result<GeneratedThread> thread = MakeThread(first_seed + i, i, gen);
    if (!thread) return thread.error();
    threads.push_back(thread.Take());
    cases.push_back({threads.back().function, threads.back().prefix, first_seed + i});
  }
  std::string source = folder + "/batch.c";
  if (Status written = WriteFileAtomic(source, ProgramText(threads)); !written) return written.error();
  return TestBatch(source, cases, folder, options);
}

}  // namespace heddle::refine
