#include "analysis/replay/replay_process.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "analysis/target/interrupt.h"
#include "analysis/target/process_tree.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "sched/control_lines.h"
#include "wire/demo_format.h"
#include "wire/process_format.h"

namespace heddle::analysis {
namespace {

std::string ForkFolder(const sched::DemoProcess& process) { return fmt::format("{}{}", wire::kForkPart, process.step); }

// The folders of all processes that forks lead to from the one that is started, below that of the run.
std::map<uint64_t, std::string> FoldersOf(const std::vector<sched::DemoProcess>& all, uint64_t started) {
  std::map<uint64_t, std::string> folders;
  folders[started] = "";
  for (const sched::DemoProcess& one : all) {  // parents first
    auto parent = folders.find(one.parent);
    if (one.began == sched::DemoBegan::kFork && parent != folders.end()) {
      folders[one.number] = parent->second + ForkFolder(one);
    }
  }
  return folders;
}

Status WriteStream(const std::string& folder, const ReplayInput& input) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  Status written = WriteFileAtomic(folder + wire::kStreamCallsName, input.calls);
  if (!written) return written;
  return WriteFileAtomic(folder + wire::kStreamScheduleName, sched::CompileSchedule(input.schedule));  // last
}

void TakeEnvironment(const std::string& folder, ControlledRun& run) {
  Result<std::string> bytes = ReadFile(folder + wire::kEnvironmentName);
  if (!bytes) return;
  run.inherited.emplace();
  for (std::string_view rest = *bytes; !rest.empty();) {
    std::string_view text = rest.substr(0, rest.find('\0'));
    if (!text.empty()) run.inherited->emplace_back(text);
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  }
}

// Whether a child that follows its stream lives.
bool OneFollows(const ProcessReplay& replay, const std::string& folder) {
  std::vector<pid_t> alive = LivingDescendants();
  for (const auto& [number, below] : FoldersOf(replay.all, 1)) {
    Result<std::string> text = ReadFile(folder + below + wire::kIdName);
    pid_t id = 0;  // nothing yet: it begins
    if (!text) continue;
    std::from_chars(text->data(), text->data() + text->size(), id);
    if (id == 0 ? !alive.empty() : std::find(alive.begin(), alive.end(), id) != alive.end()) return true;
  }
  return false;
}

}  // namespace

Result<ProcessReplay> LoadProcessReplay(const std::string& root, const std::string& given, uint64_t number) {
  ProcessReplay replay;
  Result<ReplayInput> first = LoadReplayInput(root, given);
  if (!first) return first.error();
  replay.demo = first->path;
  if (!first->calls.empty()) {
    Result<std::vector<sched::DemoProcess>> all = sched::LoadProcesses(replay.demo);
    if (!all) return all.error();
    replay.all = std::move(*all);
  }
  replay.number = number == 0 ? 1 : number;
  replay.started = std::move(*first);
  replay.asked = replay.started;
  if (replay.number == 1) return replay;
  Result<std::vector<const sched::DemoProcess*>> way = sched::WayTo(replay.all, replay.number);
  if (!way) return way.error();
  for (const sched::DemoProcess* step : *way) {
    std::string folder = sched::FolderOfProcess(replay.demo, step->number);
    Result<ReplayInput> input = LoadReplayInput(root, folder);
    if (!input) {
      return MakeError(ErrorCode::kBadInput,
                       fmt::format("the stream of process {} cannot be read: {}", step->number, input.error().message));
    }
    if (step == way->front()) replay.started = *input;
    if (step != way->front()) replay.stream += ForkFolder(*step);
    replay.asked = std::move(*input);
  }
  return replay;
}

Status PlaceStreams(const ProcessReplay& replay, ControlledRun& run, std::vector<uint64_t>* lost) {
  std::error_code failure;
  run.stream = replay.stream;
  if (replay.number != 1) {
    run.options.process = true;
    uint64_t started = replay.number;
    if (replay.forks()) started = (*sched::WayTo(replay.all, replay.number)).front()->number;
    std::string folder = sched::FolderOfProcess(replay.demo, started);
    if (started != 1) {
      TakeEnvironment(folder, run);
      std::filesystem::copy(folder + wire::kDescriptorsName, run.folder + wire::kDescriptorsName, failure);
    }
    Result<std::vector<const sched::DemoProcess*>> way = sched::WayTo(replay.all, replay.number);
    std::string below = run.folder;
    for (size_t i = 1; i < way->size(); ++i) {
      below += ForkFolder(*(*way)[i]);
      Result<ReplayInput> input = LoadReplayInput("", sched::FolderOfProcess(replay.demo, (*way)[i]->number));
      if (!input) return input.error();
      Status written = WriteStream(below, *input);
      if (!written) return written;
    }
    return WriteFileAtomic(run.folder + replay.stream + wire::kHereName, "");
  }
  for (const auto& [number, folder] : FoldersOf(replay.all, 1)) {
    if (folder.empty()) continue;
    Result<ReplayInput> input = LoadReplayInput("", sched::FolderOfProcess(replay.demo, number));
    if (!input || !WriteStream(run.folder + folder, *input)) lost->push_back(number);
  }
  return {};
}

std::vector<uint64_t> DivergedChildren(const ProcessReplay& replay, const std::string& folder) {
  std::vector<uint64_t> diverged;
  if (replay.number != 1) return diverged;
  for (const auto& [number, below] : FoldersOf(replay.all, 1)) {
    Result<std::string> text = ReadFile(folder + below + kFindingsName);
    if (below.empty() || !text) continue;
    sched::ControlLines lines = sched::ParseControlLines(*text);
    if (lines.divergence || lines.output) diverged.push_back(number);
  }
  return diverged;
}

void AwaitFollowers(const ProcessReplay& replay, const std::string& folder) {
  constexpr int kPause = 10;  // milliseconds
  if (replay.all.size() < 2 || replay.number != 1) return;
  Interrupt interrupt;
  while (OneFollows(replay, folder) && !Interrupt::Came()) poll(nullptr, 0, kPause);
  KillOrphans();
}

}  // namespace heddle::analysis
