#include "analysis/explore/search_coverage.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/target/controlled_run.h"
#include "analysis/target/outcome.h"

namespace heddle::analysis {
namespace {

std::string Times(uint64_t count) { return fmt::format("{} execution{}", count, count == 1 ? "" : "s"); }

std::string Scope(const ExplorationOptions& options) {
  if (options.memory == wire::MemoryModel::kC11)
    return "all executions that RC11 without load buffering allows explored";
  std::string what =
      options.visible.level == wire::Visible::kAll ? "all interleavings" : "all interleavings of visible operations";
  return what + " explored";
}

// In parts that a semicolon separates.
void Add(std::string& text, const std::string& part) {
  if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
}

std::string StoppedText(const SearchTotals& totals, const SearchEnd& end) {
  std::string text = "stopped by " + end.stopped_by;
  auto performed = static_cast<double>(totals.performed());
  bool known = end.estimate && end.estimate->executions > performed;
  bool expected = end.expected && end.expected->executions > performed;
  if (known) text += fmt::format(": {} of {}", totals.performed(), AboutText(*end.estimate));
  if (!expected) return text;
  std::string then = ExpectedText(*end.expected);
  return text + (known ? fmt::format(" ({})", then) : fmt::format(": {} of {}", totals.performed(), then));
}

std::string Bound(const ExplorationOptions& options, const SearchTotals& totals, const SearchEnd& end) {
  std::string text;
  if (!end.searched) {
    Add(text, fmt::format("{} samples by {}, {} of them racy", totals.executions, options.algorithm, end.racy));
  }
  if (end.bounded && end.stopped_by.empty()) {
    Add(text, options.delays ? fmt::format("complete up to {} delays", *options.delays)
                             : fmt::format("complete up to {} preemptions", *end.preemptions));
  }
  if (options.deepen && !end.stopped_by.empty() && *end.preemptions > 0) {
    Add(text, fmt::format("complete up to {} preemptions", *end.preemptions - 1));
  }
  if (!end.stopped_by.empty()) Add(text, StoppedText(totals, end));
  Add(text, end.unrepeated);
  for (const std::string& gap : totals.gaps) Add(text, gap);
  if (totals.timeouts_cut) Add(text, "waits with a limit run out at most twice in each thread while others can go");
  if (totals.mixed_sizes) Add(text, "atomics of different sizes at one address read the latest value only");
  if (totals.cut != 0) Add(text, fmt::format("{} cut at {} steps", Times(totals.cut), options.depth));
  if (totals.hangs != 0) {
    Add(text, fmt::format("{} did not end in {:g} s", Times(totals.hangs), options.execution_seconds));
  }
  if (totals.diverged != 0) {
    Add(text, fmt::format("{} could not be repeated ({})", Times(totals.diverged), totals.divergence));
  }
  return text;
}

}  // namespace

void FillCoverage(const ExplorationOptions& options, const SearchTotals& totals, const SearchEnd& end,
                  findings::Report& report) {
  report.tool_version = HEDDLE_VERSION;
  report.program = options.command[0];
  report.arguments.assign(options.command.begin() + 1, options.command.end());
  findings::Coverage& coverage = report.coverage;
  coverage.executions = totals.executions;
  coverage.blocked = totals.blocked;
  coverage.events = totals.events;
  coverage.threads = end.threads;
  coverage.seconds = end.seconds;
  bool whole = totals.cut == 0 && totals.hangs == 0 && totals.diverged == 0 && !totals.timeouts_cut &&
               !totals.mixed_sizes && totals.gaps.empty() && !end.target_gone && end.unrepeated.empty();
  coverage.complete = end.searched && end.stopped_by.empty() && !end.bounded && whole;
  coverage.scope = coverage.complete ? Scope(options) : "";
  coverage.succeeded = totals.outcomes.succeeded;
  coverage.failed = totals.outcomes.failed;
  ExplainFailures(totals.outcomes, coverage.complete, report);
  coverage.bound = (end.searched && !whole ? "not complete: " : "") + Bound(options, totals, end);
  coverage.note = totals.forked;
  Add(coverage.note, end.pruning);
  Add(coverage.note, end.note);
  if (!coverage.complete && !end.stopped_by.empty() && end.saved) {
    Add(coverage.note, fmt::format("--resume {} goes on", options.shown));
  }
}

SearchIdentity IdentityOf(const ExplorationOptions& options) {
  std::string text = fmt::format("program {}", CommandText(options.command));
  std::error_code failure;
  auto changed = std::filesystem::last_write_time(options.command[0], failure).time_since_epoch().count();
  if (!failure) text += fmt::format(" of {}", changed);
  text += fmt::format(
      "\nalgorithm {} seed {} visible {} memory {} time {} preemptions {} delays {} deepen {} depth {} nondet {} races "
      "{} "
      "commute {}\n",
      options.algorithm, options.seed, options.visible.Text(), wire::WordOf(options.memory), wire::WordOf(options.time),
      options.preemptions ? std::to_string(*options.preemptions) : "any",
      options.delays ? std::to_string(*options.delays) : "any", options.deepen, options.depth, options.nondet,
      options.races, options.commute);
  return {text};
}

}  // namespace heddle::analysis
