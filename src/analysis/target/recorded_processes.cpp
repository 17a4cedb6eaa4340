#include "analysis/target/recorded_processes.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "analysis/target/interrupt.h"
#include "analysis/target/process_tree.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "sched/demo_folder.h"
#include "wire/demo_format.h"
#include "wire/process_format.h"

namespace heddle::analysis {
namespace {

using wire::ProcessAbout;

struct Recorded {
  ProcessAbout about{};
  std::string folder;
};

std::vector<Recorded> ReadAbouts(const std::string& folder) {
  std::vector<Recorded> all;
  std::error_code failure;
  std::string prefix = std::string(wire::kProcessPart).substr(1);
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    Result<std::string> bytes = ReadFile(entry.path().string() + wire::kAboutName);
    Recorded found;
    if (!bytes || bytes->size() < sizeof found.about) continue;
    std::memcpy(&found.about, bytes->data(), sizeof found.about);
    if (std::memcmp(found.about.magic, wire::kProcessMagic, sizeof found.about.magic) != 0) continue;
    found.about.unfollowed[sizeof found.about.unfollowed - 1] = '\0';
    found.folder = entry.path().string();
    all.push_back(std::move(found));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.about.number < b.about.number; });
  return all;
}

// Texts with a null behind each.
std::vector<std::string> ReadTexts(const std::string& path) {
  std::vector<std::string> texts;
  Result<std::string> bytes = ReadFile(path);
  if (!bytes) return texts;
  for (std::string_view rest = *bytes; !rest.empty();) {
    std::string_view text = rest.substr(0, rest.find('\0'));
    texts.emplace_back(text);
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  }
  return texts;
}

sched::DemoProcess Describe(const ProcessAbout& about) {
  sched::DemoProcess process;
  process.number = about.number;
  process.parent = about.parent;
  process.step = about.step;
  process.began = about.began == wire::ProcessBegan::kFork   ? sched::DemoBegan::kFork
                  : about.began == wire::ProcessBegan::kExec ? sched::DemoBegan::kExec
                                                             : sched::DemoBegan::kStart;
  process.end = about.ended == wire::ProcessEnded::kExit   ? fmt::format("exit:{}", about.code & 0xFF)
                : about.ended == wire::ProcessEnded::kExec ? "exec"
                                                           : "killed";
  return process;
}

void SetHeader(sched::Schedule& schedule, const std::string& key, const std::string& value) {
  for (auto& [name, text] : schedule.header) {
    if (name == key) {
      text = value;
      return;
    }
  }
  schedule.header.emplace_back(key, value);
}

// The command by which a process began: that of the program that it is, or of its parent.
struct Command {
  std::vector<std::string> words;
  std::string program;  // as the kernel was told
  std::string folder;
};
Command CommandOf(const Recorded& process) {
  Command command;
  command.words = ReadTexts(process.folder + wire::kArgumentsName);
  std::vector<std::string> program = ReadTexts(process.folder + wire::kProgramName);
  if (!program.empty()) command.program = program[0];
  if (program.size() > 1) command.folder = program[1];
  if (command.words.empty()) command.words.push_back(command.program);
  return command;
}

// What a program needs that is started by itself.
Status AddStart(const Recorded& process, const Command& command, const std::string& folder, sched::Schedule& schedule) {
  std::error_code failure;
  SetHeader(schedule, "program", command.program);
  SetHeader(schedule, "name", command.words[0]);
  SetHeader(schedule, "folder", command.folder);
  std::string home = std::filesystem::relative(command.folder, folder, failure).string();
  if (!home.empty()) SetHeader(schedule, "home", home);
  std::filesystem::copy(process.folder + wire::kDescriptorsName, folder + wire::kDescriptorsName, failure);
  std::string environment;  // its own: heddle's are new in every run
  for (const std::string& entry : ReadTexts(process.folder + wire::kEnvironmentName)) {
    if (!entry.starts_with("HEDDLE_")) environment += entry + '\0';
  }
  if (std::filesystem::exists(process.folder + wire::kOriginalsName, failure)) {
    std::filesystem::copy(process.folder + wire::kOriginalsName, folder + wire::kOriginalsName, failure);
  }
  return WriteFileAtomic(folder + wire::kEnvironmentName, environment);
}

// One stream as a demo of its own. An error when nothing of it can be read.
Result<uint64_t> SaveStream(const ControlledRun& run, const Recorded& process, const Command& command,
                            const std::string& folder) {
  ControlledRun its = run;
  its.folder = process.folder;
  its.command = command.words;
  Result<ControlledEnd> end = ReadEnd(its);
  if (!end) return end.error();
  Result<std::string> calls = ReadFile(process.folder + kCallsName);
  if (!calls) return calls.error();
  sched::DemoFolder demo{std::move(end->schedule), std::move(*calls), ""};
  sched::CutToRecording(demo);
  std::error_code failure;
  std::filesystem::create_directory(folder, failure);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  if (process.about.ended == wire::ProcessEnded::kExec) SetHeader(demo.schedule, "end", "exec");
  Status saved;
  if (process.about.began != wire::ProcessBegan::kFork) saved = AddStart(process, command, folder, demo.schedule);
  if (saved) saved = sched::SaveDemo(folder, demo);
  if (!saved) return saved.error();
  return demo.schedule.Steps();
}

// Whether the program that a process executed is one of ours, or is still being loaded.
bool WillBeRecorded(pid_t id) {
  Result<std::string> maps = ReadFile(fmt::format("/proc/{}/maps", id));
  return maps && (maps->find("/libheddle_rt.so") != std::string::npos || maps->find("/libc.so") == std::string::npos);
}

// Recorded processes that live, or are about to begin.
size_t CountLiving(const std::string& folder) {
  std::vector<pid_t> alive = LivingDescendants();
  size_t count = 0;
  for (const Recorded& one : ReadAbouts(folder)) {
    bool lives = std::find(alive.begin(), alive.end(), one.about.id) != alive.end();
    if (lives && (one.about.ended != wire::ProcessEnded::kExec || WillBeRecorded(one.about.id))) ++count;
    if (!alive.empty()) count += one.about.beginning;  // a child that died before it began is not awaited for ever
  }
  return count;
}

}  // namespace

bool AwaitProcesses(const std::string& folder, const std::function<void(size_t)>& waits) {
  Interrupt interrupt;
  bool told = false;
  for (;;) {
    size_t count = CountLiving(folder);
    if (count == 0) return true;
    if (!told) waits(count);
    told = true;
    if (Interrupt::Came()) {
      KillOrphans();
      return false;
    }
    poll(nullptr, 0, 10);
  }
}

Result<RecordedProcesses> SaveRecordedProcesses(const ControlledRun& run, const sched::Schedule& first,
                                                const std::string& demo) {
  RecordedProcesses saved;
  std::vector<Recorded> all = ReadAbouts(run.folder);
  std::vector<Command> commands;
  for (const Recorded& one : all) {
    Command command = CommandOf(one);
    sched::DemoProcess process = Describe(one.about);
    for (size_t i = 0; i < commands.size() && process.began == sched::DemoBegan::kFork; ++i) {
      if (all[i].about.number == one.about.parent) command = commands[i];
    }
    process.program = CommandText(command.words);
    commands.push_back(command);
    saved.unrecorded += one.about.unrecorded;
    std::string_view calls = one.about.unfollowed;
    if (!calls.empty() && saved.unfollowed.find(calls) == std::string::npos) {
      saved.unfollowed += (saved.unfollowed.empty() ? "" : "; ") + std::string(calls);
    }
    process.steps = first.Steps();
    if (process.number != 1) {
      Result<uint64_t> steps = SaveStream(run, one, command, sched::FolderOfProcess(demo, process.number));
      if (!steps) ++saved.unrecorded;
      if (!steps) continue;
      process.steps = *steps;
    }
    saved.all.push_back(std::move(process));
  }
  std::error_code failure;
  for (const Recorded& one : all) std::filesystem::remove_all(one.folder, failure);
  if (saved.all.size() < 2) return saved;
  Status written = sched::SaveProcesses(demo, saved.all);
  if (!written) return written.error();
  return saved;
}

}  // namespace heddle::analysis
