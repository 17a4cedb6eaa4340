// Many threads of one source file, compiled once by each build, each compared with its original.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/campaign/build.h"
#include "refine/campaign/pair.h"

namespace heddle::refine {

struct ThreadCase {
  std::string function;
  std::string prefix;  // of its globals; empty: all
  uint64_t seed = 0;   // of the generator
};

struct BatchOptions {
  std::vector<BuildSpec> specs;  // MakeSpecs
  uint32_t environments = 1;     // runs of each thread, each with another environment
  uint64_t environment_seed = 1;
  uint64_t max_blocks = 200'000;
  bool strict_reads = false;
  // May be empty. Called for each comparison, possibly from several threads at once.
  std::function<void(const ThreadCase& thread, const BuildSpec& original, const BuildSpec& transformed,
                     uint64_t environment_seed, const PairResult& result)>
      outcome;
  std::function<bool()> stop;  // may be empty; true: give up between two threads
};

struct Failure {
  ThreadCase thread;
  BuildSpec original, transformed;
  uint64_t environment_seed = 0;
  PairResult result;  // with lines
};

struct BatchResult {
  uint64_t threads = 0;
  uint64_t pairs = 0;  // compared to a verdict or not
  uint64_t matched = 0;
  uint64_t undecided = 0;
  uint64_t harmless_reads = 0;
  uint64_t events = 0;
  bool stopped = false;
  std::map<std::string, uint64_t> reasons;  // of undecided pairs
  std::vector<Failure> failures;            // at most one for each thread and pair of builds

  void Add(const BatchResult& other);
};

// Which builds are compared: (original, transformed) as indices of specs. For each target every build of a compiler
// with its lowest level, and every build of the other compilers with the lowest level of the first.
std::vector<std::pair<size_t, size_t>> Comparisons(const std::vector<BuildSpec>& specs);

// `folder` is scratch space.
Result<BatchResult> TestBatch(const std::string& source, const std::vector<ThreadCase>& threads,
                              const std::string& folder, const BatchOptions& options);

}  // namespace heddle::refine
