#include "analysis/predict/predict_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analysis/predict/predict_confirm.h"
#include "analysis/target/outcome.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "predict/witness_schedule.h"
#include "sched/shrink.h"
#include "symbolize/trace_names.h"
#include "trace/reader.h"

namespace heddle::analysis {
namespace {

Result<ControlledEnd> Record(const PredictRun& wanted, const std::string& folder, std::shared_ptr<StepPlaces> places) {
  ControlledRun run;
  run.places = std::move(places);
  run.command = wanted.command;
  run.options = wanted.control;
  run.options.detect = false;
  run.folder = folder;
  run.trace = folder + "/run.trace";
  // The rest of the time is for what the run is good for.
  constexpr double kShare = 0.8;
  constexpr double kReadShare = 0.9;
  double left = wanted.deadline.Left(wanted.seconds / kShare);
  run.seconds = std::max(0.1, std::min(wanted.seconds, left * kShare));
  run.read_until = wanted.deadline.Left(2 * left) < 2 * left ? wanted.deadline.Within(left * kReadShare) : Deadline();
  if (run.options.strategy == kFewSwitches) {
    run.enforce = folder + kEnforceName;
    Status written = WriteFileAtomic(run.enforce, sched::CompileSwitches({}, {}));
    if (!written) return written.error();
  }
  return wanted.target->Control(run);
}

std::vector<std::string> ThreadIds(const trace::TraceInfo& info, size_t threads) {
  std::vector<std::string> ids;
  for (uint32_t thread = 0; thread < threads; ++thread) ids.push_back(info.ThreadId(thread));
  return ids;
}

}  // namespace

Status Predict(const std::vector<predict::Property>& properties, PredictSession& session, findings::Report& report) {
  Status done;
  for (const predict::Property& property : properties) {
    done = session.Properties(property, report);
    if (!done) return done;
  }
  if (!properties.empty()) return done;
  done = session.Races(report);
  if (done) done = session.Deadlocks(report);
  if (done) done = session.Patterns(report);
  return done;
}

namespace {

void Also(const std::string& part, std::string& text) { text += (text.empty() ? "" : "; ") + part; }

// No phase had the time to look at anything.
bool NothingSeen(const PredictTotals& totals) {
  constexpr size_t kPhases = 4;
  return totals.skipped.size() >= kPhases;
}

// What of the run's own end has to be said whatever is found.
void TakeOutcome(const ControlledEnd& end, const trace::TraceInfo& info, const findings::Report& own,
                 findings::Report& report) {
  report.coverage.undecided = own.coverage.undecided;
  report.coverage.note = own.coverage.note;
  if (report.coverage.undecided.empty() && !end.damage.empty()) report.coverage.undecided = end.damage;
  if (report.coverage.undecided.empty() && !info.damage.empty()) {
    report.coverage.undecided = "the trace of the run is cut: " + info.damage[0];
  }
}

// Searching what was read takes about as long again as reading it.
Deadline ReadUntil(const PredictRun& run) {
  constexpr double kMost = 1e6;
  double left = run.deadline.Left(kMost);
  return left == kMost ? run.deadline : run.deadline.Within(left / 2);
}

}  // namespace

void SetPredictCoverage(const PredictTotals& totals, const PredictCoverage& seen, findings::Report& report) {
  findings::Coverage& coverage = report.coverage;
  coverage.events = seen.events;
  coverage.threads = seen.threads;
  coverage.executions = totals.replays;
  // Without a program a prediction is an answer: nothing could be replayed.
  uint64_t unconfirmed = totals.replays != 0 ? totals.unconfirmed : 0;
  coverage.complete = totals.not_decided == 0 && unconfirmed == 0 && !seen.run_cut && !seen.trace_cut;
  coverage.scope = coverage.complete ? std::string(findings::kOneTrace) : "";
  if (seen.run_cut) Also("a run that was stopped by the time limit", coverage.bound);
  if (seen.trace_cut) {
    Also(fmt::format("the first {} events of the run: there was no time to read more of its trace (--time)",
                     seen.events),
         coverage.bound);
  }
  uint64_t open = totals.not_decided - totals.skipped.size();
  if (open != 0) {
    Also(fmt::format("{} prediction{} not decided (--states, --time)", open, open == 1 ? "" : "s"), coverage.bound);
  }
  if (!totals.skipped.empty()) {
    Also(fmt::format("no time for: {} (--time)", fmt::join(totals.skipped, ", ")), coverage.bound);
  }
  if (unconfirmed != 0) {
    Also(fmt::format("{} prediction{} that no replay confirmed (--all)", unconfirmed, unconfirmed == 1 ? "" : "s"),
         coverage.bound);
  }
  if (totals.ruled_out != 0 && coverage.complete) {
    coverage.scope += fmt::format(", {} ruled out by replays", totals.ruled_out);
  }
}

Result<PredictEnd> PredictProgram(const PredictRun& run, const std::string& folder, findings::Report& report) {
  std::error_code failure;
  std::string files = std::filesystem::absolute(folder, failure).string();
  auto places = std::make_shared<StepPlaces>();
  auto start = std::chrono::steady_clock::now();
  Result<ControlledEnd> end = Record(run, files, places);
  if (!end) return end.error();
  PredictEnd result;
  result.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::Open(files + "/run.trace");
  if (!reader) return reader.error();
  report.tool_version = HEDDLE_VERSION;
  report.program = run.command[0];
  report.arguments.assign(run.command.begin() + 1, run.command.end());
  report.exit = end->child.code;
  report.coverage.runs = 1;
  findings::Report own;  // what the run's own end says; a replay says it with a schedule and the program's last lines
  AddOutcome(end->child, end->found, true, own);
  const predict::ModelledTrace& trace = result.trace;
  symbolize::TraceNames names(reader->get());
  Confirmer confirmer(*run.target, run.command, end->schedule, files, run.run_seconds, run.deadline, places);
  PredictLimits limits = run.limits;
  limits.SetDeadline(run.deadline);
  PredictSession session(&trace, &names, limits, run.all);
  session.UseProgram(&confirmer, folder);
  // What the run itself shows comes first: it costs no more than the run did.
  if (end->unread) session.SkipAll();
  Status done = run.properties.empty() ? session.ConfirmRun(end->schedule, report) : Status{};
  if (!done) return done.error();
  result.trace = predict::ModelTrace(reader->get(), ReadUntil(run));
  predict::StepMap steps(trace.model, ThreadIds((*reader)->info(), trace.model.threads.size()), end->schedule);
  session.UseSteps(&steps);
  TakeOutcome(*end, (*reader)->info(), own, report);
  // A property is about whole runs.
  bool whole = !trace.cut || run.properties.empty();
  if (whole) done = Predict(run.properties, session, report);
  if (!whole) session.Skip("the properties");
  if (done && run.properties.empty()) done = session.KeepRecorded(own, end->schedule, report);
  if (!done) return done.error();
  report.coverage.succeeded = confirmer.outcomes().succeeded;
  report.coverage.failed = confirmer.outcomes().failed;
  result.outcomes = confirmer.outcomes();
  SetPredictCoverage(session.totals(), {trace.events, trace.model.threads.size(), end->timed_out, trace.cut}, report);
  if (!trace.cut && !steps.mismatch().empty()) {
    report.coverage.complete = false;
    report.coverage.bound = "a trace that does not fit the schedule: " + steps.mismatch();
  }
  if (report.coverage.undecided.empty() && NothingSeen(session.totals())) {
    report.coverage.undecided = "the time limit came before anything of the run could be looked at (--time)";
  }
  result.totals = session.totals();
  result.targets = session.targets();
  return result;
}

}  // namespace heddle::analysis
