#include "explore/model_instruction.h"

namespace heddle::explore {

using wire::Role;

uint64_t Key(Instruction::What what, uint32_t object) {
  switch (what) {
    case Instruction::kLoad:
    case Instruction::kStore:
    case Instruction::kStoreReg:
    case Instruction::kAdd:
    case Instruction::kCas:
    case Instruction::kExchange:
    case Instruction::kOr:
    case Instruction::kBlindAdd:
    case Instruction::kBlindOr:
    case Instruction::kBlindXor:
    case Instruction::kAwait:
    case Instruction::kAwaitBelow:
    case Instruction::kAwaitCas:
    case Instruction::kAwaitSwap:
    case Instruction::kFutexWait:
    case Instruction::kFutexWoken:
    case Instruction::kFutexWake:
      return 0x1000U + object;
    case Instruction::kWideLoad:
    case Instruction::kWideStore:
    case Instruction::kWideCas:
      return 0x1000U;
    case Instruction::kPost:
    case Instruction::kTake:
    case Instruction::kTryTake:
      return 0x3000U + object;
    case Instruction::kWait:
    case Instruction::kTimedWait:
    case Instruction::kWake:
    case Instruction::kSignal:
    case Instruction::kBroadcast:
      return 0x4000U + object;
    case Instruction::kBarrier:
    case Instruction::kBlindBarrier:
    case Instruction::kBarrierEnd:
      return 0x5000U + object;
    case Instruction::kOnce:
    case Instruction::kOnceLeave:
      return 0x6000U + object;
    default:
      return 0x2000U + object;
  }
}

uint64_t RoundKey(uint32_t barrier, uint32_t round) { return 0x7000U + 16 * barrier + round; }

Instruction::What SecondOf(Instruction::What what) {
  switch (what) {
    case Instruction::kFutexWait:
      return Instruction::kFutexWoken;
    case Instruction::kBarrier:
    case Instruction::kBlindBarrier:
      return Instruction::kBarrierEnd;
    case Instruction::kOnce:
      return Instruction::kOnceLeave;
    default:
      return Instruction::kWake;
  }
}

bool Awaits(const Instruction& instruction) {
  return instruction.what >= Instruction::kAwait && instruction.what <= Instruction::kAwaitSwap;
}

void SetAwait(ExploredEvent& event, const Instruction& instruction) {
  event.role = Role::kAwait;
  event.flags |= wire::kWaits;
  event.await_bits = 32;
  event.condition = AwaitCondition(instruction.what);
}

wire::Condition AwaitCondition(Instruction::What what) {
  switch (what) {
    case Instruction::kAwait:
      return wire::Condition::kIs;
    case Instruction::kAwaitBelow:
      return wire::Condition::kBelow;
    case Instruction::kAwaitCas:
      return wire::Condition::kEqual;
    default:
      return wire::Condition::kDiffers;
  }
}

void SetMemory(ExploredEvent& event, const Instruction& instruction, std::map<uint32_t, uint32_t>& cells) {
  bool wide = instruction.what >= Instruction::kWideLoad && instruction.what <= Instruction::kWideCas;
  if (Awaits(instruction)) SetAwait(event, instruction);
  event.object = 0x1000U + 4 * (event.object - 0x1000U);
  event.bytes = wide ? 8 : 4;
  uint32_t low = static_cast<uint32_t>(event.object - 0x1000U) / 8 * 2;
  event.before = cells[low] | uint64_t{cells[low + 1]} << 32U;
  event.operand = wide ? instruction.a | uint64_t{instruction.a} << 32U : instruction.a;
  switch (instruction.what) {
    case Instruction::kCas:
    case Instruction::kWideCas:
    case Instruction::kFutexWait:
      event.condition = wire::Condition::kEqual;
      break;
    case Instruction::kExchange:
      event.condition = wire::Condition::kDiffers;
      break;
    case Instruction::kOr:
    case Instruction::kBlindOr:
      event.condition = wire::Condition::kOr;
      break;
    default:
      return;
  }
  event.flags |= wire::kMayWrite;
}

void SetCommutes(ExploredEvent& event, const Instruction& instruction) {
  switch (instruction.what) {
    case Instruction::kBlindAdd:
      event.commutes = wire::Commutes::kAdds;
      break;
    case Instruction::kBlindOr:
      event.commutes = wire::Commutes::kOrs;
      event.flags = wire::kWrites;
      event.condition = wire::Condition::kNone;
      break;
    case Instruction::kBlindXor:
      event.commutes = wire::Commutes::kXors;
      break;
    case Instruction::kBlindBarrier:
      event.commutes = wire::Commutes::kArrives;
      break;
    default:
      break;
  }
}

void SetWrites(ExploredEvent& event, bool writes) {
  event.flags = static_cast<uint8_t>((event.flags & ~wire::kWrites) | wire::kMayWrite | (writes ? wire::kWrites : 0));
}

namespace {

std::string LockText(const Execution& execution) {
  std::map<uint64_t, std::string> orders;
  std::map<int, int> count;
  for (const ExploredEvent& event : execution.events) {
    std::string name = std::to_string(event.thread) + "." + std::to_string(count[event.thread]++);
    if (event.role == Role::kLock || event.role == Role::kUnlock) orders[event.object - 0x2000U] += " " + name;
  }
  std::string text;
  for (const auto& [object, order] : orders) text += "locks " + std::to_string(object) + order + "\n";
  return text;
}

}  // namespace

std::string GraphText(const sched::C11Graph& graph, const Execution& execution) {
  std::map<uint32_t, std::string> names;
  std::map<int, int> count;
  for (uint32_t i = 1; i <= graph.size(); ++i) {
    sched::C11Graph::Shown event = graph.Show(i);
    bool initial = event.kind == sched::C11Graph::Kind::kInitial;
    names[i] = initial ? "init" : std::to_string(event.thread) + "." + std::to_string(count[event.thread]++);
  }
  std::map<std::string, std::string> lines;
  for (uint32_t i = 1; i <= graph.size(); ++i) {
    sched::C11Graph::Shown event = graph.Show(i);
    if (event.reads != 0) lines[names[i]] += " rf " + names[static_cast<uint32_t>(event.reads)];
    if (event.older != 0) lines[names[i]] += " mo " + names[static_cast<uint32_t>(event.older)];
  }
  std::string text;
  for (const auto& [name, line] : lines) text += name + line + "\n";
  return text + LockText(execution);
}

}  // namespace heddle::explore
