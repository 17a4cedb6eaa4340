#include "explore/random_program.h"

#include <algorithm>
#include <random>
#include <vector>

namespace heddle::explore {
namespace {

using I = Instruction;

bool Conflict(const ExploredEvent& a, const ExploredEvent& b) {
  bool writes = ((a.flags | b.flags) & wire::kWrites) != 0;
  bool same = a.object == b.object && a.bytes == b.bytes && a.second == b.second;
  if (same && a.commutes == b.commutes && a.commutes != wire::Commutes::kNo) return false;
  if (a.bytes != 0 && b.bytes != 0) {
    bool apart = a.object + a.bytes <= b.object || b.object + b.bytes <= a.object;
    return writes && !apart;
  }
  auto touches = [](const ExploredEvent& e, uint64_t object) {
    return object != 0 && (e.object == object || e.second == object);
  };
  return writes && (touches(a, b.object) || touches(a, b.second));
}

}  // namespace

std::string ClassOf(const Execution& execution) {
  const std::vector<ExploredEvent>& events = execution.events;
  char count[wire::kMaxExplored] = {};
  std::string names;  // of two characters
  for (const ExploredEvent& event : events) {
    names += static_cast<char>('A' + event.thread);
    names += static_cast<char>('a' + count[event.thread]++);
  }
  std::vector<uint32_t> orders;
  auto name = [&](size_t i) { return static_cast<uint32_t>(names[2 * i] << 8 | names[2 * i + 1]); };
  for (size_t i = 0; i < events.size(); ++i) {
    orders.push_back(name(i));
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (events[i].thread != events[j].thread && Conflict(events[i], events[j]))
        orders.push_back(name(i) << 16 | name(j));
    }
  }
  std::sort(orders.begin(), orders.end());
  std::string text;
  for (uint32_t order : orders) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      if ((order >> shift & 0xFF) != 0) text += static_cast<char>(order >> shift & 0xFF);
    }
    text += ' ';
  }
  return text;
}

namespace {

class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  ModelProgram Program() {
    ModelProgram program;
    uint32_t threads = 3 + Below(3);
    uint32_t kinds = Below(9);
    wide_ = Below(8) == 0;
    if (Below(2) == 0) program.semaphores[0] = 1;
    arrivals_ = 2 + Below(2);
    for (uint32_t i = 0; i < threads; ++i) {
      std::vector<Instruction>& thread = program.threads.emplace_back();
      uint32_t steps = threads == 3 ? 1 + Below(3) : 1 + Below(2);
      for (uint32_t step = 0; step < steps; ++step) {
        Piece(kinds, thread);
      }
    }
    return program;
  }

 private:
  void Piece(uint32_t kinds, std::vector<Instruction>& thread) {
    switch (kinds) {
      case 0:
        return Atomic(thread);
      case 1:
        return Lock(thread);
      case 2:
        return Any(thread);
      case 3:
        return Await(thread);
      case 4:
        return ReadWrite(thread);
      case 5:
        return Below(3) == 0 ? Any(thread) : Futex(thread);
      case 6:
        return Below(2) == 0 ? Await(thread) : Meet(thread);
      default:
        return Mixed(thread);
    }
  }

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t Cell() { return Below(4) == 0 ? 1 : 0; }
  void Any(std::vector<Instruction>& thread) { Below(2) == 0 ? Atomic(thread) : Lock(thread); }

  void Atomic(std::vector<Instruction>& thread) {
    switch (wide_ ? Below(8) : 8 + Below(8)) {
      case 0:
      case 1:
        return thread.push_back({I::kWideLoad});
      case 2:
        return thread.push_back({I::kWideStore, 0, 1 + Below(2)});
      case 3:
      case 4:
      case 8:
        return thread.push_back({I::kLoad, Cell()});
      case 5:
      case 9:
        return thread.push_back({I::kStore, Cell(), 1 + Below(3)});
      case 6:
      case 10:
        return thread.push_back({I::kAdd, Cell(), 1});
      case 7:
      case 11:
        thread.push_back({I::kSkipIf, 0, Below(2), 1});
        return thread.push_back({I::kStore, Cell(), 3});
      case 12:
        return thread.push_back({Below(2) == 0 ? I::kExchange : I::kOr, Cell(), Below(3)});
      default:
        return thread.push_back({I::kCas, Cell(), Below(3), 1 + Below(3)});
    }
  }

  // Loops that wait for a value, and what may bring it.
  void Await(std::vector<Instruction>& thread) {
    switch (Below(8)) {
      case 0:
        return thread.push_back({I::kAwait, Cell(), Below(3)});
      case 1:
        return thread.push_back({I::kAwaitBelow, Cell(), 1 + Below(2)});
      case 2:
        return Add(thread, {{I::kAwaitCas, 0, 0, 1}, {I::kAdd, 1, 1}, {I::kStore, 0, 0}});
      case 3:
        return Add(thread, {{I::kAwaitSwap, 0, 1}, {I::kStoreReg, 1, 1}, {I::kStore, 0, Below(2)}});
      case 4:
        return thread.push_back({I::kAwaitCas, Cell(), Below(3), Below(3)});
      case 5:
        return Lock(thread);
      default:
        return Atomic(thread);
    }
  }

  void Lock(std::vector<Instruction>& thread) {
    uint32_t lock = Cell();
    switch (Below(8)) {
      case 0:
        return Add(thread, {{I::kLock, lock}, {I::kAdd, 0, 1}, {I::kUnlock, lock}});
      case 1:
        return Add(thread, {{I::kTryLock, lock}, {I::kSkipIf, 0, 0, 2}, {I::kStore, 1, 1}, {I::kUnlock, lock}});
      case 2:
        return Add(thread, {{I::kTryLock, lock}, {I::kSkipIf, 0, 0, 1}, {I::kUnlock, lock}});
      case 3:
        return Add(thread, {{I::kLock, 0}, {Below(2) == 0 ? I::kWait : I::kTimedWait, 0, 0}, {I::kUnlock, 0}});
      case 4:
        return Add(thread, {{I::kLock, 0}, {I::kTimedWait, 0, 0}, {I::kStoreReg, 1, 1}, {I::kUnlock, 0}});
      case 5:
        return thread.push_back({Below(2) == 0 ? I::kSignal : I::kBroadcast, 0});
      case 6:
        if (Below(2) == 0) return thread.push_back({I::kPost, 0});
        return thread.push_back({Below(2) == 0 ? I::kTake : I::kTryTake, 0});
      default:
        return Add(thread, {{I::kReadLock, lock}, {I::kLoad, 0}, {I::kUnlock, lock}});
    }
  }

  void Futex(std::vector<Instruction>& thread) {
    switch (Below(4)) {
      case 0:
        return Add(thread, {{I::kStore, 0, 1 + Below(2)}, {I::kFutexWake, 0, 1}});
      case 1:
        return thread.push_back({I::kFutexWake, 0, Below(2) == 0 ? 1 : wire::kBroadcast});
      default:
        return thread.push_back({I::kFutexWait, 0, Below(2)});
    }
  }

  // Threads that meet, or come first.
  void Meet(std::vector<Instruction>& thread) {
    if (Below(3) == 0) return thread.push_back({I::kOnce, 0});
    thread.push_back({I::kBarrier, 0, arrivals_});
  }

  // Whoever is last to wait stands before something that nobody brings any more.
  void Mixed(std::vector<Instruction>& thread) {
    switch (Below(8)) {
      case 0:
        return Meet(thread);
      case 1:
        return Futex(thread);
      case 2:
        return thread.push_back({I::kLock, Cell()});
      case 3:
        return thread.push_back({Below(2) == 0 ? I::kTake : I::kPost, 0});
      case 4:
        return Lock(thread);
      case 5:
        return Atomic(thread);
      default:
        return Await(thread);
    }
  }

  // One lock that prefers writers.
  void ReadWrite(std::vector<Instruction>& thread) {
    switch (Below(6)) {
      case 0:
        return Add(thread, {{I::kWant, 0}, {I::kLock, 0}, {I::kAdd, 0, 1}, {I::kUnlock, 0}});
      case 1:
        return Add(thread, {{I::kWant, 0}, {I::kLock, 0}, {I::kUnlock, 0}});
      case 2:
        return Add(thread, {{I::kReadLock, 0}, {I::kLoad, 0}, {I::kUnlock, 0}});
      case 3:
        return Add(thread, {{I::kTryReadLock, 0}, {I::kSkipIf, 0, 0, 1}, {I::kUnlock, 0}});
      case 4:  // twice: it waits for ever when a writer comes between
        return Add(thread, {{I::kReadLock, 0}, {I::kReadLock, 0}, {I::kUnlock, 0}, {I::kUnlock, 0}});
      default:
        return Any(thread);
    }
  }
  static void Add(std::vector<Instruction>& thread, std::initializer_list<Instruction> more) {
    thread.insert(thread.end(), more);
  }

  std::mt19937 random_;
  uint32_t arrivals_ = 2;  // at the barrier
  bool wide_ = false;      // accesses of two sizes, and none that writes or not
};

}  // namespace

ModelProgram RandomProgram(uint32_t seed) { return Writer(seed).Program(); }

ModelProgram RandomBlindProgram(uint32_t seed) {
  ModelProgram program = RandomProgram(seed);
  std::mt19937 random(seed);
  auto turn = [&](Instruction& instruction, I::What what, uint32_t percent) {
    if (random() % 100 >= percent) return;
    instruction.what = what;
    if (instruction.a == 0) instruction.a = 1;  // one that changes nothing is a load
  };
  for (std::vector<Instruction>& thread : program.threads) {
    for (Instruction& instruction : thread) {
      if (instruction.what == I::kAdd) turn(instruction, I::kBlindAdd, 80);
      if (instruction.what == I::kStore) turn(instruction, random() % 3 == 0 ? I::kBlindOr : I::kBlindAdd, 50);
      if (instruction.what == I::kCas) turn(instruction, I::kBlindAdd, 30);
      if (instruction.what == I::kExchange) turn(instruction, I::kBlindXor, 60);
      if (instruction.what == I::kOr) turn(instruction, I::kBlindOr, 80);
      if (instruction.what == I::kBarrier) turn(instruction, I::kBlindBarrier, 70);
    }
  }
  return program;
}

std::string Text(const ModelProgram& program) {
  std::string text;
  for (const std::vector<Instruction>& thread : program.threads) {
    text += "\n  ";
    for (const Instruction& i : thread) {
      text += std::to_string(i.what) + "(" + std::to_string(i.object) + "," + std::to_string(i.a) + "," +
              std::to_string(i.b) + ") ";
    }
  }
  return text;
}

}  // namespace heddle::explore
