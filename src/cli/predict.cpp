// heddle predict: from one run to the races and deadlocks of all its reorderings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "base/duration.h"
#include "base/file.h"
#include "cli/controlled_run.h"
#include "cli/predict_run.h"
#include "cli/report_output.h"
#include "cli/results_dir.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "predict/csp_model.h"
#include "trace/convert/formats.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Records one run of a program that was built with heddle cc, predicts what other orders of its operations would\n"
    "show, and replays each prediction to confirm it. With a trace (heddle's own, or STD, JSON lines: heddle trace\n"
    "convert) nothing is run: what the trace alone proves is reported.\n"
    "Examples:\n"
    "  heddle predict -- ./test\n"
    "  heddle predict --seed 7 --json out.json -- ./test\n"
    "  heddle predict run.std\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 126/127 the program cannot run.";

struct PredictOptions {
  std::vector<std::string> command;  // or one trace
  bool is_program = false;
  ControlOptions control;
  std::string root;
  std::string time = "60s";
  std::string run_time = "20s";
  uint64_t states = 200'000;
  std::string emit_csp;
  bool all = false;
  bool statistics = false;
  ReportOptions report;
};

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

PredictLimits LimitsOf(const PredictOptions& options) {
  PredictLimits limits;
  limits.races.search.states = options.states;
  limits.races.all_states = options.states * 10;
  limits.deadlocks.search.states = options.states;
  limits.deadlocks.stuck.states = options.states * 10;
  return limits;
}

void PrintStatistics(const PredictTotals& totals) {
  const predict::Reduction& reduction = totals.reduction;
  fmt::print(stderr,
             "accesses in the trace            {:>12}\n"
             "  by word, once in a segment     {:>12}\n"
             "words                            {:>12}\n"
             "  of two threads, one writes     {:>12}\n"
             "  accessed in different ways     {:>12}\n"
             "pairs of sites left to decide    {:>12}\n"
             "predicted {}, confirmed {}, not confirmed {}, refuted {}, not decided {}; {} cuts visited, {} replays\n",
             reduction.accesses, reduction.logged, reduction.words, reduction.shared_words, reduction.distinct_words,
             reduction.candidate_pairs, totals.predicted, totals.confirmed, totals.unconfirmed, totals.refuted,
             totals.not_decided, totals.states, totals.replays);
}

Status EmitCsp(const PredictOptions& options, const predict::TraceUnderstood& trace,
               const std::vector<predict::Target>& targets) {
  if (options.emit_csp.empty()) return {};
  return WriteFileAtomic(options.emit_csp, predict::CspModel(trace.model, targets));
}

int Finish(const PredictOptions& options, const std::string& root, const std::string& folder,
           findings::Report& report) {
  int code = EmitReport("predict", report, options.report, stderr);
  Status saved = findings::SaveReport(report, folder + "/report.json");
  if (saved) saved = PublishResults(root, folder);
  if (!saved) return Fail("predict", saved.error());
  return code;
}

int PredictTrace(const PredictOptions& options) {
  Clock::time_point start = Clock::now();
  Result<std::unique_ptr<trace::EventSource>> source = trace::OpenSource(options.command[0], std::nullopt);
  if (!source) return Fail("predict", source.error());
  predict::TraceUnderstood trace = predict::Understand(source->get());
  if (!(*source)->status()) return Fail("predict", (*source)->status().error());
  std::string root = ResultsRoot(options.root);
  Result<std::string> folder = NewResults(root, "predict");
  if (!folder) return Fail("predict", folder.error());
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = options.command[0];
  symbolize::TraceNames names(source->get());
  PredictSession session(&trace, &names, LimitsOf(options), options.all);
  Status done = session.Races(report);
  if (done) done = session.Deadlocks(report);
  if (done) done = EmitCsp(options, trace, session.targets());
  if (!done) return Fail("predict", done.error());
  SetPredictCoverage(session.totals(), trace, false, report);
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(session.totals());
  return Finish(options, root, *folder, report);
}

int PredictCommand(const PredictOptions& options, double seconds, double run_seconds) {
  Clock::time_point start = Clock::now();
  std::string root = ResultsRoot(options.root);
  Result<std::string> folder = NewResults(root, "predict");
  if (!folder) return Fail("predict", folder.error());
  findings::Report report;
  PredictRun run{options.command, options.control, LimitsOf(options), seconds, run_seconds, options.all};
  Result<PredictEnd> end = PredictProgram(run, *folder, report);
  if (!end) {
    Fail("predict", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  Status emitted = EmitCsp(options, end->trace, end->targets);
  if (!emitted) return Fail("predict", emitted.error());
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(end->totals);
  return Finish(options, root, *folder, report);
}

int Run(const Arguments& arguments) {
  CLI::App app("Predicts races and deadlocks of other orders of one run, and replays them", "heddle predict");
  PredictOptions options;
  options.control.strategy = kFewSwitches;
  app.add_option("TRACE", options.command, "a trace, or after -- a program and its arguments")->required();
  AddControlOptions(app, options.control);
  app.add_option("--time", options.time, "time limit of the recorded run")->type_name("TIME")->capture_default_str();
  app.add_option("--run-time", options.run_time, "time limit of one replay")->type_name("TIME")->capture_default_str();
  app.add_option("--states", options.states, "cuts that one search visits at most")->capture_default_str();
  app.add_option("--emit-csp", options.emit_csp, "write the reorderings as a CSP_M script (heddle csp, FDR)")
      ->type_name("FILE");
  app.add_flag("--all", options.all, "show predictions that no replay confirmed as well");
  app.add_flag("--statistics", options.statistics, "say what was left after each step");
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options.report);
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  options.is_program = std::find(arguments.begin(), arguments.end(), "--") != arguments.end();
  if (!options.is_program && options.command.size() != 1) {
    return Fail("predict", MakeError(ErrorCode::kUsage, "one trace, or a program after --"));
  }
  if (!options.is_program) return PredictTrace(options);
  Result<double> seconds = ParseDuration(options.time);
  if (!seconds) return Fail("predict", seconds.error());
  Result<double> run_seconds = ParseDuration(options.run_time);
  if (!run_seconds) return Fail("predict", run_seconds.error());
  return PredictCommand(options, *seconds, *run_seconds);
}

}  // namespace

extern const Verb kPredictVerb;
const Verb kPredictVerb{"predict", "races and deadlocks of all reorderings of one run, confirmed by replay", Run};

}  // namespace heddle::cli
