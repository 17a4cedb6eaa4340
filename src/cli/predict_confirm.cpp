#include "cli/predict_confirm.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/replay_input.h"
#include "trace/reader.h"

namespace heddle::cli {

Confirmer::Confirmer(std::vector<std::string> command, const sched::Schedule& recorded, std::string folder,
                     double seconds, std::shared_ptr<StepPlaces> places)
    : command_(std::move(command)),
      recorded_(&recorded),
      folder_(std::move(folder)),
      seconds_(seconds),
      places_(std::move(places)) {}

Result<ControlledRun> Confirmer::Prepare(const sched::Schedule& schedule) const {
  Result<ControlledRun> run = PrepareReplay({"witness", *recorded_, ""}, command_);
  if (!run) return run.error();
  run->options.then = "random";
  run->folder = folder_;
  run->enforce = folder_ + "/enforce";
  run->seconds = seconds_;
  run->quiet = true;
  run->places = places_;
  Status written = WriteFileAtomic(run->enforce, sched::CompileSchedule(schedule));
  if (!written) return written.error();
  return run;
}

void Confirmer::RemoveFiles() const {
  std::error_code failure;
  for (const char* name : {"/steps", "/enforce", "/findings.record", "/replay.trace"}) {
    std::filesystem::remove(folder_ + name, failure);
  }
}

Result<Confirmation> Confirmer::Try(const sched::Schedule& schedule) {
  Result<ControlledRun> run = Prepare(schedule);
  if (!run) return run.error();
  run->options.detect = true;
  Result<ControlledEnd> end = RunControlled(*run);
  ++runs_;
  if (!end) return end.error();
  RemoveFiles();
  Confirmation result;
  result.divergence = end->control.divergence;
  result.timed_out = end->timed_out;
  result.report = ReportOf(*run, *end, "");
  std::erase_if(result.report.findings,
                [](const findings::Finding& finding) { return finding.kind == findings::Kind::kLockOrder; });
  for (findings::Finding& finding : result.report.findings) {
    finding.status = findings::FindingStatus::kConfirmed;
    finding.status_note = "by replay";
  }
  result.performed = std::move(end->schedule);
  return result;
}

Result<TracedReplay> Confirmer::TryTraced(const sched::Schedule& schedule) {
  Result<ControlledRun> run = Prepare(schedule);
  if (!run) return run.error();
  run->options.detect = false;
  run->trace = folder_ + "/replay.trace";
  Result<ControlledEnd> end = RunControlled(*run);
  ++runs_;
  if (!end) return end.error();
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::Open(run->trace);
  if (!reader) return reader.error();
  TracedReplay result;
  result.trace = predict::Understand(reader->get());
  RemoveFiles();
  result.divergence = end->control.divergence;
  result.performed = std::move(end->schedule);
  findings::Report report = ReportOf(*run, *end, "");
  bool stuck = std::any_of(report.findings.begin(), report.findings.end(), [](const findings::Finding& finding) {
    return finding.kind == findings::Kind::kDeadlock || finding.kind == findings::Kind::kLivelock;
  });
  result.ended = !stuck && !end->timed_out;
  return result;
}

}  // namespace heddle::cli
