#include "predict/race_findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::predict {
namespace {

using findings::Finding;
using findings::FindingStatus;
using findings::Memory;
using findings::Step;

std::string What(const AccessPoint& access) {
  return fmt::format("{}{}", access.atomic ? "atomic-" : "", access.write ? "write" : "read");
}

Memory MakeMemory(const RacePair& race, TraceNames& names) {
  Memory memory;
  uint64_t address = std::max(race.first.address, race.second.address);
  if (race.block.bytes != 0) {
    memory.where = Memory::Where::kHeap;
    memory.offset = address - race.block.begin;
    memory.size = race.block.bytes;
    memory.thread = names.ThreadId(race.block.thread);
    memory.allocation_stack = names.StackOf(race.block.pc, race.block.stack);
    return memory;
  }
  auto variable = names.Global(address, std::min(race.first.bytes, race.second.bytes));
  if (!variable) return memory;
  memory.where = Memory::Where::kGlobal;
  memory.name = variable->name;
  memory.offset = variable->offset;
  memory.size = variable->size;
  return memory;
}

std::string Subject(const RacePair& race, const std::string& variable) {
  if (!variable.empty()) return fmt::format("`{}`", variable);
  if (race.block.bytes != 0) return fmt::format("a heap block of {} bytes", race.block.bytes);
  return "the same memory";
}

std::string Message(const RacePair& race, const std::string& variable) {
  std::string subject = Subject(race, variable);
  if (race.first.write && race.second.write) return fmt::format("two unordered writes to {}", subject);
  return fmt::format("unordered read and write of {}", subject);
}

std::string Help(const RacePair& race, const Finding& finding, const Locksets& locksets, TraceNames& names) {
  // The lock that one side holds is the one the other should hold too.
  for (const auto& [holder, other] : {std::pair(&race.first, 1), std::pair(&race.second, 0)}) {
    const LockSet& set = locksets.Set(holder->lockset);
    const Frame* frame = UserFrame(finding.steps[static_cast<size_t>(other)].stack);
    if (set.empty() || frame == nullptr || frame->file.empty()) continue;
    return fmt::format("hold `{}` around {} too, or make the variable atomic", names.LockName(set.front().lock),
                       ShortPlace(*frame));
  }
  return "guard both accesses with one mutex, or make the variable atomic";
}

}  // namespace

Stack StackAt(uint64_t pc, uint32_t stack, TraceNames& names) {
  Stack frames = names.StackOf(pc, stack);
  if (!frames.empty() && (!frames[0].file.empty() || !frames[0].function.empty())) return frames;
  trace::Location location = names.LocationOf(pc);
  if (location.file.empty() && location.function.empty()) return frames;
  Frame frame;
  frame.file = location.file;
  frame.line = static_cast<uint32_t>(location.line);
  frame.function = location.function;
  return {frame};
}

// Source lines are shown as the code of a step; a long one is cut by the writer.
Step AccessStep(uint32_t site, const AccessPoint& access, const std::string& variable, const Locksets& locksets,
                TraceNames& names) {
  Step step;
  step.site = site;
  step.thread = names.ThreadId(access.thread);
  step.what = What(access);
  step.operand = variable;
  step.stack = StackAt(access.pc, access.stack, names);
  step.code = names.SourceText(names.StackOf(access.pc, access.stack));
  for (const LockInSet& held : locksets.Set(access.lockset)) {
    step.locks.push_back(names.LockName(held.lock) + (held.shared ? " (shared)" : ""));
  }
  return step;
}

Finding RaceFinding(const RacePair& race, const Locksets& locksets, TraceNames& names) {
  Finding finding;
  finding.kind = findings::Kind::kDataRace;
  uint64_t address = std::max(race.first.address, race.second.address);
  std::string variable = names.GlobalName(address, std::min(race.first.bytes, race.second.bytes));
  if (variable.empty()) variable = names.VariableName(address);
  finding.message = Message(race, variable);
  finding.steps = {AccessStep(1, race.first, variable, locksets, names),
                   AccessStep(2, race.second, variable, locksets, names)};
  for (uint32_t thread : {race.first.thread, race.second.thread}) {
    findings::ThreadInfo info;
    info.id = names.ThreadId(thread);
    info.name = names.ThreadName(thread);
    finding.threads.push_back(std::move(info));
  }
  finding.memory = MakeMemory(race, names);
  finding.count = race.count;
  finding.status = FindingStatus::kPossible;
  finding.help = Help(race, finding, locksets, names);
  return finding;
}

}  // namespace heddle::predict
