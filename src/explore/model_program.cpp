#include "explore/model_program.h"

namespace heddle::explore {
namespace {

using sched::Role;

// Cells, locks and so on have numbers of their own: the key makes them different objects.
uint64_t Key(Instruction::What what, uint32_t object) {
  switch (what) {
    case Instruction::kLoad:
    case Instruction::kStore:
    case Instruction::kStoreReg:
    case Instruction::kAdd:
    case Instruction::kCas:
      return 0x1000U + object;
    case Instruction::kPost:
    case Instruction::kTake:
      return 0x3000U + object;
    case Instruction::kWait:
    case Instruction::kWake:
    case Instruction::kSignal:
    case Instruction::kBroadcast:
      return 0x4000U + object;
    default:
      return 0x2000U + object;
  }
}

struct ThreadState {
  size_t at = 0;
  uint32_t r = 0;
  bool stopped = false;
  bool waking = false;  // in the second half of a wait
};

class Run {
 public:
  Run(const ModelProgram& program, const Request& request) : program_(program) {
    threads_.resize(program.threads.size());
    for (const auto& [object, value] : program.semaphores) semaphores_[object] = value;
    policy_.Begin({request.prefix.data(), request.prefix.size(), request.sleeping.data(),
                   static_cast<uint32_t>(request.sleeping.size()), request.sleep_from});
  }

  Execution Go(std::string* final_state) {
    for (uint32_t t = 0; t < threads_.size(); ++t) PassInvisible(t);
    for (;;) {
      uint64_t enabled = 0;
      for (uint32_t t = 0; t < threads_.size(); ++t) enabled |= uint64_t{Enabled(t)} << t;
      if (enabled == 0) break;
      uint32_t thread = 0;
      sched::Choice choice = policy_.Pick(enabled, &thread);
      if (choice != sched::Choice::kGo) {
        execution_.end = choice == sched::Choice::kAsleep ? End::kAsleep : End::kDiverged;
        return execution_;
      }
      ExploredEvent event = Perform(thread);
      event.enabled = enabled;
      execution_.events.push_back(event);
      policy_.Performed(event);
      PassInvisible(thread);
    }
    Finish(final_state);
    return execution_;
  }

 private:
  bool Ended(uint32_t t) const { return threads_[t].at >= program_.threads[t].size(); }
  Instruction Current(uint32_t t) const {
    Instruction instruction = program_.threads[t][threads_[t].at];
    if (threads_[t].waking) instruction.what = Instruction::kWake;
    return instruction;
  }

  void PassInvisible(uint32_t t) {
    ThreadState& state = threads_[t];
    while (!Ended(t) && !state.stopped) {
      const Instruction& instruction = program_.threads[t][state.at];
      if (instruction.what == Instruction::kSkipIf) {
        state.at += 1 + (state.r == instruction.a ? instruction.b : 0);
      } else if (instruction.what == Instruction::kAssume) {
        state.stopped = state.r != instruction.a;
        ++state.at;
      } else {
        return;
      }
    }
  }

  bool Enabled(uint32_t t) {
    if (Ended(t) || threads_[t].stopped) return false;
    Instruction instruction = Current(t);
    uint32_t object = instruction.object;
    switch (instruction.what) {
      case Instruction::kLock:
        return !owner_.contains(object) && readers_[object] == 0;
      case Instruction::kReadLock:
        return !owner_.contains(object);
      case Instruction::kTake:
        return semaphores_[object] > 0;
      case Instruction::kWake:
        return queues_[object].CanWake(static_cast<uint8_t>(t)) && !owner_.contains(instruction.a) &&
               readers_[instruction.a] == 0;
      default:
        return true;
    }
  }

  // The event as it stands before being performed.
  ExploredEvent Pending(uint32_t t) {
    Instruction instruction = Current(t);
    ExploredEvent event;
    event.object = Key(instruction.what, instruction.object);
    event.thread = static_cast<uint8_t>(t);
    event.operation = static_cast<uint8_t>(instruction.what + 1);
    event.flags = instruction.what == Instruction::kLoad ? 0 : sched::kWrites;
    switch (instruction.what) {
      case Instruction::kLock:
      case Instruction::kReadLock:
        event.role = Role::kLock;
        event.flags |= sched::kWaits;
        if (instruction.what == Instruction::kReadLock) event.flags |= sched::kShared;
        break;
      case Instruction::kUnlock:
        event.role = Role::kUnlock;
        break;
      case Instruction::kPost:
      case Instruction::kTake:
        event.role = instruction.what == Instruction::kPost ? Role::kPost : Role::kSemTake;
        event.value = semaphores_[instruction.object];
        if (instruction.what == Instruction::kTake) event.flags |= sched::kWaits;
        break;
      case Instruction::kWait:
      case Instruction::kWake:
        event.role = instruction.what == Instruction::kWait ? Role::kSleepBegins : Role::kWake;
        event.second = Key(Instruction::kLock, instruction.a);
        if (instruction.what == Instruction::kWake) event.flags |= sched::kWaits;
        break;
      case Instruction::kSignal:
      case Instruction::kBroadcast:
        event.role = Role::kSignal;
        event.value = instruction.what == Instruction::kSignal ? 1 : sched::kBroadcast;
        break;
      case Instruction::kChoose:
        event.role = Role::kChoice;
        event.object = 0;
        event.flags = 0;
        event.second = instruction.a;
        event.value = policy_.Value();
        break;
      default:
        break;
    }
    return event;
  }

  ExploredEvent Perform(uint32_t t) {
    Instruction instruction = Current(t);
    ExploredEvent event = Pending(t);
    ThreadState& state = threads_[t];
    uint32_t object = instruction.object;
    uint32_t& cell = cells_[object];
    if (event.role == Role::kSleepBegins || event.role == Role::kWake || event.role == Role::kSignal) {
      queues_[object].Perform(event, event.object);
    }
    switch (instruction.what) {
      case Instruction::kLoad:
        state.r = cell;
        break;
      case Instruction::kStore:
        cell = instruction.a;
        break;
      case Instruction::kStoreReg:
        cell = state.r + instruction.a;
        break;
      case Instruction::kAdd:
        state.r = cell;
        cell += instruction.a;
        break;
      case Instruction::kCas:
        state.r = cell == instruction.a ? 1 : 0;
        if (state.r == 1) cell = instruction.b;
        if (state.r == 0) event.flags = sched::kMayWrite;
        break;
      case Instruction::kLock:
        owner_[object] = t;
        break;
      case Instruction::kReadLock:
        ++readers_[object];
        break;
      case Instruction::kTryLock:
        state.r = owner_.contains(object) || readers_[object] > 0 ? 0 : 1;
        if (state.r == 0) event.flags = sched::kMayWrite;
        if (state.r == 1) event.role = Role::kLock;
        if (state.r == 1) owner_[object] = t;
        break;
      case Instruction::kUnlock:
        if (owner_.erase(object) == 0 && readers_[object] > 0) --readers_[object];
        break;
      case Instruction::kPost:
        ++semaphores_[object];
        break;
      case Instruction::kTake:
        --semaphores_[object];
        break;
      case Instruction::kWait:
        owner_.erase(instruction.a);
        state.waking = true;
        return event;
      case Instruction::kWake:
        owner_[instruction.a] = t;
        state.waking = false;
        break;
      case Instruction::kChoose:
        state.r = event.value;
        break;
      default:
        break;
    }
    ++state.at;
    return event;
  }

  void Finish(std::string* final_state) {
    std::string text;
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].stopped) execution_.end = End::kBlocked;
      text += std::to_string(threads_[t].at) + ":" + std::to_string(threads_[t].r) + " ";
      if (Ended(t) || threads_[t].stopped) continue;
      if (execution_.end == End::kDone) execution_.end = End::kDeadlock;
      execution_.pending.push_back(Pending(t));
    }
    for (const auto& [object, value] : cells_) {
      if (value != 0) text += "c" + std::to_string(object) + "=" + std::to_string(value) + " ";
    }
    for (const auto& [object, value] : semaphores_) text += "s" + std::to_string(value) + " ";
    *final_state = text;
  }

  const ModelProgram& program_;
  sched::ExplorePolicy policy_;
  std::vector<ThreadState> threads_;
  std::map<uint32_t, uint32_t> cells_;
  std::map<uint32_t, uint32_t> owner_;
  std::map<uint32_t, uint32_t> readers_;
  std::map<uint32_t, uint32_t> semaphores_;
  std::map<uint32_t, WaitQueue> queues_;
  Execution execution_;
};

}  // namespace

Execution ModelProgram::Run(const Request& request, std::string* final_state) const {
  return explore::Run(*this, request).Go(final_state);
}

}  // namespace heddle::explore
