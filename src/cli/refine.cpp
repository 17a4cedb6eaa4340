// heddle refine: does the compiler keep what a thread means? Each subcommand is a file of its own.
#include "cli/refine.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "base/near.h"

namespace heddle::cli {
namespace {

constexpr Part kSubverbs[] = {
    {"gen", "write random C threads", RunRefineGen},
    {"trace", "run a thread of an object file in an emulator and write its accesses", RunRefineTrace},
    {"check", "compare two traces of one thread", RunRefineCheck},
    {"test", "all of it for a source file or for random threads", RunRefineTest},
    {"campaign", "long runs with a database", RunRefineCampaign},
};

constexpr const char* kHelp =
    R"(Does the compiler keep what a thread means? Compares builds of a C thread that uses locks.

usage: heddle refine SUBCOMMAND ...

{}
  heddle refine test thread.c
  heddle refine test --random 1000 --cc gcc,clang-19 --levels O0,O2,O3 --target x86_64,aarch64
  heddle refine SUBCOMMAND --help

Exit: 0 no difference that matters, 1 findings, 2 usage, 3 not decided, 5 a compiler or the linker is missing.
)";

int RunRefine(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    std::string parts;
    for (const Part& part : kSubverbs) parts += fmt::format("  {:<10} {}\n", part.name, part.summary);
    fmt::print(arguments.empty() ? stderr : stdout, kHelp, parts);
    return arguments.empty() ? kExitUsage : kExitClean;
  }
  std::vector<std::string_view> names;
  for (const Part& subverb : kSubverbs) {
    if (subverb.name == arguments[0]) return subverb.run({arguments.begin() + 1, arguments.end()});
    names.push_back(subverb.name);
  }
  std::string hint = DidYouMean(arguments[0], names);
  fmt::print(stderr, "heddle refine: unknown subcommand `{}`{}{}\ntry `heddle refine --help`\n", arguments[0],
             hint.empty() ? "" : ": ", hint);
  return kExitUsage;
}

}  // namespace

void AddRefineBuilds(CLI::App& app, RefineBuilds& builds) {
  app.add_option("--cc", builds.compilers, "compilers, separated by commas")->capture_default_str();
  app.add_option("--levels", builds.levels, "levels; each is compared with the lowest")->capture_default_str();
  app.add_option("--target", builds.targets, "x86_64, aarch64, riscv64")->capture_default_str();
  app.add_option("--cflags", builds.flags, "more flags for every build, separated by blanks");
  app.add_option("--environments", builds.environments, "runs of each thread, each with other values at its locks")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--max-blocks", builds.max_blocks, "basic blocks until a run is given up")->capture_default_str();
  app.add_flag("--strict-reads", builds.strict_reads,
               "report every read that the original does not do, also when its value does not matter");
}

Result<refine::BatchOptions> RefineBatchOptions(const RefineBuilds& builds, uint32_t environments) {
  std::vector<std::string> flags;
  std::istringstream in(builds.flags);
  for (std::string flag; in >> flag;) flags.push_back(flag);
  Result<std::vector<refine::BuildSpec>> specs =
      refine::MakeSpecs(builds.compilers, builds.levels, builds.targets, flags);
  if (!specs) return specs.error();
  refine::BatchOptions options;
  options.specs = specs.Take();
  options.environments = builds.environments > 0 ? builds.environments : environments;
  options.max_blocks = builds.max_blocks;
  options.strict_reads = builds.strict_reads;
  return options;
}

void AddRefineGenerator(CLI::App& app, refine::GenOptions& options) {
  app.add_option("--size", options.size, "statements of a thread, about")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--locks", options.locks, "locks of a thread")->capture_default_str()->check(CLI::Range(0, 16));
  app.add_option_function<std::string>(
         "--generator", [&options](const std::string& name) { options.csmith = name == "csmith"; },
         "where random threads come from: heddle (default) or csmith, which must be installed")
      ->check(CLI::IsMember({"heddle", "csmith"}));
}

std::string RefineGeneratorText(const refine::GenOptions& options) {
  refine::GenOptions usual;
  std::string text;
  if (options.size != usual.size) text += fmt::format(" --size {}", options.size);
  if (options.locks != usual.locks) text += fmt::format(" --locks {}", options.locks);
  if (options.csmith) text += " --generator csmith";
  return text;
}

std::string UndecidedText(const std::map<std::string, uint64_t>& reasons) {
  std::vector<std::pair<uint64_t, std::string>> sorted;
  uint64_t all = 0;
  for (const auto& [reason, count] : reasons) {
    sorted.emplace_back(count, reason);
    all += count;
  }
  if (all == 0) return "";
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text = fmt::format("not decided: {} comparison{}\n", all, all == 1 ? "" : "s");
  for (size_t i = 0; i < sorted.size() && i < 5; ++i) {
    text += fmt::format("  {:>6}  {}\n", sorted[i].first, sorted[i].second);
  }
  if (sorted.size() > 5) text += fmt::format("          and {} other reasons\n", sorted.size() - 5);
  return text;
}

extern const Verb kRefineVerb;
const Verb kRefineVerb{"refine", "check that compilers keep what threads mean", RunRefine, kSubverbs, false};

}  // namespace heddle::cli
