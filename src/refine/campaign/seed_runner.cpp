#include "refine/campaign/seed_runner.h"

#include <mutex>
#include <thread>
#include <vector>

#include "refine/trace/command.h"

namespace heddle::refine {
namespace {

class Runner {
 public:
  Runner(const RunnerOptions& options, const std::function<SeedRange()>& next,
         const std::function<Status(SeedRange, const BatchResult&)>& done)
      : options_(options), next_(next), done_(done) {}

  Status Run() {
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < options_.jobs; ++i) threads.emplace_back([this] { Work(); });
    Work();
    for (std::thread& thread : threads) thread.join();
    return status_;
  }

 private:
  SeedRange Next() {
    std::lock_guard guard(mutex_);
    return status_ ? next_() : SeedRange{};
  }

  bool Done(SeedRange range, const Result<BatchResult>& result) {
    std::lock_guard guard(mutex_);
    if (!status_) return false;
    status_ = result ? done_(range, *result) : Status(result.error());
    return status_.ok();
  }

  void Work() {
    for (SeedRange range = Next(); range.count > 0; range = Next()) {
      Result<ScratchFolder> folder = ScratchFolder::Make();
      if (!folder) {
        Done(range, folder.error());
        return;
      }
      if (!Done(range, TestSeeds(range.first, range.count, options_.gen, folder->path(), options_.batch))) return;
    }
  }

  const RunnerOptions& options_;
  const std::function<SeedRange()>& next_;
  const std::function<Status(SeedRange, const BatchResult&)>& done_;
  std::mutex mutex_;
  Status status_;
};

}  // namespace

Status RunSeeds(const RunnerOptions& options, const std::function<SeedRange()>& next,
                const std::function<Status(SeedRange, const BatchResult&)>& done) {
  return Runner(options, next, done).Run();
}

}  // namespace heddle::refine
