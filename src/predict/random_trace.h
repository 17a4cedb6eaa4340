// Random small traces for tests: a random program of a few threads is run under a random schedule, by its own little
// interpreter; runs that get stuck are thrown away.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "trace/event.h"

namespace heddle::predict {

struct RandomShape {
  uint32_t threads = 3;
  uint32_t operations = 4;  // of each thread, about
  uint32_t locks = 2;
  uint32_t variables = 2;
  bool rwlocks = false;
  bool semaphores = false;
  bool barriers = false;
  bool conditions = false;
  bool atomics = false;
};

class RandomTrace {
 public:
  RandomTrace(uint64_t seed, const RandomShape& shape) : random_(seed), shape_(shape) {}

  std::vector<trace::Event> Make() {
    do {
      events_.clear();
      program_.assign(shape_.threads, {});
      for (uint32_t thread = 0; thread < shape_.threads; ++thread) Write(thread);
    } while (!Run());
    return events_;
  }

 private:
  using Kind = trace::Kind;
  struct Operation {
    Kind kind;
    uint64_t address = 0;
    uint64_t arg = 0;
    bool shared = false;
  };
  static constexpr uint64_t kLocks = 1000, kVariables = 2000, kSemaphore = 3000, kBarrier = 3100, kCondition = 3200,
                            kAtomic = 3300;

  uint64_t Below(uint64_t limit) { return random_() % limit; }

  void Write(uint32_t thread) {
    std::vector<Operation>& program = program_[thread];
    std::vector<Operation> open;
    program.push_back({Kind::ThreadBegin});
    if (thread == 0) {
      for (uint32_t child = 1; child < shape_.threads; ++child) program.push_back({Kind::ThreadFork, 0, child});
    }
    for (uint32_t i = 0; i < shape_.operations; ++i) Piece(program, open);
    while (!open.empty()) Close(program, open);
    if (thread == 0 && Below(2) == 0) program.push_back({Kind::ThreadJoin, 0, 1 + Below(shape_.threads - 1)});
    program.push_back({Kind::ThreadEnd});
  }

  void Close(std::vector<Operation>& program, std::vector<Operation>& open) {
    program.push_back({Kind::Unlock, open.back().address, 0, open.back().shared});
    open.pop_back();
  }

  void Piece(std::vector<Operation>& program, std::vector<Operation>& open) {
    switch (Below(9)) {
      case 0:
      case 1:
      case 2: {
        uint64_t lock = kLocks + 8 * Below(shape_.locks);
        for (const Operation& held : open) {
          if (held.address == lock) return;
        }
        open.push_back({Kind::Lock, lock, 0, shape_.rwlocks && Below(2) == 0});
        program.push_back(open.back());
        return;
      }
      case 3:
        if (!open.empty()) Close(program, open);
        return;
      case 4:
        if (shape_.semaphores) program.push_back({Below(2) == 0 ? Kind::SemPost : Kind::SemWait, kSemaphore});
        return;
      case 5:
        if (shape_.barriers && Below(2) == 0) {
          program.push_back({Kind::BarrierEnter, kBarrier});
          program.push_back({Kind::BarrierExit, kBarrier});
        }
        return;
      case 6:
        Condition(program, open);
        return;
      case 7:
        if (shape_.atomics) program.push_back({Below(2) == 0 ? Kind::AtomicStore : Kind::AtomicLoad, kAtomic});
        return;
      default:
        program.push_back({Below(2) == 0 ? Kind::Read : Kind::Write, kVariables + 8 * Below(shape_.variables)});
    }
  }

  void Condition(std::vector<Operation>& program, const std::vector<Operation>& open) {
    if (!shape_.conditions) return;
    if (Below(2) == 0 || open.empty() || open.back().shared) {
      program.push_back({Kind::CondSignal, kCondition});
      return;
    }
    program.push_back({Kind::CondWait, kCondition, open.back().address});
    program.push_back({Kind::CondWake, kCondition, open.back().address});
  }

  // The interpreter.
  bool Can(uint32_t thread, const Operation& operation) {
    switch (operation.kind) {
      case Kind::ThreadBegin:
        return thread == 0 || forked_.contains(thread);
      case Kind::ThreadJoin:
        return at_[operation.arg] == program_[operation.arg].size();
      case Kind::Lock:
        return !alone_.contains(operation.address) && (operation.shared || shared_[operation.address] == 0);
      case Kind::SemWait:
        return value_ > 0;
      case Kind::BarrierEnter:
        return entered_ < 2;
      case Kind::BarrierExit:
        return entered_ == 2;
      case Kind::CondWake:
        return signal_of_.contains(thread) && !alone_.contains(operation.arg) && shared_[operation.arg] == 0;
      default:
        return true;
    }
  }

  void Do(uint32_t thread, const Operation& operation, uint64_t sequence) {
    switch (operation.kind) {
      case Kind::ThreadFork:
        forked_.insert(static_cast<uint32_t>(operation.arg));
        return;
      case Kind::Lock:
        if (operation.shared) {
          ++shared_[operation.address];
        } else {
          alone_.insert(operation.address);
        }
        return;
      case Kind::Unlock:
        if (operation.shared) {
          --shared_[operation.address];
        } else {
          alone_.erase(operation.address);
        }
        return;
      case Kind::SemPost:
        ++value_;
        return;
      case Kind::SemWait:
        --value_;
        return;
      case Kind::BarrierEnter:
        ++entered_;
        return;
      case Kind::BarrierExit:
        if (++left_ == 2) left_ = entered_ = 0;
        return;
      case Kind::CondWait:
        alone_.erase(operation.arg);
        waiting_.insert(thread);
        return;
      case Kind::CondSignal:
        if (!waiting_.empty()) {
          uint32_t woken = *waiting_.begin();
          waiting_.erase(woken);
          signal_of_[woken] = sequence;
        }
        return;
      case Kind::CondWake:
        alone_.insert(operation.arg);
        signal_of_.erase(thread);
        return;
      default:
        return;
    }
  }

  void Emit(uint32_t thread, const Operation& operation) {
    trace::Event event;
    event.thread = thread;
    event.kind = operation.kind;
    event.address = operation.address;
    event.arg = operation.arg;
    event.pc = 10'000 + events_.size();
    if (trace::IsOrdered(operation.kind)) event.sequence = ++sequence_;
    if (operation.kind == Kind::Lock || operation.kind == Kind::Unlock) {
      event.detail = trace::LockDetail{trace::LockClass::RwLock, operation.shared, trace::Manner::Block}.Pack();
    }
    if (operation.kind == Kind::CondWake) event.arg2 = signal_of_[thread];
    if (operation.kind == Kind::Read || operation.kind == Kind::Write || trace::IsAtomic(operation.kind)) {
      event.detail = 8;
    }
    events_.push_back(event);
    Do(thread, operation, event.sequence);
  }

  bool Run() {
    at_.assign(shape_.threads, 0);
    forked_.clear();
    alone_.clear();
    shared_.clear();
    waiting_.clear();
    signal_of_.clear();
    sequence_ = 0;
    value_ = 1;
    entered_ = left_ = 0;
    if (shape_.semaphores) Emit(0, {Kind::SemInit, kSemaphore, 1});
    if (shape_.barriers) Emit(0, {Kind::BarrierInit, kBarrier, 2});
    while (true) {
      std::vector<uint32_t> ready;
      bool ended = true;
      for (uint32_t thread = 0; thread < shape_.threads; ++thread) {
        if (at_[thread] == program_[thread].size()) continue;
        ended = false;
        if (Can(thread, program_[thread][at_[thread]])) ready.push_back(thread);
      }
      if (ready.empty()) return ended;
      uint32_t thread = ready[Below(ready.size())];
      Emit(thread, program_[thread][at_[thread]++]);
    }
  }

  std::mt19937_64 random_;
  RandomShape shape_;
  std::vector<std::vector<Operation>> program_;
  std::vector<trace::Event> events_;
  std::vector<size_t> at_;
  std::set<uint32_t> forked_;
  std::set<uint64_t> alone_;
  std::map<uint64_t, int> shared_;
  std::set<uint32_t> waiting_;
  std::map<uint32_t, uint64_t> signal_of_;
  uint64_t sequence_ = 0;
  int value_ = 0;
  int entered_ = 0;
  int left_ = 0;
};

}  // namespace heddle::predict
