// heddle predict: from one run to the races and deadlocks of all its reorderings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/duration.h"
#include "base/file.h"
#include "cli/controlled_run.h"
#include "cli/predict_session.h"
#include "cli/report_output.h"
#include "cli/results_dir.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "predict/csp_model.h"
#include "sched/shrink.h"
#include "trace/convert/formats.h"
#include "trace/reader.h"

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

// The default for the recorded run: a thread goes on until it waits or sleeps, as short programs usually do by
// themselves.
constexpr const char* kFewSwitches = "guided";

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

void SetCoverage(const PredictTotals& totals, const predict::TraceUnderstood& trace, bool cut_short,
                 findings::Report& report) {
  report.coverage.events = trace.events;
  report.coverage.threads = trace.model.threads.size();
  report.coverage.executions = totals.replays;
  report.coverage.complete = totals.not_decided == 0 && !cut_short;
  report.coverage.scope = "all reorderings of this trace checked";
  if (cut_short) report.coverage.bound = "a run that was stopped by the time limit";
  if (totals.not_decided != 0) {
    report.coverage.bound = fmt::format("{} predictions not decided (--states)", totals.not_decided);
  }
  if (totals.unconfirmed != 0 && totals.replays != 0 && report.coverage.complete) {
    report.coverage.scope += fmt::format(", {} infeasible", totals.unconfirmed);
  }
}

Status EmitCsp(const PredictOptions& options, const predict::TraceUnderstood& trace, const PredictSession& session) {
  if (options.emit_csp.empty()) return {};
  return WriteFileAtomic(options.emit_csp, predict::CspModel(trace.model, session.targets()));
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
  if (done) done = EmitCsp(options, trace, session);
  if (!done) return Fail("predict", done.error());
  SetCoverage(session.totals(), trace, false, report);
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(session.totals());
  return Finish(options, root, *folder, report);
}

Result<ControlledEnd> Record(const PredictOptions& options, const std::string& folder, double seconds,
                             std::shared_ptr<StepPlaces> places) {
  ControlledRun run;
  run.places = std::move(places);
  run.command = options.command;
  run.options = options.control;
  run.options.detect = false;
  run.folder = folder;
  run.trace = folder + "/run.trace";
  run.seconds = seconds;
  if (run.options.strategy == kFewSwitches) {
    run.enforce = folder + "/enforce";
    Status written = WriteFileAtomic(run.enforce, sched::CompileSwitches({}, {}));
    if (!written) return written.error();
  }
  return RunControlled(run);
}

std::vector<std::string> ThreadIds(const trace::TraceInfo& info, size_t threads) {
  std::vector<std::string> ids;
  for (uint32_t thread = 0; thread < threads; ++thread) ids.push_back(info.ThreadId(thread));
  return ids;
}

int PredictProgram(const PredictOptions& options, double seconds, double run_seconds) {
  Clock::time_point start = Clock::now();
  std::string root = ResultsRoot(options.root);
  Result<std::string> folder = NewResults(root, "predict");
  if (!folder) return Fail("predict", folder.error());
  std::error_code failure;
  std::string files = std::filesystem::absolute(*folder, failure).string();
  auto places = std::make_shared<StepPlaces>();
  Result<ControlledEnd> end = Record(options, files, seconds, places);
  if (!end) {
    Fail("predict", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::Open(files + "/run.trace");
  if (!reader) return Fail("predict", reader.error());
  predict::TraceUnderstood trace = predict::Understand(reader->get());
  symbolize::TraceNames names(reader->get());
  predict::StepMap steps(trace.model, ThreadIds((*reader)->info(), trace.model.threads.size()), end->schedule);
  if (!steps.mismatch().empty())
    fmt::print(stderr, "heddle predict: trace and schedule differ: {}\n", steps.mismatch());
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = options.command[0];
  report.arguments.assign(options.command.begin() + 1, options.command.end());
  report.exit = end->child.code;
  report.coverage.runs = 1;
  Confirmer confirmer(options.command, end->schedule, files, run_seconds, places);
  PredictSession session(&trace, &names, LimitsOf(options), options.all);
  session.UseProgram(&confirmer, &steps, *folder);
  Status done = session.ConfirmRun(end->schedule, report);
  if (done) done = session.Races(report);
  if (done) done = session.Deadlocks(report);
  if (done) done = EmitCsp(options, trace, session);
  if (!done) return Fail("predict", done.error());
  SetCoverage(session.totals(), trace, end->timed_out, report);
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(session.totals());
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
  return PredictProgram(options, *seconds, *run_seconds);
}

}  // namespace

extern const Verb kPredictVerb;
const Verb kPredictVerb{"predict", "races and deadlocks of all reorderings of one run, confirmed by replay", Run};

}  // namespace heddle::cli
