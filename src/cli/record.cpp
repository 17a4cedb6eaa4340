// heddle record: runs a program and keeps what a replay needs in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/target/controlled_run.h"
#include "analysis/target/recorded_processes.h"
#include "analysis/target/results_dir.h"
#include "analysis/target/ring.h"
#include "analysis/target/run_files.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "sched/checkpoints.h"
#include "sched/demo_folder.h"
#include "sched/demo_rules.h"
#include "wire/demo_format.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Writes a demo: META (command, options), QUEUE (the schedule), SYSCALL (what calls into the system returned),\n"
    "SIGNAL (signals whose handlers ran).\n"
    "docs/record-replay.md says what is recorded and what is not.\n"
    "Examples:\n"
    "  heddle record -o demo -- ./server --once\n"
    "  heddle replay demo\n"
    "  heddle record --ring 64M -- ./server           keeps the end, for a crash after hours\n"
    "  heddle record --strategy random --seed 5 --detect -- ./test\n"
    "Exit code: the program's own (findings are printed and are in the results folder); 3, 126 and 127 as elsewhere.";

// What the rule file and --ignore say, for the runtime.
Result<std::string> RuleVariable(const std::string& path, const std::vector<std::string>& ignored) {
  wire::DemoRules rules;
  if (!path.empty()) {
    Result<std::string> text = ReadFile(path);
    if (!text) return text.error();
    Status parsed = sched::ParseDemoRules(path, *text, &rules);
    if (!parsed) return parsed.error();
  }
  for (const std::string& call : ignored) {
    Status parsed = sched::IgnoreCall(call, &rules);
    if (!parsed) return parsed.error();
  }
  return analysis::Assign(wire::variable::kDemoRules, fmt::format("{} {}", rules.reissued, rules.ignored));
}

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

void TellWaiting(size_t count) {
  fmt::print(stderr, "heddle record: the program has ended; {} that it started run{} on (Ctrl-C ends them)\n",
             count == 1 ? "a process" : fmt::format("{} processes", count), count == 1 ? "s" : "");
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

int Record(analysis::ControlledRun& run, const std::string& demo_option, const std::string& rules) {
  std::string root = analysis::ResultsRoot("");
  Result<std::string> results = analysis::NewResults(root, "record");
  if (!results) return Fail("record", results.error());
  std::string folder = demo_option.empty() ? *results + "/demo" : demo_option;
  std::error_code failure;
  if (sched::IsDemo(folder)) return Fail("record", MakeError(ErrorCode::kUsage, folder + " is a demo already"));
  std::filesystem::create_directories(folder, failure);
  if (failure) return Fail("record", ErrnoError(folder, failure.value()));
  // What a program read may hold secrets. One that is there already stays as its owner made it.
  for (const std::string& mine : {folder, *results}) {
    if (std::filesystem::is_empty(mine, failure)) {
      std::filesystem::permissions(mine, std::filesystem::perms::owner_all, failure);
    }
  }
  run.judge_exit = false;
  run.folder = std::filesystem::absolute(*results, failure).string();
  std::string calls = run.folder + analysis::kCallsName;
  run.environment = {analysis::Assign(wire::variable::kDemoOut, calls), rules};
  Result<analysis::ControlledEnd> end = analysis::RunControlled(run);
  if (!end) {
    Fail("record", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  if (run.options.ring == 0 && !analysis::AwaitProcesses(run.folder, TellWaiting)) {
    fmt::print(stderr, "heddle record: stopped: the processes that the program left were ended\n");
  }
  Result<analysis::Ring> ring = analysis::JoinRing(run.folder);
  if (!ring) return Fail("record", ring.error());
  sched::DemoFolder demo{end->schedule, std::move(ring->calls), ""};
  AddCheckpoints(*ring, demo.schedule);
  // Where the program ran, as seen from the demo: together they can be moved.
  std::string home = std::filesystem::relative(std::filesystem::current_path(failure), folder, failure).string();
  if (!home.empty()) demo.schedule.header.emplace_back("home", home);
  if (sched::CutToRecording(demo)) {
    fmt::print(stderr, "heddle record: the disk was full: the demo ends after {} of {} steps\n", demo.schedule.Steps(),
               end->schedule.Steps());
  }
  if (std::filesystem::exists(run.folder + wire::kOriginalsName, failure)) {
    std::filesystem::copy(run.folder + wire::kOriginalsName, folder + wire::kOriginalsName, failure);
    std::filesystem::remove_all(run.folder + wire::kOriginalsName, failure);
  }
  Result<analysis::RecordedProcesses> processes = analysis::SaveRecordedProcesses(run, demo.schedule, folder);
  if (!processes) return Fail("record", processes.error());
  if (!processes->all.empty() && processes->all[0].end == "exec") demo.schedule.header.emplace_back("end", "exec");
  findings::Report report = analysis::ReportOf(run, *end, folder);
  if (EndsInDeadlock(report, demo.schedule)) demo.schedule.header.emplace_back("end", "deadlock");
  Status saved = PackImages(*ring, folder);
  if (saved) saved = sched::SaveDemo(folder, demo);
  analysis::RemoveRing(run.folder);
  if (!saved) saved = sched::SaveDemo(folder, demo);  // on a full disk these made room
  if (!saved) return Fail("record", saved.error());
  if (!report.findings.empty()) EmitReport("record", report, {}, stderr);
  if (int code = KeepResults("record", root, *results, report, kExitClean); code != kExitClean) return code;
  uint64_t size = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder, failure)) {
    if (file.is_regular_file(failure)) size += file.file_size(failure);
  }
  fmt::print(stderr, "recorded {} steps, {} switches, {} bytes: heddle replay {}\n", demo.schedule.Steps(),
             demo.schedule.Switches(), size, folder);
  if (run.options.ring != 0) TellCheckpoints(*ring, demo.schedule, folder);
  TellProcesses(*processes, run.options.ring != 0, folder);
  return end->child.code;
}

int Run(const Arguments& arguments) {
  CLI::App app("Records a run so that it can be replayed", "heddle record");
  analysis::ControlledRun run;
  run.options.strategy = wire::Strategy::kQueue;
  std::string demo;
  std::string rules;
  std::vector<std::string> ignored;
  std::string every;
  app.add_option("COMMAND", run.command, "after --: the program and its arguments")->required();
  run.options.visible.level = wire::Visible::kVolatile;
  AddControlOptions(app, run.options);
  app.add_option("-o", demo, "the demo folder (default: in the results folder)")->type_name("DEMO");
  app.add_option("--rules", rules, "a file that says which descriptors and calls are recorded")->type_name("FILE");
  app.add_option("--ignore", ignored,
                 "a call that is not recorded but made again: ioctl, clock, stat, ... (any number)")
      ->type_name("CALL");
  auto* ring = app.add_option("--ring", run.options.ring,
                              "keep the end of the run only, about so many bytes: 64M; replay --from LAST starts there")
                   ->transform(CLI::AsSizeValue(false))
                   ->type_name("BYTES");
  app.add_option("--every", every, "with --ring: time between checkpoints (default 10s)")
      ->type_name("TIME")
      ->needs(ring);
  app.add_option("--every-steps", run.options.every_steps, "with --ring: steps between checkpoints instead")
      ->type_name("N")
      ->needs(ring);
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (ring->count() > 0 && run.options.detect) {
    return Fail("record", MakeError(ErrorCode::kUsage,
                                    "--ring and --detect exclude each other: a checkpoint does not "
                                    "hold what the detector knows"));
  }
  if (ring->count() > 0 && run.options.ring == 0) {
    return Fail("record", MakeError(ErrorCode::kUsage, "--ring 0 keeps nothing"));
  }
  if (!every.empty()) {
    Result<double> interval = ParseDuration(every);
    if (!interval) return Fail("record", interval.error());
    run.options.every_milliseconds = std::max<uint64_t>(1, static_cast<uint64_t>(*interval * 1000));
  }
  Result<std::string> variable = RuleVariable(rules, ignored);
  if (!variable) return Fail("record", variable.error());
  return Record(run, demo, *variable);
}

}  // namespace

extern const Verb kRecordVerb;
const Verb kRecordVerb{"record", "record a run so that it can be replayed", Run};

}  // namespace heddle::cli
