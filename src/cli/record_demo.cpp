#include "cli/record_demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/target/processor.h"
#include "analysis/target/recorded_processes.h"
#include "analysis/target/ring.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "sched/checkpoints.h"
#include "sched/demo_folder.h"
#include "wire/demo_format.h"

namespace heddle::cli {
namespace {

// Where a replay may start, in the header.
void AddCheckpoints(const analysis::Ring& ring, sched::Schedule& schedule) {
  sched::SetFirstStep(schedule, ring.first);
  for (const sched::Checkpoint& checkpoint : ring.checkpoints) sched::AddCheckpoint(schedule, checkpoint);
}

// The runtime ended the program because no thread could go on: there is nothing behind the last step.
bool EndsInDeadlock(const findings::Report& report, const sched::Schedule& schedule) {
  auto is_one = [](const findings::Finding& finding) { return finding.kind == findings::Kind::kDeadlock; };
  return !sched::IsWhole(schedule) && std::any_of(report.findings.begin(), report.findings.end(), is_one);
}

Status PackImages(const analysis::Ring& ring, const std::string& folder) {
  for (size_t i = 0; i < ring.images.size(); ++i) {
    Status packed = sched::PackImage(ring.images[i], folder, ring.checkpoints[i].number);
    if (!packed) return packed;
  }
  return {};
}

void TellCheckpoints(const analysis::Ring& ring, const sched::Schedule& schedule, const std::string& folder) {
  if (ring.checkpoints.empty()) {
    fmt::print(stderr, "no checkpoint: the recording is whole\n");
    return;
  }
  std::string steps;
  for (const sched::Checkpoint& checkpoint : ring.checkpoints) {
    steps += fmt::format("{}{}", steps.empty() ? "" : ", ", checkpoint.step);
  }
  fmt::print(stderr, "kept: steps {} to {} of the run; checkpoint{} at step {}\n", ring.first + 1,
             ring.first + schedule.Steps(), ring.checkpoints.size() == 1 ? "" : "s", steps);
  fmt::print(stderr, "the end alone: heddle replay --from LAST {}\n", folder);
}

// The processes, and at last what cannot be replayed.
void TellProcesses(const analysis::RecordedProcesses& processes, bool ring, const std::string& folder) {
  constexpr size_t kShown = 20;
  size_t count = processes.all.size();
  if (count > 1) fmt::print(stderr, "{} processes; heddle replay --process N {}\n", count, folder);
  for (size_t i = 0; i < count && i < kShown && count > 1; ++i) {
    const sched::DemoProcess& one = processes.all[i];
    fmt::print(stderr, "  {:>3}  {:<24} {} step{}, {}  {}\n", one.number, sched::BeganText(one), one.steps,
               one.steps == 1 ? "" : "s", sched::EndText(one), one.program);
  }
  if (count > kShown) fmt::print(stderr, "  and {} more: {}/PROCESSES\n", count - kShown, folder);
  if (processes.unrecorded != 0) {
    fmt::print(stderr, "not recorded: {} of the processes that the program started{}\n", processes.unrecorded,
               ring ? " (--ring keeps the first only)" : "");
  }
  if (!processes.unfollowed.empty()) {
    fmt::print(stderr, "not followed, so a replay may differ there: {}\n", processes.unfollowed);
  }
}

}  // namespace

int KeepDemo(const analysis::ControlledRun& run, const analysis::ControlledEnd& end, const RecordPlaces& places) {
  const std::string& folder = places.demo;
  std::error_code failure;
  Result<analysis::Ring> ring = analysis::JoinRing(run.folder);
  if (!ring) return Fail("record", ring.error());
  sched::DemoFolder demo{end.schedule, std::move(ring->calls), ""};
  AddCheckpoints(*ring, demo.schedule);
  // Where the program ran, as seen from the demo: together they can be moved.
  std::string home = std::filesystem::relative(std::filesystem::current_path(failure), folder, failure).string();
  if (!home.empty()) demo.schedule.header.emplace_back("home", home);
  if (std::string features = analysis::ProcessorFeatures(); !features.empty()) {
    demo.schedule.header.emplace_back("processor", features);
  }
  if (sched::CutToRecording(demo)) {
    fmt::print(stderr, "heddle record: the disk was full: the demo ends after {} of {} steps\n", demo.schedule.Steps(),
               end.schedule.Steps());
  }
  if (std::filesystem::exists(run.folder + wire::kOriginalsName, failure)) {
    std::filesystem::copy(run.folder + wire::kOriginalsName, folder + wire::kOriginalsName, failure);
    std::filesystem::remove_all(run.folder + wire::kOriginalsName, failure);
  }
  Result<analysis::RecordedProcesses> processes = analysis::SaveRecordedProcesses(run, demo.schedule, folder);
  if (!processes) return Fail("record", processes.error());
  if (!processes->all.empty() && processes->all[0].end == "exec") demo.schedule.header.emplace_back("end", "exec");
  findings::Report report = analysis::ReportOf(run, end, folder);
  if (EndsInDeadlock(report, demo.schedule)) demo.schedule.header.emplace_back("end", "deadlock");
  Status saved = PackImages(*ring, folder);
  if (saved) saved = sched::SaveDemo(folder, demo);
  analysis::RemoveRing(run.folder);
  if (!saved) saved = sched::SaveDemo(folder, demo);  // on a full disk these made room
  if (!saved) return Fail("record", saved.error());
  if (!report.findings.empty()) EmitReport("record", report, {}, stderr);
  if (int code = KeepResults("record", places.root, places.results, report, kExitClean); code != kExitClean)
    return code;
  uint64_t size = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, failure)) {
    if (file.is_regular_file(failure)) size += file.file_size(failure);
  }
  fmt::print(stderr, "recorded {} steps, {} switches, {} bytes: heddle replay {}\n", demo.schedule.Steps(),
             demo.schedule.Switches(), size, folder);
  if (run.options.ring != 0) TellCheckpoints(*ring, demo.schedule, folder);
  TellProcesses(*processes, run.options.ring != 0, folder);
  return kExitClean;
}

}  // namespace heddle::cli
