#include "analysis/replay/replay_input.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "findings/report_json.h"
#include "sched/checkpoints.h"
#include "sched/demo_folder.h"

namespace heddle::analysis {
namespace {

bool LooksLikeFinding(const std::string& given) {
  return given.size() > 1 && given[0] == 'F' && given.find_first_not_of("0123456789", 1) == std::string::npos;
}

Result<std::string> ScheduleOfFinding(const std::string& root, const std::string& id) {
  Result<std::string> path = LatestReport(root);
  if (!path) return path.error();
  Result<findings::Report> report = findings::LoadReport(*path);
  if (!report) return report.error();
  for (const findings::Finding& finding : report->findings) {
    if (finding.id != id) continue;
    if (!finding.schedule.empty()) return finding.schedule;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{} of {} has no schedule: it was not seen under control (heddle "
                                 "run looks for one)",
                                 id, *path));
  }
  return MakeError(ErrorCode::kNotFound, fmt::format("there is no {} in {}", id, *path));
}

Result<std::string> FindSchedule(const std::string& root, const std::string& given) {
  std::error_code failure;
  if (std::filesystem::is_directory(given + "/demo", failure)) return given + "/demo";
  if (std::filesystem::is_directory(given, failure)) return sched::IsDemo(given) ? given : given + "/schedule";
  if (!std::filesystem::exists(given, failure) && LooksLikeFinding(given)) return ScheduleOfFinding(root, given);
  return given;
}

}  // namespace

Result<ReplayInput> LoadReplayInput(const std::string& root, const std::string& given) {
  Result<std::string> path = FindSchedule(root, given);
  if (!path) return path.error();
  if (sched::IsDemo(*path)) {
    Result<sched::DemoFolder> demo = sched::LoadDemo(*path);
    if (!demo) return demo.error();
    return ReplayInput{*path, std::move(demo->schedule), std::move(demo->calls), std::move(demo->damage)};
  }
  Result<std::string> text = ReadFile(*path);
  if (!text) return text.error();
  Result<sched::Schedule> schedule = sched::ParseSchedule(*path, *text);
  if (!schedule) return schedule.error();
  return ReplayInput{*path, schedule.Take(), "", ""};
}

std::string ReplayFolder(const ReplayInput& input) {
  const sched::Schedule& schedule = input.schedule;
  std::filesystem::path program(schedule.Value("program"));
  std::error_code failure;
  if (input.calls.empty() || program.empty()) return "";
  std::string_view home = schedule.Value("home");
  std::filesystem::path demo(input.path);
  for (const std::filesystem::path& folder :
       {home.empty() ? std::filesystem::path() : demo / home, std::filesystem::path(schedule.Value("folder"))}) {
    if (folder.empty() || !std::filesystem::exists(folder / program, failure)) continue;
    return std::filesystem::canonical(folder, failure).string();
  }
  return "";
}

Status StartFrom(ReplayInput& input, const std::string& from) {
  std::vector<sched::Checkpoint> all = sched::CheckpointsOf(input.schedule);
  uint64_t first = sched::FirstStep(input.schedule);
  bool from_start = from == "START" || (from.empty() && first == 0);
  if (from_start && first == 0) return {};
  if (input.calls.empty()) return MakeError(ErrorCode::kUsage, "--from is for demos of heddle record --ring");
  if (all.empty()) return MakeError(ErrorCode::kNotFound, input.path + " has no checkpoint (heddle record --ring)");
  if (from_start) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{} does not have the beginning of the run: it starts at step {}", input.path, first));
  }
  const sched::Checkpoint* chosen = from.empty() ? &all.front() : from == "LAST" ? &all.back() : nullptr;
  for (const sched::Checkpoint& one : all) {
    if (std::to_string(one.number) == from) chosen = &one;
  }
  if (chosen == nullptr) {
    return MakeError(ErrorCode::kUsage, fmt::format("--from {}: {} has checkpoints 1 to {}; also START and LAST", from,
                                                    input.path, all.size()));
  }
  sched::DemoFolder demo{std::move(input.schedule), std::move(input.calls), ""};
  bool there = sched::StartAt(demo, *chosen);
  input.first = chosen->step;
  input.checkpoint = chosen->number;
  input.schedule = std::move(demo.schedule);
  input.calls = std::move(demo.calls);
  if (there) return {};
  return MakeError(ErrorCode::kBadInput, fmt::format("{} ends before checkpoint {}", input.path, chosen->number));
}

namespace {

// What the header says about scheduling; what it does not say stays as it is.
Status TakeSettings(const ReplayInput& input, ControlOptions& options) {
  auto wrong = [&](const char* key) {
    return MakeError(ErrorCode::kBadInput,
                     fmt::format("{}: `{}` is no value of {}", input.path, input.schedule.Value(key), key));
  };
  auto take = [&](const char* key, auto* to) {
    std::string_view word = input.schedule.Value(key);
    return word.empty() || wire::FromWord(word, to);
  };
  if (std::string_view text = input.schedule.Value("visible"); !text.empty()) {
    std::optional<Visibility> visible = Visibility::FromText(text);
    if (!visible) return wrong("visible");
    options.visible = *visible;
  }
  if (!take("carrier", &options.carrier)) return wrong("carrier");
  if (!take("memory", &options.memory)) return wrong("memory");
  if (!take("time", &options.time)) return wrong("time");
  options.alone = input.schedule.Value("outside") == "none";
  return {};
}

}  // namespace

Result<ControlledRun> PrepareReplay(const ReplayInput& input, const std::vector<std::string>& command) {
  const sched::Schedule& schedule = input.schedule;
  ControlledRun run;
  run.command = command;
  if (command.empty()) {
    if (!schedule.Value("program").empty()) run.command.emplace_back(schedule.Value("program"));
    for (const auto& [key, value] : schedule.header) {
      if (key == "argument") run.command.push_back(value);
    }
  }
  if (std::string_view name = schedule.Value("name"); command.empty() && !name.empty() && !run.command.empty()) {
    run.program = run.command[0];
    run.command[0] = name;
  }
  if (run.command.empty()) {
    return MakeError(ErrorCode::kUsage, input.path + " names no program: give it behind --");
  }
  run.options.strategy = wire::Strategy::kFixed;
  AddChoices(schedule, run);
  Status settings = TakeSettings(input, run.options);
  if (!settings) return settings.error();
  wire::Strategy recorded = wire::Strategy::kRandom;
  wire::FromWord(schedule.Value("strategy"), &recorded);
  // Both let a thread run up to its next operation before another one goes.
  run.options.eager = recorded == wire::Strategy::kQueue || recorded == wire::Strategy::kExplore;
  std::string_view seed = schedule.Value("seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), run.options.seed);
  run.options.detect = schedule.Value("detect") == "yes";
  run.options.stuck = schedule.Value("stuck") == "yes";
  return run;
}

}  // namespace heddle::analysis
