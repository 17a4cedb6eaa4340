#include "analysis/predict/predict_confirm.h"

#include <algorithm>

#include "analysis/replay/replay_input.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "trace/reader.h"

namespace heddle::analysis {

namespace {

// The order that a run performed; of a run whose steps were not read, the order that it was told.
sched::Schedule PerformedOf(ControlledEnd& end, const sched::Schedule& told) {
  if (end.unread) return told;
  return std::move(end.schedule);
}

}  // namespace

Confirmer::Confirmer(Target& target, std::vector<std::string> command, const sched::Schedule& recorded,
                     std::string folder, double seconds, Deadline deadline, std::shared_ptr<StepPlaces> places)
    : target_(target),
      command_(std::move(command)),
      recorded_(&recorded),
      folder_(std::move(folder)),
      seconds_(seconds),
      deadline_(deadline),
      places_(std::move(places)) {}

Result<ControlledRun> Confirmer::Prepare(const sched::Schedule& schedule) const {
  Result<ControlledRun> run = PrepareReplay({"witness", *recorded_, ""}, command_);
  if (!run) return run.error();
  run->options.then = wire::Strategy::kRandom;
  run->folder = folder_;
  run->enforce = folder_ + kEnforceName;
  constexpr double kShortest = 0.1;  // 0 would be no limit
  run->seconds = std::max(kShortest, deadline_.Left(seconds_));
  run->read_until = deadline_;
  run->quiet = true;
  run->places = places_;
  Status written = WriteFileAtomic(run->enforce, sched::CompileSchedule(schedule));
  if (!written) return written.error();
  return run;
}

void Confirmer::Count(const ControlledEnd& end) {
  bool by_itself = end.child.signal == 0 && !end.timed_out && !end.child.stopped && !end.control.divergence &&
                   end.found.deadlocks.empty() && !end.found.hang;
  if (!by_itself) return;
  ++(end.child.code == 0 ? outcomes_.succeeded : outcomes_.failed);
  if (end.child.code == 0) return;
  for (const std::string& test : FailedTests(end.child.output)) ++outcomes_.tests[test];
}

Result<Confirmation> Confirmer::Try(const sched::Schedule& schedule) {
  Result<ControlledRun> run = Prepare(schedule);
  if (!run) return run.error();
  run->options.detect = true;
  Result<ControlledEnd> end = target_.Control(*run);
  ++runs_;
  if (!end) return end.error();
  Count(*end);
  RemoveRunFiles(folder_);
  Confirmation result;
  result.divergence = end->control.divergence;
  // A replay does not wait for signals, timers and other processes: what it would have shown behind that is open.
  result.timed_out = end->timed_out || end->found.hang;
  result.report = ReportOf(*run, *end, "");
  std::erase_if(result.report.findings,
                [](const findings::Finding& finding) { return finding.kind == findings::Kind::kLockOrder; });
  for (findings::Finding& finding : result.report.findings) {
    // A hang that something outside could have ended stays possible.
    if (finding.status == findings::FindingStatus::kPossible) continue;
    finding.status = findings::FindingStatus::kConfirmed;
    finding.status_note = "by replay";
  }
  result.performed = PerformedOf(*end, schedule);
  return result;
}

Result<TracedReplay> Confirmer::TryTraced(const sched::Schedule& schedule) {
  Result<ControlledRun> run = Prepare(schedule);
  if (!run) return run.error();
  run->options.detect = false;
  run->trace = folder_ + kReplayTraceName;
  Result<ControlledEnd> end = target_.Control(*run);
  ++runs_;
  if (!end) return end.error();
  Count(*end);
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::Open(run->trace);
  if (!reader) return reader.error();
  TracedReplay result;
  result.trace = predict::ModelTrace(reader->get(), deadline_);
  RemoveRunFiles(folder_);
  result.divergence = end->control.divergence;
  result.performed = PerformedOf(*end, schedule);
  findings::Report report = ReportOf(*run, *end, "");
  bool stuck = std::any_of(report.findings.begin(), report.findings.end(), [](const findings::Finding& finding) {
    return finding.kind == findings::Kind::kDeadlock || finding.kind == findings::Kind::kLivelock;
  });
  result.timed_out = end->timed_out || result.trace.cut;
  result.ended = !stuck && !result.timed_out;
  return result;
}

}  // namespace heddle::analysis
