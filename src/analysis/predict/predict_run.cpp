#include "analysis/predict/predict_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/predict/predict_confirm.h"
#include "analysis/target/outcome.h"
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
  run.seconds = std::max(0.1, std::min(wanted.seconds, wanted.deadline.Left(wanted.seconds / kShare) * kShare));
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

}  // namespace

Status Predict(const std::vector<predict::Property>& properties, const sched::Schedule* recorded,
               PredictSession& session, findings::Report& report) {
  Status done;
  for (const predict::Property& property : properties) {
    done = session.Properties(property, report);
    if (!done) return done;
  }
  if (!properties.empty()) return done;
  if (recorded != nullptr) done = session.ConfirmRun(*recorded, report);
  if (done) done = session.Races(report);
  if (done) done = session.Deadlocks(report);
  if (done) done = session.Patterns(report);
  return done;
}

void SetPredictCoverage(const PredictTotals& totals, uint64_t events, size_t threads, bool cut_short,
                        findings::Report& report) {
  report.coverage.events = events;
  report.coverage.threads = threads;
  report.coverage.executions = totals.replays;
  report.coverage.complete = totals.not_decided == 0 && !cut_short;
  report.coverage.scope = "all reorderings of this trace checked";
  if (!report.coverage.complete) report.coverage.scope = "";
  if (cut_short) report.coverage.bound = "a run that was stopped by the time limit";
  if (totals.not_decided != 0) {
    report.coverage.bound = fmt::format("{} prediction{} not decided (--states, --time)", totals.not_decided,
                                        totals.not_decided == 1 ? "" : "s");
  }
  if (totals.unconfirmed != 0 && totals.replays != 0 && report.coverage.complete) {
    report.coverage.scope += fmt::format(", {} infeasible", totals.unconfirmed);
  }
}

Result<PredictEnd> PredictProgram(const PredictRun& run, const std::string& folder, findings::Report& report) {
  std::error_code failure;
  std::string files = std::filesystem::absolute(folder, failure).string();
  auto places = std::make_shared<StepPlaces>();
  Result<ControlledEnd> end = Record(run, files, places);
  if (!end) return end.error();
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::Open(files + "/run.trace");
  if (!reader) return reader.error();
  PredictEnd result;
  result.trace = predict::ModelTrace(reader->get());
  const predict::ModelledTrace& trace = result.trace;
  symbolize::TraceNames names(reader->get());
  predict::StepMap steps(trace.model, ThreadIds((*reader)->info(), trace.model.threads.size()), end->schedule);
  report.tool_version = HEDDLE_VERSION;
  report.program = run.command[0];
  report.arguments.assign(run.command.begin() + 1, run.command.end());
  report.exit = end->child.code;
  report.coverage.runs = 1;
  findings::Report own;  // what the run's own end says; a replay says it with a schedule and the program's last lines
  AddOutcome(end->child, end->record, true, own);
  report.coverage.undecided = own.coverage.undecided;
  report.coverage.note = own.coverage.note;
  if (report.coverage.undecided.empty() && !end->damage.empty()) report.coverage.undecided = end->damage;
  if (report.coverage.undecided.empty() && !(*reader)->info().damage.empty()) {
    report.coverage.undecided = "the trace of the run is cut: " + (*reader)->info().damage[0];
  }
  Confirmer confirmer(run.command, end->schedule, files, run.run_seconds, run.deadline, places);
  PredictLimits limits = run.limits;
  limits.SetDeadline(run.deadline);
  PredictSession session(&trace, &names, limits, run.all);
  session.UseProgram(&confirmer, &steps, folder);
  Status done = Predict(run.properties, &end->schedule, session, report);
  if (!done) return done.error();
  if (run.properties.empty()) done = session.KeepRecorded(own, end->schedule, report);
  if (!done) return done.error();
  report.coverage.succeeded = confirmer.outcomes().succeeded;
  report.coverage.failed = confirmer.outcomes().failed;
  result.outcomes = confirmer.outcomes();
  SetPredictCoverage(session.totals(), trace.events, trace.model.threads.size(), end->timed_out, report);
  if (!steps.mismatch().empty()) {
    report.coverage.complete = false;
    report.coverage.bound = "a trace that does not fit the schedule: " + steps.mismatch();
  }
  result.totals = session.totals();
  result.targets = session.targets();
  return result;
}

}  // namespace heddle::analysis
