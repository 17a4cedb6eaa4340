// The results of a campaign, in SQLite. Each range of seeds is one transaction: whatever kills the campaign, the
// database has whole ranges, and the next run does the others.
//
//   settings(key, value)                            what the campaign does; a resumed one must ask for the same
//   ranges(first, count, threads, pairs, ...)       done
//   failures(key, seed, thread, ..., count)         one row for each way to fail: constraint, builds and words
//   reasons(reason, count)                          why comparisons were not decided
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sqlite.h"
#include "refine/campaign/seed_runner.h"

namespace heddle::refine {

// What is kept of a failure; also what a worker sends.
struct FailureRow {
  std::string key;
  uint64_t seed = 0;
  std::string original, transformed, constraint, headline;
  uint64_t environment_seed = 0;
  uint64_t count = 1;
};

// A result without its traces.
struct RangeResult {
  SeedRange range;
  uint64_t threads = 0, pairs = 0, matched = 0, undecided = 0, harmless_reads = 0, events = 0;
  std::map<std::string, uint64_t> reasons;
  std::vector<FailureRow> failures;
};

RangeResult Summarise(SeedRange range, const BatchResult& result);

class Database {
 public:
  // Creates or opens. An error when the file is no campaign, or one with other settings.
  static Result<std::unique_ptr<Database>> Open(const std::string& path,
                                                const std::map<std::string, std::string>& settings);
  Status Add(const RangeResult& result);
  // The first seeds of the ranges that are done, with their counts.
  Result<std::map<uint64_t, uint32_t>> Done();
  // Everything together.
  Result<RangeResult> Totals();

 private:
  explicit Database(std::unique_ptr<SqlDatabase> file) : file_(std::move(file)) {}
  Status CheckSettings(const std::map<std::string, std::string>& settings);
  bool Write(const RangeResult& result);

  std::unique_ptr<SqlDatabase> file_;
};

}  // namespace heddle::refine
