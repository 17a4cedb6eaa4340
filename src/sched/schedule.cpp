#include "sched/schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "sched/operation.h"
#include "wire/step_format.h"

namespace heddle::sched {

std::string_view Schedule::Value(std::string_view key) const {
  for (const auto& [name, value] : header) {
    if (name == key) return value;
  }
  return {};
}

uint32_t Schedule::ThreadIndex(std::string_view id) {
  auto found = std::find(threads.begin(), threads.end(), id);
  if (found == threads.end()) found = threads.emplace(threads.end(), id);
  return static_cast<uint32_t>(found - threads.begin());
}

void Schedule::Add(uint32_t thread, uint8_t operation, std::string comment) {
  if (!runs.empty()) {
    ScheduleRun& last = runs.back();
    if (last.thread == thread && last.operation == operation && last.comment == comment) {
      ++last.count;
      return;
    }
  }
  runs.push_back({thread, operation, 1, 0, std::move(comment)});
}

uint64_t Schedule::Steps() const {
  uint64_t steps = 0;
  for (const ScheduleRun& run : runs) steps += run.count;
  return steps;
}

void Schedule::Cut(uint64_t steps) {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].count >= steps) {
      runs[i].count = steps;
      runs.resize(steps == 0 ? i : i + 1);
      return;
    }
    steps -= runs[i].count;
  }
}

void Schedule::Drop(uint64_t steps) {
  size_t whole = 0;
  while (whole < runs.size() && runs[whole].count <= steps) steps -= runs[whole++].count;
  runs.erase(runs.begin(), runs.begin() + static_cast<ptrdiff_t>(whole));
  if (!runs.empty()) runs[0].count -= steps;
}

uint64_t Schedule::Switches() const {
  uint64_t switches = 0;
  for (size_t i = 1; i < runs.size(); ++i) switches += runs[i].thread != runs[i - 1].thread ? 1 : 0;
  return switches;
}

const ScheduleRun* RunOfStep(const Schedule& schedule, uint64_t step) {
  for (const ScheduleRun& run : schedule.runs) {
    if (step < run.count) return &run;
    step -= run.count;
  }
  return nullptr;
}

std::string PrintSchedule(const Schedule& schedule) {
  std::string text = "heddle-schedule 1\n";
  for (const auto& [key, value] : schedule.header) text += key + (value.empty() ? "" : " " + value) + "\n";
  text += "\n";
  for (const ScheduleRun& run : schedule.runs) {
    const char* name = OperationName(run.operation);
    std::string line = schedule.threads[run.thread] + " " + (name == nullptr ? "any" : name);
    if (run.count != 1) line += " *" + std::to_string(run.count);
    if (!run.comment.empty()) {
      if (line.size() < 28) line.resize(28, ' ');
      line += "  # " + run.comment;
    }
    text += line + "\n";
  }
  return text;
}

std::string CompileSchedule(const Schedule& schedule) {
  std::string names;
  for (const std::string& id : schedule.threads) names.append(id.c_str(), id.size() + 1);
  names.resize((names.size() + 3) / 4 * 4, '\0');
  wire::FixedHeader header{};
  std::copy(std::begin(wire::kFixedMagic), std::end(wire::kFixedMagic), header.magic);
  header.steps = schedule.Steps();
  header.names = static_cast<uint32_t>(schedule.threads.size());
  header.names_bytes = static_cast<uint32_t>(names.size());
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes += names;
  bytes.reserve(bytes.size() + header.steps * sizeof(wire::Step));
  for (const ScheduleRun& run : schedule.runs) {
    wire::Step step{run.thread, run.operation, 0, 0, 0};
    std::array<char, sizeof step> raw{};
    std::memcpy(raw.data(), &step, sizeof step);
    for (uint64_t i = 0; i < run.count; ++i) bytes.append(raw.data(), raw.size());
  }
  return bytes;
}

}  // namespace heddle::sched
