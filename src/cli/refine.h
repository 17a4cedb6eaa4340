// Parts that `heddle refine` and its subcommands share.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"
#include "refine/campaign/batch.h"
#include "refine/gen/gen.h"

namespace heddle::cli {

int RunRefineGen(const Arguments& arguments);
int RunRefineTrace(const Arguments& arguments);
int RunRefineCheck(const Arguments& arguments);
int RunRefineTest(const Arguments& arguments);
int RunRefineCampaign(const Arguments& arguments);

// What `test` and `campaign` are asked to build and run.
struct RefineBuilds {
  std::string compilers = "gcc,clang-19";
  std::string levels = "O0,O3";
  std::string targets = "x86_64";
  std::string flags;
  uint32_t environments = 0;  // 0: 2 for random threads, 8 for a file
  uint64_t max_blocks = 200'000;
  bool strict_reads = false;
};

void AddRefineBuilds(CLI::App& app, RefineBuilds& builds);
// Everything but `stop`.
Result<refine::BatchOptions> RefineBatchOptions(const RefineBuilds& builds, uint32_t environments);

void AddRefineGenerator(CLI::App& app, refine::GenOptions& options);
// The options again, " --size 6 --generator csmith"; empty for the usual ones.
std::string RefineGeneratorText(const refine::GenOptions& options);

// "40 undecided: 30 ..., 10 ..." with the most frequent reasons; empty when there are none.
std::string UndecidedText(const std::map<std::string, uint64_t>& reasons);

}  // namespace heddle::cli
