// heddle predict: from one run to the races and deadlocks of all its reorderings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analysis/predict/predict_run.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "instrument/aspect.h"
#include "predict/csp_model.h"
#include "predict/window.h"
#include "trace/convert/formats.h"

namespace heddle::cli {
namespace {

constexpr const char* kPredictExamples =
    "Records one run of a program that was built with heddle cc, predicts what other orders of its operations would\n"
    "show, and replays each prediction to confirm it. With a trace (heddle's own, or STD, JSON lines: heddle trace\n"
    "convert) nothing is run: what the trace alone proves is reported.\n"
    "Examples:\n"
    "  heddle predict -- ./test\n"
    "  heddle predict --seed 7 --json out.json -- ./test\n"
    "  heddle predict run.std\n"
    "  heddle predict --property file.csp -- ./test\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 126/127 the program cannot run.";

struct PredictOptions {
  std::vector<std::string> command;  // or one trace
  bool is_program = false;
  analysis::ControlOptions control;
  std::string root;
  std::string time = "60s";
  std::string run_time = "20s";
  uint64_t states = 200'000;
  uint64_t window = 4'000'000;
  std::string emit_csp;
  std::vector<std::string> aspect_files;
  std::vector<std::string> property_files;
  bool infer_atomic = false;
  bool all = false;
  bool statistics = false;
  ReportOptions report;
};

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

analysis::PredictLimits LimitsOf(const PredictOptions& options) {
  analysis::PredictLimits limits;
  limits.races.search.states = options.states;
  limits.races.all_states = options.states * 10;
  limits.deadlocks.search.states = options.states;
  limits.deadlocks.stuck.states = options.states * 10;
  limits.properties.states = options.states * 50;
  limits.patterns.search.states = options.states;
  limits.patterns.infer = options.infer_atomic;
  return limits;
}

void PrintStatistics(const analysis::PredictTotals& totals) {
  const predict::Reduction& reduction = totals.reduction;
  fmt::print(stderr,
             "accesses in the trace            {:>12}\n"
             "  by word, once in a segment     {:>12}\n"
             "words                            {:>12}\n"
             "  of two threads, one writes     {:>12}\n"
             "  accessed in different ways     {:>12}\n"
             "pairs of sites left to decide    {:>12}\n"
             "  instances: histories exclude   {:>12}\n"
             "predicted {}, confirmed {}, not confirmed {}, ruled out by replays {}, refuted {}, "
             "not decided {}; {} cuts visited, {} replays\n",
             reduction.accesses, reduction.logged, reduction.words, reduction.shared_words, reduction.distinct_words,
             reduction.candidate_pairs, reduction.excluded, totals.predicted, totals.confirmed, totals.unconfirmed,
             totals.ruled_out, totals.refuted, totals.not_decided, totals.states, totals.replays);
}

Status EmitCsp(const PredictOptions& options, const predict::ModelledTrace& trace,
               const std::vector<predict::Target>& targets, const std::vector<predict::Property>& properties) {
  if (options.emit_csp.empty()) return {};
  if (!properties.empty()) {
    return WriteFileAtomic(options.emit_csp, predict::PropertyScript(trace.model, trace.strings, properties[0], {}));
  }
  return WriteFileAtomic(options.emit_csp, predict::CspModel(trace.model, targets));
}

int Finish(const PredictOptions& options, const std::string& root, const std::string& folder,
           findings::Report& report) {
  int code = EmitReport("predict", report, options.report, stderr);
  return KeepResults("predict", root, folder, report, code);
}

// The properties to check, with the events that --aspect declares.
Result<std::vector<predict::Property>> ReadProperties(const PredictOptions& options) {
  std::vector<std::string> declared;
  for (const std::string& file : options.aspect_files) {
    Result<std::string> text = ReadFile(file);
    if (!text) return text.error();
    Result<std::vector<instrument::AspectOrder>> orders = instrument::ParseAspects(file, *text);
    if (!orders) return orders.error();
    for (const instrument::AspectOrder& order : *orders) declared.push_back(instrument::EventText(order));
  }
  std::vector<predict::Property> properties;
  for (const std::string& file : options.property_files) {
    Result<std::string> text = ReadFile(file);
    if (!text) return text.error();
    std::error_code failure;
    std::string path = std::filesystem::absolute(file, failure).string();
    properties.push_back({failure ? file : path, std::move(*text), declared});
  }
  return properties;
}

// A property is about the whole trace; races and deadlocks are looked for in one window after the other.
int PredictTrace(const PredictOptions& options, const std::vector<predict::Property>& properties) {
  Clock::time_point start = Clock::now();
  Result<std::unique_ptr<trace::EventSource>> source = trace::OpenSource(options.command[0], std::nullopt);
  if (!source) return Fail("predict", source.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "predict");
  if (!folder) return Fail("predict", folder.error());
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = options.command[0];
  symbolize::TraceNames names(source->get());
  predict::WindowReader windows(source->get(), properties.empty() ? options.window : 0);
  analysis::PredictTotals totals;
  uint64_t events = 0;
  size_t threads = 0;
  predict::ModelledTrace trace;
  while (windows.Next(&trace)) {
    if (!(*source)->status()) return Fail("predict", (*source)->status().error());
    analysis::PredictSession session(&trace, &names, LimitsOf(options), options.all);
    Status done = analysis::Predict(properties, session, report);
    if (done && windows.windows() == 1) done = EmitCsp(options, trace, session.targets(), properties);
    if (!done) return Fail("predict", done.error());
    totals.Add(session.totals());
    events += trace.events;
    threads = std::max(threads, trace.model.threads.size());
  }
  analysis::SetPredictCoverage(totals, {events, threads}, report);
  if (windows.windows() > 1) {
    report.coverage.complete = false;
    report.coverage.bound = fmt::format("{} windows of {} events (--window)", windows.windows(), options.window);
  }
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(totals);
  return Finish(options, root, *folder, report);
}

int PredictCommand(const PredictOptions& options, std::vector<predict::Property> properties, double seconds,
                   double run_seconds) {
  Clock::time_point start = Clock::now();
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "predict");
  if (!folder) return Fail("predict", folder.error());
  findings::Report report;
  analysis::Interrupt interrupt;
  analysis::PredictRun run;
  run.command = options.command;
  run.control = options.control;
  run.limits = LimitsOf(options);
  run.seconds = seconds;
  run.run_seconds = run_seconds;
  run.deadline = Deadline::After(seconds);
  run.all = options.all;
  run.properties = std::move(properties);
  Result<analysis::PredictEnd> end = analysis::PredictProgram(run, *folder, report);
  if (!end) {
    int code = Fail("predict", end.error());
    if (end.error().code == ErrorCode::kBadInput) return code;
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  Status emitted = EmitCsp(options, end->trace, end->targets, run.properties);
  if (!emitted) return Fail("predict", emitted.error());
  report.coverage.seconds = Since(start);
  if (options.statistics) PrintStatistics(end->totals);
  return Finish(options, root, *folder, report);
}

int RunPredict(const Arguments& arguments) {
  CLI::App app("Predicts races and deadlocks of other orders of one run, and replays them", "heddle predict");
  PredictOptions options;
  options.control.strategy = analysis::kFewSwitches;
  app.add_option("TRACE", options.command, "a trace, or after -- a program and its arguments")->required();
  AddControlOptions(app, options.control);
  app.add_option("--time", options.time, "time limit of the whole command")->type_name("TIME")->capture_default_str();
  app.add_option("--run-time", options.run_time, "time limit of one replay")->type_name("TIME")->capture_default_str();
  app.add_option("--states", options.states, "cuts that one search visits at most")->capture_default_str();
  app.add_option("--window", options.window, "of a trace, so many events are looked at together; 0: all")
      ->capture_default_str();
  app.add_option("--emit-csp", options.emit_csp,
                 "write the reorderings (of the first window) as a CSP_M script (heddle csp, FDR)")
      ->type_name("FILE");
  app.add_option("--property", options.property_files,
                 "check this property, in CSP_M, on all reorderings instead (docs/properties.md)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* aspect = app.add_option("--aspect", options.aspect_files,
                                       "the events that a property may name besides those that the trace knows");
  aspect->type_name("FILE")->allow_extra_args(false)->needs("--property");
  app.add_flag("--infer-atomic", options.infer_atomic,
               "a read and the next write, in two sections of one lock or both atomic, are meant as one");
  app.add_flag("--all", options.all, "show predictions that no replay confirmed as well");
  app.add_flag("--statistics", options.statistics, "say what was left after each step");
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options.report);
  app.footer(kPredictExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  options.is_program = std::find(arguments.begin(), arguments.end(), "--") != arguments.end();
  if (!options.is_program && options.command.size() != 1) {
    return Fail("predict", MakeError(ErrorCode::kUsage, "one trace, or a program after --"));
  }
  Result<std::vector<predict::Property>> properties = ReadProperties(options);
  if (!properties) return Fail("predict", properties.error());
  if (properties->size() > 1 && !options.emit_csp.empty()) {
    return Fail("predict", MakeError(ErrorCode::kUsage, "--emit-csp writes the model of one --property"));
  }
  if (!options.is_program) return PredictTrace(options, *properties);
  Result<double> seconds = ParseDuration(options.time);
  if (!seconds) return Fail("predict", seconds.error());
  Result<double> run_seconds = ParseDuration(options.run_time);
  if (!run_seconds) return Fail("predict", run_seconds.error());
  return PredictCommand(options, properties.Take(), *seconds, *run_seconds);
}

}  // namespace

extern const Verb kPredictVerb;
const Verb kPredictVerb{"predict", "races and deadlocks of all reorderings of one run, confirmed by replay",
                        RunPredict};

}  // namespace heddle::cli
