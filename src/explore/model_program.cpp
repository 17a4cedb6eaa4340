#include "explore/model_program.h"

#include <memory>

#include "explore/model_instruction.h"

namespace heddle::explore {
namespace {

using wire::Role;

enum class Half : uint8_t { kFirst, kSecond, kRelock };  // kRelock: a wait with a limit has ended, but needs its mutex

struct ThreadState {
  size_t at = 0;
  uint32_t r = 0;
  bool stopped = false;
  Half half = Half::kFirst;
  uint32_t round = 0;  // of the barrier it is at
};

struct Barrier {
  uint32_t arrived = 0;
  uint32_t round = 0;
};

class Run {
 public:
  Run(const ModelProgram& program, const Request& request)
      : program_(program), graph_(program.c11 ? std::make_unique<sched::C11Graph>() : nullptr) {
    threads_.resize(program.threads.size());
    for (const auto& [object, value] : program.semaphores) semaphores_[object] = value;
    policy_.Begin({request.prefix.data(), request.prefix.size(), request.sleeping.data(),
                   static_cast<uint32_t>(request.sleeping.size()), request.sleep_from});
  }

  Execution Go(std::string* final_state) {
    execution_.accesses_known = true;
    for (uint32_t t = 0; t < threads_.size(); ++t) PassInvisible(t);
    for (;;) {
      wire::ThreadBits enabled;
      for (uint32_t t = 0; t < threads_.size(); ++t) {
        if (Enabled(t)) enabled.Add(t);
      }
      if (enabled.empty()) break;
      uint32_t thread = 0;
      sched::Choice choice = policy_.Pick(enabled, &thread, Revived(enabled), Late(enabled));
      if (choice == sched::Choice::kDiverged && Standing(policy_.Planned())) choice = sched::Choice::kAsleep;
      if (choice != sched::Choice::kGo) {
        execution_.end = choice == sched::Choice::kAsleep ? End::kAsleep : End::kDiverged;
        NoteWaiting(enabled);
        return execution_;
      }
      ExploredEvent event = IsC11(thread) ? PerformC11(thread) : Perform(thread);
      if (event.options == 0 && wire::IsC11(event) && policy_.StoreValue() == wire::kAnyValue) {
        execution_.end = End::kAsleep;
        return execution_;
      }
      event.enabled = enabled;
      execution_.events.push_back(event);
      policy_.Performed(event);
      PassInvisible(thread);
    }
    Finish(final_state);
    return execution_;
  }

 private:
  // C11: whether the thread waits for a value that it cannot read here. Then what was asked for does not exist.
  bool Standing(uint32_t t) const { return !Ended(t) && !threads_[t].stopped && IsC11(t) && Awaits(Current(t)); }

  // One that sleeps because of an older store may have come too late for a newer one, which another took.
  bool StandingToWrite(uint32_t t) const { return Standing(t) && Current(t).what >= Instruction::kAwaitCas; }

  bool IsC11(uint32_t t) const {
    return program_.c11 && threads_[t].half == Half::kFirst &&
           (Current(t).what <= Instruction::kCas || Current(t).what == Instruction::kFence || Awaits(Current(t)));
  }

  sched::C11Access AccessOf(uint32_t t) const {
    Instruction instruction = Current(t);
    sched::C11Access access;
    access.thread = static_cast<uint8_t>(t);
    access.bytes = 4;
    access.address = Key(instruction.what, instruction.object);
    access.order = instruction.order;
    access.failure = instruction.failure;
    access.expected = instruction.a;
    if (instruction.what == Instruction::kStore || instruction.what == Instruction::kStoreReg) {
      access.kind = sched::C11Access::kStore;
    }
    if (instruction.what == Instruction::kAdd) access.kind = sched::C11Access::kUpdate;
    if (instruction.what == Instruction::kCas) access.kind = sched::C11Access::kCompare;
    if (!Awaits(instruction)) return access;
    access.await_bits = 32;
    access.condition = AwaitCondition(instruction.what);
    if (instruction.what == Instruction::kAwaitCas) access.kind = sched::C11Access::kCompare;
    if (instruction.what == Instruction::kAwaitSwap) access.kind = sched::C11Access::kUpdate;
    return access;
  }

  wire::ThreadBits Revived(const wire::ThreadBits& enabled) {
    wire::ThreadBits revived;
    if (!program_.c11) return revived;
    (enabled & policy_.Sleeping()).ForEach([&](uint32_t t) {
      const ExploredEvent& asleep = policy_.Asleep(t);
      if (!wire::Reads(asleep)) return;
      sched::C11Access access = AccessOf(t);
      auto since = static_cast<uint32_t>(asleep.second + 1);
      if (graph_->Any(access, cells_[Current(t).object], since)) revived.Add(t);
    });
    return revived;
  }

  wire::ThreadBits Late(const wire::ThreadBits& enabled) const {
    wire::ThreadBits late;
    if (!program_.c11 || !program_.loads_last) return late;
    enabled.ForEach([&](uint32_t t) {
      bool load = Current(t).what == Instruction::kLoad || Current(t).what == Instruction::kAwait ||
                  Current(t).what == Instruction::kAwaitBelow;
      if (IsC11(t) && load) late.Add(t);
    });
    return late;
  }

  ExploredEvent PerformC11(uint32_t t) {
    Instruction instruction = Current(t);
    ThreadState& state = threads_[t];
    ExploredEvent event;
    event.thread = static_cast<uint16_t>(t);
    event.operation = static_cast<uint8_t>(instruction.what + 1);
    if (instruction.what == Instruction::kFence) {
      graph_->Fence(event.thread, instruction.order);
      ++state.at;
      return event;
    }
    sched::C11Access access = AccessOf(t);
    uint32_t& cell = cells_[instruction.object];
    event.object = access.address;
    event.value = policy_.StoreValue();
    event.role = access.kind == sched::C11Access::kStore ? Role::kWrite : Role::kRead;
    if (event.value == wire::kAnyValue) {
      bool sleeps = policy_.Sleeping().Has(t);
      auto since = static_cast<uint32_t>(sleeps ? policy_.Asleep(t).second + 1 : 0);
      sched::C11Graph::Option options[sched::C11Graph::kMaxOptions];
      event.options = static_cast<uint16_t>(graph_->Options(access, cell, since, options));
      if (event.options == 0) return event;
      event.value = options[0].id;
      for (uint32_t i = 0; i < event.options; ++i) execution_.options.push_back(options[i].id);
    }
    uint32_t written = 0;
    auto performed = graph_->Perform(access, cell, event.value, static_cast<uint32_t>(execution_.events.size()),
                                     [&](uint64_t read) { return written = Written(instruction, state, read); });
    if (instruction.what != Instruction::kStore && instruction.what != Instruction::kStoreReg &&
        instruction.what != Instruction::kCas && instruction.what != Instruction::kAwaitCas) {
      state.r = static_cast<uint32_t>(performed.read);
    }
    if (instruction.what == Instruction::kCas) state.r = performed.stores ? 1 : 0;
    if (performed.last) cell = written;
    event.own = performed.own;
    event.flags = performed.stores ? wire::kWrites : instruction.what == Instruction::kCas ? wire::kMayWrite : 0;
    if (performed.stores && event.role == Role::kRead) event.role = Role::kUpdate;
    event.await_bits = access.await_bits;
    event.condition = access.condition;
    event.operand = access.expected;
    event.before = written;
    ++state.at;
    return event;
  }

  static uint32_t Written(const Instruction& instruction, const ThreadState& state, uint64_t read) {
    switch (instruction.what) {
      case Instruction::kStore:
        return instruction.a;
      case Instruction::kStoreReg:
        return state.r + instruction.a;
      case Instruction::kAdd:
        return static_cast<uint32_t>(read) + instruction.a;
      case Instruction::kAwaitSwap:
        return instruction.a;
      default:
        return instruction.b;
    }
  }

  bool Ended(uint32_t t) const { return threads_[t].at >= program_.threads[t].size(); }
  bool Timed(uint32_t t) const { return program_.threads[t][threads_[t].at].what == Instruction::kTimedWait; }
  Instruction Current(uint32_t t) const {
    Instruction instruction = program_.threads[t][threads_[t].at];
    if (threads_[t].half == Half::kSecond) instruction.what = SecondOf(instruction.what);
    if (threads_[t].half == Half::kRelock) instruction = {Instruction::kLock, instruction.a};
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
      } else if (instruction.what >= Instruction::kPlainLoad) {
        Access(t, instruction);
        ++state.at;
      } else {
        return;
      }
    }
  }

  void Access(uint32_t t, const Instruction& instruction) {
    uint32_t& cell = plain_[instruction.object];
    wire::PlainAccess access{0x8000U + uint64_t{8} * instruction.object, 4,
                             static_cast<uint32_t>(execution_.events.size()), static_cast<uint16_t>(t),
                             wire::AccessKind::kRead};
    if (instruction.what == Instruction::kPlainLoad) {
      threads_[t].r = cell;
    } else if (instruction.what == Instruction::kPlainStore) {
      cell = instruction.a;
      access.kind = wire::AccessKind::kWrite;
    } else {
      cell += instruction.a;
      access.kind = wire::AccessKind::kAdd;
    }
    execution_.accesses.push_back(access);
  }

  bool Enabled(uint32_t t) {
    if (Ended(t) || threads_[t].stopped) return false;
    Instruction instruction = Current(t);
    uint32_t object = instruction.object;
    if (IsC11(t) && Awaits(instruction)) return graph_->Any(AccessOf(t), cells_[object], 0);
    switch (instruction.what) {
      case Instruction::kAwait:
      case Instruction::kAwaitCas:
        return cells_[object] == instruction.a;
      case Instruction::kAwaitBelow:
        return cells_[object] < instruction.a;
      case Instruction::kAwaitSwap:
        return cells_[object] != instruction.a;
      case Instruction::kLock:
        return !owner_.contains(object) && readers_[object] == 0;
      case Instruction::kReadLock:
        return ReadFree(object);
      case Instruction::kTake:
        return semaphores_[object] > 0;
      case Instruction::kWake:
        return Timed(t) ||
               (queues_[object].CanWake(t) && !owner_.contains(instruction.a) && readers_[instruction.a] == 0);
      case Instruction::kFutexWoken:
        return futexes_[object].CanWake(t);
      case Instruction::kBarrierEnd:
        return barriers_[object].round != threads_[t].round;
      case Instruction::kOnce:
        return once_[object] != kUnderWay;
      default:
        return true;
    }
  }

  bool ReadFree(uint32_t object) { return !owner_.contains(object) && wanted_[object] == 0; }

  // The event as it stands before being performed.
  ExploredEvent Pending(uint32_t t) {
    Instruction instruction = Current(t);
    ExploredEvent event;
    event.object = Key(instruction.what, instruction.object);
    event.thread = static_cast<uint16_t>(t);
    event.operation = static_cast<uint8_t>(instruction.what + 1);
    bool loads = instruction.what == Instruction::kLoad || instruction.what == Instruction::kWideLoad ||
                 instruction.what == Instruction::kAwait || instruction.what == Instruction::kAwaitBelow;
    event.flags = loads ? 0 : wire::kWrites;
    if (program_.c11 && Awaits(instruction)) {
      SetAwait(event, instruction);
      event.role = Role::kRead;
      event.flags = loads ? 0 : wire::kMayWrite;
      event.value = wire::kAnyValue;
      event.operand = instruction.a;
      return event;
    }
    if (event.object < 0x2000U && !program_.c11) SetMemory(event, instruction, cells_);
    switch (instruction.what) {
      case Instruction::kLock:
      case Instruction::kReadLock:
        event.role = Role::kLock;
        event.flags |= wire::kWaits;
        if (instruction.what == Instruction::kReadLock) event.flags |= wire::kShared;
        break;
      case Instruction::kUnlock:
        event.role = Role::kUnlock;
        break;
      case Instruction::kWant:
        event.role = Role::kWants;
        break;
      case Instruction::kTryTake:
        event.value = semaphores_[instruction.object];
        break;
      case Instruction::kPost:
      case Instruction::kTake:
        event.role = instruction.what == Instruction::kPost ? Role::kPost : Role::kSemTake;
        event.value = semaphores_[instruction.object];
        if (instruction.what == Instruction::kTake) event.flags |= wire::kWaits;
        break;
      case Instruction::kWait:
      case Instruction::kTimedWait:
      case Instruction::kWake:
        event.role = instruction.what == Instruction::kWake ? Role::kWake : Role::kSleepBegins;
        event.second = Key(Instruction::kLock, instruction.a);
        if (instruction.what == Instruction::kWake && Timed(t)) event.second = 0;
        if (instruction.what == Instruction::kWake) event.flags |= wire::kWaits | (Timed(t) ? wire::kTimed : 0);
        break;
      case Instruction::kSignal:
      case Instruction::kBroadcast:
        event.role = Role::kSignal;
        event.value = instruction.what == Instruction::kSignal ? 1 : wire::kBroadcast;
        break;
      case Instruction::kFutexWoken:
        event.role = Role::kWake;
        event.flags |= wire::kWaits;
        break;
      case Instruction::kFutexWake:
        event.role = Role::kSignal;
        event.value = instruction.a;
        break;
      case Instruction::kBarrier:
      case Instruction::kBlindBarrier:
        event.second = RoundKey(instruction.object, 0);  // which round it is shows when it is performed
        break;
      case Instruction::kBarrierEnd:
        event.role = Role::kAfter;
        event.object = RoundKey(instruction.object, threads_[t].round);
        event.flags = wire::kWaits;
        break;
      case Instruction::kOnce:
        event.role = Role::kLock;
        event.flags |= wire::kWaits;
        break;
      case Instruction::kOnceLeave:
        event.role = Role::kUnlock;
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
    if (program_.commute) SetCommutes(event, instruction);
    return event;
  }

  ExploredEvent Perform(uint32_t t) {
    Instruction instruction = Current(t);
    ExploredEvent event = Pending(t);
    ThreadState& state = threads_[t];
    uint32_t object = instruction.object;
    uint32_t& cell = cells_[object];
    if (graph_ != nullptr) Synchronise(event);
    bool signalled = event.role == Role::kWake && queues_[object].CanWake(event.thread);
    if (event.bytes == 0 &&
        (event.role == Role::kSleepBegins || event.role == Role::kWake || event.role == Role::kSignal)) {
      queues_[object].Perform(event, event.object);
    }
    switch (instruction.what) {
      case Instruction::kLoad:
      case Instruction::kAwait:
      case Instruction::kAwaitBelow:
        state.r = cell;
        break;
      case Instruction::kAwaitCas:
        cell = instruction.b;
        break;
      case Instruction::kAwaitSwap:
        state.r = cell;
        cell = instruction.a;
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
        SetWrites(event, state.r == 1);
        break;
      case Instruction::kExchange:
        state.r = cell;
        SetWrites(event, cell != instruction.a);
        cell = instruction.a;
        break;
      case Instruction::kOr:
        state.r = cell;
        SetWrites(event, (cell | instruction.a) != cell);
        cell |= instruction.a;
        break;
      case Instruction::kBlindAdd:
        cell += instruction.a;
        break;
      case Instruction::kBlindOr:
        if (!program_.commute) SetWrites(event, (cell | instruction.a) != cell);
        cell |= instruction.a;
        break;
      case Instruction::kBlindXor:
        cell ^= instruction.a;
        break;
      case Instruction::kWideLoad:
        state.r = cells_[0] * 16 + cells_[1];
        break;
      case Instruction::kWideStore:
        cells_[0] = cells_[1] = instruction.a;
        break;
      case Instruction::kWideCas:
        state.r = cells_[0] == instruction.a && cells_[1] == instruction.a ? 1 : 0;
        if (state.r == 1) cells_[0] = cells_[1] = instruction.b;
        SetWrites(event, state.r == 1);
        break;
      case Instruction::kLock:
        owner_[object] = t;
        wanted_[object] &= ~(1U << t);
        break;
      case Instruction::kWant:
        wanted_[object] |= 1U << t;
        break;
      case Instruction::kTryReadLock:
        state.r = ReadFree(object) ? 1 : 0;
        event.condition = wire::Condition::kFree;
        SetWrites(event, state.r == 1);
        event.flags |= wire::kShared;
        if (state.r == 1) event.role = Role::kLock;
        readers_[object] += state.r;
        break;
      case Instruction::kReadLock:
        ++readers_[object];
        break;
      case Instruction::kTryLock:
        state.r = owner_.contains(object) || readers_[object] > 0 ? 0 : 1;
        event.condition = wire::Condition::kFree;
        SetWrites(event, state.r == 1);
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
      case Instruction::kTryTake:
        state.r = semaphores_[object] > 0 ? 1 : 0;
        event.condition = wire::Condition::kAvailable;
        SetWrites(event, state.r == 1);
        if (state.r == 1) event.role = Role::kSemTake;
        semaphores_[object] -= state.r;
        break;
      case Instruction::kWait:
      case Instruction::kTimedWait:
        owner_.erase(instruction.a);
        state.half = Half::kSecond;
        return event;
      case Instruction::kWake:
        if (Timed(t)) {
          state.r = signalled ? 0 : 1;
          state.half = Half::kRelock;
          return event;
        }
        owner_[instruction.a] = t;
        break;
      case Instruction::kFutexWait:
        SetWrites(event, cell == instruction.a);
        if (cell != instruction.a) break;
        event.role = Role::kSleepBegins;
        futexes_[object].Perform(event, event.object);
        state.half = Half::kSecond;
        return event;
      case Instruction::kFutexWoken:
      case Instruction::kFutexWake:
        futexes_[object].Perform(event, event.object);
        break;
      case Instruction::kBarrier:
      case Instruction::kBlindBarrier:
        Arrive(t, &event);
        return event;
      case Instruction::kOnce:
        state.r = once_[object] == kNobodyCame ? 1 : 0;
        if (state.r == 1) {
          once_[object] = kUnderWay;
          state.half = Half::kSecond;
          return event;
        }
        event.flags = wire::kWaits | wire::kNoHold | wire::kMayWrite;
        event.condition = wire::Condition::kFirst;
        break;
      case Instruction::kOnceLeave:
        once_[object] = kWasRun;
        break;
      case Instruction::kChoose:
        state.r = event.value;
        break;
      default:
        break;
    }
    state.half = Half::kFirst;
    ++state.at;
    return event;
  }

  void Arrive(uint32_t t, ExploredEvent* event) {
    Instruction instruction = Current(t);
    Barrier& barrier = barriers_[instruction.object];
    ThreadState& state = threads_[t];
    state.round = barrier.round;
    event->second = RoundKey(instruction.object, barrier.round);
    state.half = Half::kSecond;
    bool last = ++barrier.arrived == instruction.a;
    if (instruction.what == Instruction::kBarrier) state.r = last ? 1 : 0;
    if (!last) return;
    barrier.arrived = 0;
    ++barrier.round;
  }

  void Synchronise(const ExploredEvent& event) {
    bool acquires = event.role == Role::kLock || event.role == Role::kSemTake;
    if (acquires) graph_->Acquire(event.thread, event.object);
    if (event.role == Role::kUnlock || event.role == Role::kPost) graph_->Release(event.thread, event.object);
    if (event.role == Role::kSleepBegins) graph_->Release(event.thread, event.second);
    if (event.role == Role::kWake) graph_->Acquire(event.thread, event.second);
  }

  // Abandoned: those that cannot go on may have come too late for something.
  void NoteWaiting(const wire::ThreadBits& enabled) {
    for (uint32_t t = 0; t < threads_.size(); ++t) {
      bool waits = !Ended(t) && !threads_[t].stopped && (!enabled.Has(t) || StandingToWrite(t));
      if (waits && execution_.end == End::kAsleep) execution_.pending.push_back(Pending(t));
    }
  }

  void Finish(std::string* final_state) {
    std::string text = graph_ != nullptr ? GraphText(*graph_, execution_) : "";
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
    for (const auto& [object, value] : plain_) {
      if (value != 0) text += "p" + std::to_string(object) + "=" + std::to_string(value) + " ";
    }
    for (const auto& [object, value] : semaphores_) text += "s" + std::to_string(value) + " ";
    *final_state = text;
  }

  const ModelProgram& program_;
  std::unique_ptr<sched::C11Graph> graph_;
  sched::ExplorePolicy policy_;
  std::vector<ThreadState> threads_;
  std::map<uint32_t, uint32_t> cells_;
  std::map<uint32_t, uint32_t> plain_;
  std::map<uint32_t, uint32_t> owner_;
  std::map<uint32_t, uint32_t> readers_;
  std::map<uint32_t, uint32_t> wanted_;  // by lock: a bit for each thread that wants to write
  std::map<uint32_t, uint32_t> semaphores_;
  std::map<uint32_t, WaitQueue> queues_;
  std::map<uint32_t, WaitQueue> futexes_;
  std::map<uint32_t, Barrier> barriers_;
  enum Once : uint8_t { kNobodyCame, kUnderWay, kWasRun };
  std::map<uint32_t, Once> once_;
  Execution execution_;
};

}  // namespace

Execution ModelProgram::Run(const Request& request, std::string* final_state) const {
  return explore::Run(*this, request).Go(final_state);
}

}  // namespace heddle::explore
