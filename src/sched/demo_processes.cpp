#include "sched/demo_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "wire/process_format.h"

namespace heddle::sched {
namespace {

constexpr std::string_view kFile = "/PROCESSES";
constexpr std::array<std::string_view, 3> kBegan = {"start", "fork", "exec"};

std::string_view NextWord(std::string_view& line) {
  std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

bool TakeNumber(std::string_view& line, uint64_t* to) {
  std::string_view word = NextWord(line);
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *to);
  return error == std::errc() && end == word.data() + word.size();
}

bool IsEnd(std::string_view word) { return word == "exec" || word == "killed" || word.starts_with("exit:"); }

bool ParseLine(std::string_view line, DemoProcess* to) {
  if (!TakeNumber(line, &to->number)) return false;
  const auto* began = std::find(kBegan.begin(), kBegan.end(), NextWord(line));
  if (began == kBegan.end()) return false;
  to->began = static_cast<DemoBegan>(began - kBegan.begin());
  if (!TakeNumber(line, &to->parent) || !TakeNumber(line, &to->step)) return false;
  to->end = NextWord(line);
  if (!IsEnd(to->end) || !TakeNumber(line, &to->steps)) return false;
  to->program = line;
  return true;
}

}  // namespace

std::string PrintProcesses(const std::vector<DemoProcess>& processes) {
  std::string text;
  for (const DemoProcess& one : processes) {
    std::string program = one.program;
    std::replace_if(program.begin(), program.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    text += fmt::format("{} {} {} {} {} {} {}\n", one.number, kBegan[static_cast<size_t>(one.began)], one.parent,
                        one.step, one.end, one.steps, program);
  }
  return text;
}

Result<std::vector<DemoProcess>> ParseProcesses(const std::string& name, std::string_view text) {
  std::vector<DemoProcess> all;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    DemoProcess process;
    bool good = ParseLine(line, &process) && process.parent < process.number &&
                (all.empty() || all.back().number < process.number);
    if (!good) return MakeError(ErrorCode::kBadInput, fmt::format("{}:{}: no process: {}", name, number, line));
    all.push_back(std::move(process));
  }
  return all;
}

Status SaveProcesses(const std::string& demo, const std::vector<DemoProcess>& processes) {
  return WriteFileAtomic(demo + std::string(kFile), PrintProcesses(processes));
}

Result<std::vector<DemoProcess>> LoadProcesses(const std::string& demo) {
  std::string path = demo + std::string(kFile);
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return std::vector<DemoProcess>();
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return ParseProcesses(path, *text);
}

std::string FolderOfProcess(const std::string& demo, uint64_t number) {
  return number == 1 ? demo : fmt::format("{}{}{}", demo, wire::kProcessPart, number);
}

const DemoProcess* FindProcess(const std::vector<DemoProcess>& processes, uint64_t number) {
  for (const DemoProcess& one : processes) {
    if (one.number == number) return &one;
  }
  return nullptr;
}

Result<std::vector<const DemoProcess*>> WayTo(const std::vector<DemoProcess>& processes, uint64_t number) {
  std::vector<const DemoProcess*> way;
  for (uint64_t at = number;;) {
    const DemoProcess* process = FindProcess(processes, at);
    if (process == nullptr) {
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("there is no process {} in the demo: it has {}", at, processes.size()));
    }
    way.insert(way.begin(), process);
    if (process->began != DemoBegan::kFork) return way;
    at = process->parent;  // lower, so this ends
  }
}

std::string BeganText(const DemoProcess& process) {
  switch (process.began) {
    case DemoBegan::kFork:
      return fmt::format("fork of {} at step {}", process.parent, process.step + 1);
    case DemoBegan::kExec:
      return fmt::format("exec of {}", process.parent);
    default:
      return process.number == 1 ? "the first" : "start";
  }
}

std::string EndText(const DemoProcess& process) {
  if (process.end == "exec") return "executes another program";
  if (process.end == "killed") return "was killed";
  return "exit " + process.end.substr(process.end.find(':') + 1);
}

}  // namespace heddle::sched
