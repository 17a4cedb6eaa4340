// Races of one trace by locksets and happens-before together (section 5.5.2 of "Predicting Errors in Concurrent
// Systems"): two accesses to a byte by different threads, one of them a write and not both atomic, that no must-order
// separates and no common lock excludes.
//
// A pair that the run's own happens-before leaves unordered raced in this run. A pair that only the order of the locks
// in this run separates is a candidate: some other order of the locks may let it happen, unless the program's values
// forbid that order, which the trace does not tell.
//
// History: for each 8-byte word the last access of each thread, instruction, kind and lockset, at most kMaxHistory;
// what is pushed out can hide a race, never invent one. Memory that was freed or mapped anew, and stacks of new
// threads, start without history.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "predict/locksets.h"
#include "predict/order.h"
#include "trace/event.h"

namespace heddle::predict {

struct AccessPoint {
  uint32_t thread = 0;
  bool write = false;
  bool atomic = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t pc = 0;
  uint32_t stack = 0;
  uint32_t lockset = 0;
};

struct HeapBlock {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint64_t pc = 0;
};

struct RacePair {
  AccessPoint first;  // earlier in the trace
  AccessPoint second;
  bool in_this_run = false;  // unordered by happens-before in the run itself
  uint64_t hidden_by = 0;    // the lock whose order separates them otherwise
  uint64_t count = 0;        // words and times this pair of instructions was seen racing
  HeapBlock block;           // that was accessed; bytes 0: none
};

class HybridAnalysis {
 public:
  void Add(const trace::Event& event);

  // Races so far, in order of discovery, one for each unordered pair of instructions and kind.
  const std::vector<RacePair>& Races() const { return races_; }
  const Locksets& locksets() const { return locksets_; }

  uint64_t events() const { return events_; }
  uint32_t threads() const { return threads_; }

 private:
  static constexpr size_t kMaxHistory = 16;
  struct Past {
    uint64_t pc;
    uint32_t thread;
    uint32_t stack;
    uint32_t lockset;
    uint32_t must;  // the thread's own components then
    uint32_t run;
    uint8_t mask;
    bool write;
    bool atomic;
  };
  using Key = std::pair<uint64_t, uint64_t>;

  void Access(const trace::Event& event, bool write, bool atomic);
  void Word(uint64_t word, uint8_t mask, const AccessPoint& access);
  void Compare(const Past& past, uint64_t word, const AccessPoint& access);
  void Forget(uint64_t begin, uint64_t bytes);
  HeapBlock BlockAt(uint64_t address) const;

  TraceOrder order_;
  Locksets locksets_;
  std::unordered_map<uint64_t, std::vector<Past>> words_;
  std::map<uint64_t, HeapBlock> blocks_;
  std::map<Key, size_t> known_;
  std::vector<RacePair> races_;
  uint64_t events_ = 0;
  uint32_t threads_ = 0;
};

}  // namespace heddle::predict
