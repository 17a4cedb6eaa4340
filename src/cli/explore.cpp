// heddle explore: every behaviour of a program, or as many as a bound allows.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/explore/exploration.h"
#include "analysis/explore/ranked_exploration.h"
#include "analysis/target/process.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/ranks.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "cli/word_option.h"

namespace heddle::cli {
namespace {

constexpr const char* kExploreExamples =
    "The program must be built with heddle cc or heddle c++. Every interleaving of its visible operations is "
    "performed,\n"
    "up to the order of operations that commute; races, deadlocks, failed assertions and crashes are reported, each\n"
    "with a schedule that heddle replay enforces. The last line says what was covered.\n"
    "Examples:\n"
    "  heddle explore -- ./test\n"
    "  heddle explore --preemptions 2 --time 60s -- ./test 4\n"
    "  heddle explore --algorithm pct --executions 10000 -- ./test\n"
    "  mpirun --enable-recovery -np 4 heddle explore -- ./test\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not decide, 126/127 the program cannot run.";

struct Options {
  analysis::ExplorationOptions exploration;
  std::string goal = "all";
  std::string root;
  std::string time;
  int preemptions = -1;
  int delays = -1;
  bool no_races = false;
  std::string restart = "memory";
  std::string commute = "on";
  ReportOptions report;
};

void ShowProgress(const analysis::ExplorationProgress& progress) {
  bool terminal = isatty(STDERR_FILENO) != 0;
  static double said = 0;
  if (!terminal && progress.seconds < said + 10) return;
  said = progress.seconds;
  // At first little is known of the tree.
  constexpr uint64_t kFirst = 64;
  bool early = progress.executions < kFirst && progress.expected;
  std::string of = early               ? " of " + analysis::ExpectedText(*progress.expected) + ":"
                   : progress.estimate ? " of " + analysis::AboutText(*progress.estimate)
                                       : "";
  fmt::print(stderr, "{}{}{} execution{}, {:.0f}/s, {} finding{}{}", terminal ? "\r" : "", progress.executions, of,
             progress.executions == 1 ? "" : "s", static_cast<double>(progress.executions) / progress.seconds,
             progress.findings, progress.findings == 1 ? "" : "s", terminal ? " \x1b[K" : "\n");
}

// Several processes that mpirun started find each other through a file in the results folder, which all can see.
std::string AddressFile(const std::string& root) {
  std::string job = JobOfProcess();
  std::error_code failure;
  std::filesystem::create_directories(root, failure);
  return std::filesystem::absolute(root, failure).string() + "/explore" + (job.empty() ? "" : "-" + job) + ".leader";
}

// Any other rank than the first.
int Follow(const Options& options) {
  Status followed = analysis::FollowExploration(options.exploration);
  if (followed) return kExitClean;
  return Fail("explore", MakeError(followed.error().code,
                                   fmt::format("rank {}: {}", options.exploration.rank, followed.error().message)));
}

int Execute(Options& options) {
  std::string root = analysis::ResultsRoot(options.root);
  Rank rank = RankOfProcess();
  const std::string& resume = options.exploration.resume;
  if (rank.count > 1 || (!resume.empty() && analysis::HasSharedSearch(resume))) {
    options.exploration.address_file = AddressFile(root);
    options.exploration.rank = rank.number;
    options.exploration.ranks = rank.count;
    ForgetRank();
    if (rank.number > 0) return Follow(options);
  }
  Result<std::string> folder = analysis::NewResults(root, "explore");
  if (!folder) return Fail("explore", folder.error());
  std::error_code failure;
  options.exploration.folder = std::filesystem::absolute(*folder, failure).string();
  options.exploration.shown = *folder;
  Result<findings::Report> report = analysis::Explore(options.exploration, ShowProgress);
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
  if (!report) {
    Fail("explore", report.error());
    bool cannot_run = report.error().code == ErrorCode::kNotFound || report.error().code == ErrorCode::kIo;
    return cannot_run ? CannotRunCode(report.error()) : static_cast<int>(kExitUndecided);
  }
  findings::Report written = report.Take();
  int code = EmitReport("explore", written, options.report, stderr);
  // Not for a bound that was asked for: something was left out that nobody chose.
  if (code == 0 && written.coverage.bound.starts_with("not complete")) code = kExitUndecided;
  return KeepResults("explore", root, *folder, written, code);
}

Status CheckBounds(const Options& options, bool samples) {
  if (samples && (options.preemptions >= 0 || options.delays >= 0 || options.exploration.deepen)) {
    return MakeError(ErrorCode::kUsage, "--preemptions, --delays and --deepen are for searches, not for samples");
  }
  if (options.delays >= 0 && (options.preemptions >= 0 || options.exploration.deepen)) {
    return MakeError(ErrorCode::kUsage, "--delays and bounds on preemptions exclude each other");
  }
  return {};
}

Status CheckC11(const Options& options) {
  if (options.preemptions >= 0 || options.delays >= 0 || options.exploration.deepen) {
    return MakeError(ErrorCode::kUsage,
                     "--preemptions, --delays and --deepen bound the order of operations, which decides nothing with "
                     "--memory c11");
  }
  if (options.exploration.algorithm == "dpor") {
    return MakeError(ErrorCode::kUsage, "--memory c11 has the algorithms source (optimal means the same) and dfs");
  }
  if (options.exploration.visible.level == wire::Visible::kSync) {
    return MakeError(ErrorCode::kUsage, "--memory c11 needs atomics to be visible");
  }
  return {};
}

// Several processes share the optimal search only.
Status CheckRanks(const Options& options) {
  const analysis::ExplorationOptions& e = options.exploration;
  bool shared = RankOfProcess().count > 1 || (!e.resume.empty() && analysis::HasSharedSearch(e.resume));
  bool optimal = e.algorithm == "optimal" && e.memory == wire::MemoryModel::kSc && options.preemptions < 0 &&
                 options.delays < 0 && !e.deepen && options.goal == "all";
  if (!shared || (optimal && e.jobs == 1)) return {};
  return MakeError(ErrorCode::kUsage, optimal ? "several ranks perform one execution each at a time: more of them "
                                                "instead of --jobs"
                                              : "several ranks are for the optimal search without a bound, with "
                                                "--memory sc and --goal all");
}

int RunExplore(const Arguments& arguments) {
  CLI::App app("Explores every behaviour of a program", "heddle explore");
  Options options;
  analysis::ExplorationOptions& exploration = options.exploration;
  app.add_option("COMMAND", exploration.command, "after --: the program and its arguments")->required();
  app.add_option("--algorithm", exploration.algorithm,
                 "optimal, source, dpor, dfs: complete searches; random, pct, pos: samples")
      ->check(CLI::IsMember({"optimal", "source", "dpor", "dfs", "random", "pct", "pos"}))
      ->capture_default_str();
  app.add_option("--goal", options.goal, "all: everything; race: data races only")
      ->check(CLI::IsMember({"all", "race"}))
      ->capture_default_str();
  AddVisible(app, exploration.visible);
  AddTimeMode(app, exploration.time);
  AddWordOption(app, "--memory", exploration.memory,
                "sc: sequential consistency; c11: atomics read whatever RC11 allows (no load buffering)");
  app.add_option("--preemptions", options.preemptions,
                 "at most so many preemptions in an execution (default: no bound)")
      ->check(CLI::Range(0, 1000));
  app.add_option("--delays", options.delays,
                 "at most so many delays: times that a thread which would go next is passed over (default: no bound)")
      ->check(CLI::Range(0, 1000));
  app.add_flag("--deepen", exploration.deepen,
               "0 preemptions first, then 1, and so on, up to --preemptions or until nothing is left out");
  app.add_option("--executions", exploration.executions, "stop after so many (default: no limit)");
  app.add_option("--depth", exploration.depth, "cut executions that are longer")
      ->check(CLI::Range(10, 65000))
      ->capture_default_str();
  app.add_option("--time", options.time, "stop after this time: 500ms, 60s, 5m (default: no limit)")->type_name("TIME");
  app.add_option("--seed", exploration.seed, "random, pct, pos: the first seed")->capture_default_str();
  app.add_option("--nondet", exploration.nondet, "how many values __VERIFIER_nondet_int and the like have")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--restart", options.restart,
                 "memory: what an execution wrote is copied back, where that is enough; fork: each runs in a copy")
      ->check(CLI::IsMember({"memory", "fork"}))
      ->capture_default_str();
  app.add_option("--commute", options.commute,
                 "on: the order of increments whose results are not used, and of arrivals at a barrier, is left open "
                 "where it decides nothing; off: every order")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--jobs", exploration.jobs, "executions at a time; the search is the same")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--resume", exploration.resume, "go on with the search whose results are in this folder")
      ->type_name("DIR");
  app.add_flag("--first", exploration.first, "stop at the first finding");
  app.add_flag("--no-races", options.no_races, "do not look for data races and misuse: faster");
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options.report);
  app.footer(kExploreExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  bool samples = exploration.algorithm == "random" || exploration.algorithm == "pct" || exploration.algorithm == "pos";
  if (!options.time.empty()) {
    Result<double> limit = ParseDuration(options.time);
    if (!limit) return Fail("explore", limit.error());
    exploration.seconds = *limit;
    exploration.execution_seconds = std::min(exploration.execution_seconds, *limit);
  }
  Status bounds = CheckBounds(options, samples);
  if (!bounds) return Fail("explore", bounds.error());
  if (options.delays >= 0) exploration.delays = static_cast<uint32_t>(options.delays);
  if (exploration.jobs > 1 && (exploration.algorithm != "optimal" || options.preemptions >= 0 || options.delays >= 0)) {
    return Fail("explore", MakeError(ErrorCode::kUsage, "--jobs is for the optimal search without a bound"));
  }
  Status ranks = CheckRanks(options);
  if (!ranks) return Fail("explore", ranks.error());
  if (samples && exploration.executions == 0 && exploration.seconds == 0) exploration.executions = 1000;
  if (exploration.memory == wire::MemoryModel::kC11) {
    Status possible = CheckC11(options);
    if (!possible) return Fail("explore", possible.error());
  }
  if (options.preemptions >= 0) exploration.preemptions = static_cast<uint32_t>(options.preemptions);
  exploration.only_races = options.goal == "race";
  exploration.races = !options.no_races;
  exploration.in_place = options.restart == "memory";
  exploration.commute = options.commute == "on";
  if (exploration.only_races && options.no_races) {
    return Fail("explore", MakeError(ErrorCode::kUsage, "--goal race and --no-races leave nothing to look for"));
  }
  return Execute(options);
}

}  // namespace

extern const Verb kExploreVerb;
const Verb kExploreVerb{"explore", "explore every behaviour of a program", RunExplore};

}  // namespace heddle::cli
