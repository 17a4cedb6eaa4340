#include "analysis/target/controlled_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <unordered_map>

#include "analysis/target/outcome.h"
#include "analysis/target/ring.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "detect/detect_findings.h"
#include "sched/steps_file.h"
#include "trace/event_kind.h"
#include "wire/environment.h"
#include "wire/process_format.h"

namespace heddle::analysis {
namespace {

std::string OptionText(const ControlledRun& run) {
  const ControlOptions& options = run.options;
  std::string text = fmt::format("strategy={}:seed={}:depth={}:length={}:carrier={}:visible={}:then={}",
                                 wire::WordOf(options.strategy), options.seed, options.depth, options.length,
                                 wire::WordOf(options.carrier), options.visible.Text(), wire::WordOf(options.then));
  if (options.until != 0) text += fmt::format(":until={}", options.until);
  if (options.ring != 0) text += fmt::format(":ring={}:every={}", options.ring, options.every_milliseconds);
  if (options.every_steps != 0) text += fmt::format(":every_steps={}", options.every_steps);
  if (options.eager) text += ":eager=1";
  if (options.stuck) text += ":stuck=1";
  if (options.process) text += ":process=1";
  if (!options.watchdog) text += ":reschedule=0";
  if (options.memory != wire::MemoryModel::kSc) text += fmt::format(":memory={}", wire::WordOf(options.memory));
  if (options.time != wire::TimeMode::kByStrategy) text += fmt::format(":time={}", wire::WordOf(options.time));
  if (options.alone) text += ":alone=1";
  return text;
}

const char* OutcomeText(uint8_t result) {
  switch (static_cast<trace::Outcome>(result)) {
    case trace::Outcome::Busy:
      return " (busy)";
    case trace::Outcome::Timeout:
      return " (times out)";
    case trace::Outcome::Error:
      return " (fails)";
    default:
      return "";
  }
}

// With the first module's build, when it is known.
void FillHeader(const ControlledRun& run, const trace::Module* module, sched::Schedule& schedule) {
  const ControlOptions& options = run.options;
  std::error_code failure;
  schedule.header.emplace_back("program", run.command[0]);
  for (size_t i = 1; i < run.command.size(); ++i) schedule.header.emplace_back("argument", run.command[i]);
  schedule.header.emplace_back("folder", std::filesystem::current_path(failure).string());
  if (module != nullptr) schedule.header.emplace_back("build", module->build_id.empty() ? "-" : module->build_id);
  schedule.header.emplace_back("strategy", wire::WordOf(options.strategy));
  schedule.header.emplace_back("seed", std::to_string(options.seed));
  schedule.header.emplace_back("visible", options.visible.Text());
  schedule.header.emplace_back("carrier", wire::WordOf(options.carrier));
  bool physical = options.strategy == wire::Strategy::kQueue && options.carrier == wire::Carrier::kOs;
  bool given = options.time != wire::TimeMode::kByStrategy && (physical || options.strategy == wire::Strategy::kFixed);
  wire::TimeMode time = given ? options.time : physical ? wire::TimeMode::kReal : wire::TimeMode::kVirtual;
  schedule.header.emplace_back("time", wire::WordOf(time));
  bool alone = !given && options.time == wire::TimeMode::kVirtual;
  if (alone || options.alone) schedule.header.emplace_back("outside", "none");
  if (options.detect) schedule.header.emplace_back("detect", "yes");
  if (options.memory != wire::MemoryModel::kSc) schedule.header.emplace_back("memory", wire::WordOf(options.memory));
  if (!run.choices.empty()) schedule.header.emplace_back("choices", run.choices);
  if (!run.reads.empty()) schedule.header.emplace_back("reads", run.reads);
}

// The steps of a run that has to be looked at within a time, at most: about 100 bytes of a schedule for each.
constexpr uint64_t kMostBoundedSteps = 16'000'000;

// The files one after the other, as far as they are whole and there are `most` steps at most.
Result<sched::Steps> ReadSteps(const std::vector<std::string>& paths, uint64_t most) {
  sched::Steps all;
  for (const std::string& path : paths) {
    Result<std::string> bytes = ReadFile(path);
    if (!bytes) return bytes.error();
    Result<sched::Steps> steps = sched::ParseSteps(path, *bytes, most);
    if (!steps) return steps.error();
    all.count += steps->count;
    all.steps.insert(all.steps.end(), steps->steps.begin(), steps->steps.end());
    all.damage = steps->damage;
    if (!all.damage.empty()) break;
  }
  return all;
}

// What a schedule says of a step besides its thread. Equal steps come again and again, in loops.
struct StepText {
  wire::Step step{};
  std::string comment;
};

// Appends the steps; false when the time is over.
bool AddSteps(const std::vector<wire::Step>& steps, const ControlledRun& run, StepPlaces& places, ControlledEnd& end) {
  constexpr size_t kLook = 1 << 16;
  constexpr size_t kRemembered = 64;  // a power of two
  std::vector<StepText> texts(kRemembered);
  std::unordered_map<uint32_t, uint32_t> threads;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % kLook == 0 && run.read_until && run.read_until->Passed()) return false;
    const wire::Step& step = steps[i];
    auto [at, added] = threads.try_emplace(step.thread);
    if (added) at->second = end.schedule.ThreadIndex(end.found.info.ThreadId(step.thread));
    StepText& text = texts[(step.pc_low ^ step.result) % kRemembered];
    if (text.step.pc() != step.pc() || text.step.result != step.result || step.pc() == 0) {
      end.code.insert(step.pc());
      text = {step, places.Of(step.pc()) + OutcomeText(step.result)};
    }
    end.schedule.Add(at->second, step.operation, text.comment);
  }
  return true;
}

Status ReadSchedule(const ControlledRun& run, ControlledEnd& end) {
  std::vector<std::string> paths = {run.folder + kStepsName};
  if (run.options.ring != 0) {
    paths.clear();
    for (const RingSegment& segment : RingSegments(run.folder)) paths.push_back(segment.steps);
  }
  Result<sched::Steps> steps = ReadSteps(paths, run.read_until ? kMostBoundedSteps : UINT64_MAX);
  if (!steps) return steps.error();
  end.damage = steps->damage;
  const std::vector<trace::Module>& modules = end.found.info.modules;
  FillHeader(run, modules.empty() ? nullptr : modules.data(), end.schedule);
  std::shared_ptr<StepPlaces> places = run.places ? run.places : std::make_shared<StepPlaces>();
  places->Use(end.found.info);
  end.unread = steps->count > steps->steps.size() && steps->steps.empty();
  if (!end.unread) end.unread = !AddSteps(steps->steps, run, *places, end);
  if (!end.unread) return {};
  end.schedule.runs.clear();
  if (end.damage.empty())
    end.damage = fmt::format("there was no time to read the run's {} steps (--time)", steps->count);
  return {};
}

}  // namespace

void AddSettings(const ControlledRun& run, sched::Schedule& schedule) { FillHeader(run, nullptr, schedule); }

void AddPadding(std::vector<std::string>& environment) {
  constexpr size_t kEnvironmentBytes = 16384;
  size_t bytes = 0;
  for (const std::string& entry : environment) bytes += entry.size() + 1;
  environment.push_back(
      Assign(wire::variable::kPad, std::string(bytes < kEnvironmentBytes ? kEnvironmentBytes - bytes : 0, 'x')));
}

std::vector<std::string> ControlledEnvironment(const ControlledRun& run) {
  const char* mode = !run.trace.empty() ? "trace" : run.options.detect ? "detect" : "off";
  std::vector<std::string> environment = {Assign(wire::variable::kMode, mode),
                                          Assign(wire::variable::kTrace, run.trace),
                                          Assign(wire::variable::kFindings, run.folder + kFindingsName),
                                          Assign(wire::variable::kSteps, run.folder + kStepsName),
                                          Assign(wire::variable::kSchedule, run.enforce),
                                          Assign(wire::variable::kOptions, OptionText(run)),
                                          Assign(wire::variable::kOwner, std::string(wire::kOwnerDigits, '0'))};
  environment.insert(environment.end(), run.environment.begin(), run.environment.end());
  if (!run.choices.empty()) environment.push_back(Assign(wire::variable::kChoices, run.choices));
  if (!run.reads.empty()) environment.push_back(Assign(wire::variable::kReads, run.reads));
  AddPadding(environment);
  return environment;
}

Result<ControlledEnd> RunControlled(const ControlledRun& run) {
  for (const char* name : {kFindingsName, kStepsName}) unlink((run.folder + name).c_str());
  ChildOptions child;
  if (!run.trace.empty()) unlink(run.trace.c_str());
  child.environment = ControlledEnvironment(run);
  child.fixed_addresses = true;
  child.seconds = run.seconds;
  child.quiet = run.quiet;
  child.program = run.debugger.empty() ? run.program : "";
  child.inherited = run.inherited;
  std::vector<std::string> command = run.debugger;
  command.insert(command.end(), run.command.begin(), run.command.end());
  if (!run.debugger.empty() && !run.program.empty()) command[run.debugger.size()] = run.program;
  Result<ChildEnd> ended = RunChild(command, child);
  if (!ended) return ended.error();
  ControlledRun its = run;
  std::error_code failure;
  if (std::filesystem::exists(run.folder + run.stream + kFindingsName, failure)) its.folder += run.stream;
  Result<ControlledEnd> end = ReadEnd(its);
  if (!end) return end.error();
  end->child = *ended;
  end->timed_out = ended->timed_out;
  end->on_the_way = its.folder != run.folder + run.stream;
  return end;
}

Result<ControlledEnd> ReadEnd(const ControlledRun& run) {
  ControlledEnd end;
  std::vector<std::string> files = FindingsFiles(run.folder);
  if (files.empty()) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: the program wrote no schedule: it was not built with heddle cc (or could not "
                                 "write to {})",
                                 run.command[0], run.folder));
  }
  Result<std::string> text = ReadFile(files[0]);
  if (!text) return text.error();
  end.found = detect::ParseFindingsFile(*text);
  if (!end.found.allocator.empty()) return MakeError(ErrorCode::kUnsupported, AllocatorText(end.found));
  end.control = sched::ParseControlLines(*text);
  for (size_t i = 1; i < files.size(); ++i) unlink(files[i].c_str());  // of children: not what was asked for
  Status read = ReadSchedule(run, end);
  if (!read) return read.error();
  return end;
}

findings::Report ReportOf(const ControlledRun& run, const ControlledEnd& end, const std::string& schedule_path) {
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = run.command[0];
  report.arguments.assign(run.command.begin() + 1, run.command.end());
  report.exit = end.child.code;
  report.coverage.runs = 1;
  bool diverged = end.control.divergence.has_value();
  AddOutcome(end.child, end.found, run.judge_exit && !diverged, report);
  detect::AddFindings(end.found, report);
  report.coverage.events = end.schedule.Steps();
  report.coverage.bound =
      fmt::format("one schedule ({} steps, {} switches)", end.schedule.Steps(), end.schedule.Switches());
  if (!end.damage.empty() && report.coverage.undecided.empty()) report.coverage.undecided = end.damage;
  for (findings::Finding& finding : report.findings) {
    finding.schedule = schedule_path;
    finding.replay = fmt::format("heddle replay {} -- {}", schedule_path, CommandText(run.command));
  }
  return report;
}

void AddChoices(const sched::Schedule& schedule, ControlledRun& run) {
  run.choices = schedule.Value("choices");
  run.reads = schedule.Value("reads");
}

std::string CommandText(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

}  // namespace heddle::analysis
