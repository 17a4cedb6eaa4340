#include <fmt/format.h>

#include <algorithm>

#include "detect/detect_findings.h"

namespace heddle::detect {
namespace {

using findings::Finding;
using findings::Memory;
using findings::Step;

std::string What(const Access& access) {
  if (access.free) return "free";
  return fmt::format("{}{}", access.atomic ? "atomic-" : "", access.write ? "write" : "read");
}

Step MakeStep(uint32_t site, const Access& access, const std::string& variable, Names& names) {
  Step step;
  step.site = site;
  step.thread = names.ThreadId(access.thread);
  step.what = What(access);
  step.operand = variable;
  step.stack = names.StackOf(access.stack);
  step.code = access.stack.empty() ? "(its place is not known any more)" : names.SourceText(step.stack);
  step.locks = names.LockNames(access.locks);
  return step;
}

uint64_t Address(const Race& race) { return std::max(race.first.address, race.second.address); }
uint64_t Bytes(const Race& race) { return std::max<uint64_t>(1, std::min(race.first.bytes, race.second.bytes)); }

Memory MakeMemory(const Race& race, const std::optional<symbolize::Variable>& variable, Names& names) {
  Memory memory;
  if (race.block_bytes != 0) {
    memory.where = Memory::Where::kHeap;
    memory.offset = Address(race) - race.block;
    memory.size = race.block_bytes;
    memory.allocation_stack = names.StackOf(race.block_stack);
  } else if (variable) {
    memory.where = Memory::Where::kGlobal;
    memory.name = variable->name;
    memory.offset = variable->offset;
    memory.size = variable->size;
  }
  return memory;
}

std::string Message(const Race& race, const std::string& variable) {
  std::string subject = !variable.empty()       ? fmt::format("`{}`", variable)
                        : race.block_bytes != 0 ? fmt::format("a heap block of {} bytes", race.block_bytes)
                                                : std::string("the same memory");
  if (race.ordered) {
    return race.second.free ? fmt::format("{} is freed again", subject)
                            : fmt::format("{} is used after it was freed", subject);
  }
  if (race.first.free || race.second.free) return fmt::format("access to {} unordered with its free", subject);
  if (race.first.atomic || race.second.atomic) return fmt::format("atomic and plain access to {} unordered", subject);
  if (race.first.write && race.second.write) return fmt::format("two unordered writes to {}", subject);
  return fmt::format("unordered read and write of {}", subject);
}

std::string Help(const Race& race, const Finding& finding, Names& names) {
  for (const auto& [holder, other] : {std::pair(&race.first, 1), std::pair(&race.second, 0)}) {
    const Frame* frame = UserFrame(finding.steps[static_cast<size_t>(other)].stack);
    if (holder->locks.empty() || frame == nullptr || frame->file.empty()) continue;
    return fmt::format("hold `{}` around {} too, or make the variable atomic", names.LockName(holder->locks[0].lock),
                       ShortPlace(*frame));
  }
  if (race.first.atomic || race.second.atomic) return "make both accesses atomic, with release and acquire order";
  return "guard both accesses with one mutex, or make the variable atomic";
}

}  // namespace

Finding RaceFinding(const Race& race, Names& names) {
  Finding finding;
  finding.kind = findings::Kind::kDataRace;
  finding.status = findings::FindingStatus::kProved;
  finding.status_note = "unordered in this run";
  std::optional<symbolize::Variable> variable;
  if (race.block_bytes == 0) variable = names.Global(Address(race), Bytes(race));
  std::string name = variable ? variable->name + variable->member : "";
  finding.message = Message(race, name);
  finding.steps = {MakeStep(1, race.first, name, names), MakeStep(2, race.second, name, names)};
  finding.threads = {names.Thread(race.first.thread), names.Thread(race.second.thread)};
  finding.memory = MakeMemory(race, variable, names);
  finding.count = race.count;
  finding.help = Help(race, finding, names);
  if (race.ordered) {
    finding.kind = findings::Kind::kMisuse;
    finding.status_note = "seen in this run";
    finding.help = "free it after its last use";
  }
  return finding;
}

}  // namespace heddle::detect
