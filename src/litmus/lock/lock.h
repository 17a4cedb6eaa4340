// A lock and its unlock, distilled into litmus tests (Poetzl's thesis, section 2.5.2): can a critical section miss what
// the one before it wrote (a stale value), or see what the next one writes (a future value)?
//
// In both tests thread 0 holds the lock, leaves its critical section and unlocks; thread 1 locks and enters its own.
// The initial state is the one that thread 0 leaves when it takes the lock alone. A sequence lock has a writer and a
// reader that tries once; its reader must not see half of what the writer wrote.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

// A place where a fence may stand.
struct FenceSlot {
  std::string where;                // "at the end of lock (line 7)"
  std::vector<std::string> fences;  // that may stand there, the weakest that can be enough first
};

// An order of an atomic access of the C code, which may be made stronger.
struct OrderSlot {
  size_t offset = 0;  // of its word in `code`
  size_t length = 0;
  int line = 0;
  std::string call;                 // the function that it is an argument of
  std::string was;                  // memory_order_relaxed
  std::vector<std::string> orders;  // stronger ones, the weakest first
};

struct LockPair {
  Arch arch = Arch::kC;
  std::string name;
  bool sequence = false;  // a sequence lock: writer and reader
  std::string code;       // C: the file without preprocessor lines, line for line
  // C: the function of each part. Lock and unlock; or of the writer, then the reader's begin and retry.
  std::vector<std::string> functions;
  std::vector<std::string> init;     // entries of the initial state that the file gives
  std::vector<std::string> rows[2];  // assembly: instructions of lock and unlock
  std::vector<FenceSlot> fences;
  std::vector<OrderSlot> orders;
};

struct LockNames {
  std::string lock;  // empty: found by name
  std::string unlock;
};

// C source by its name (.c, .h, .cpp), or a pair in an assembly language: a line with language and name, { initial
// state }, a line `lock`, instructions, a line `unlock`, instructions.
Result<LockPair> ReadLockPair(const std::string& file, const std::string& text, const LockNames& names);

// What is changed in the pair: for each slot the number of the fence or order that is used, 0 for none.
struct LockEdit {
  std::vector<size_t> fences;
  std::vector<size_t> orders;
};

// The state in which thread 0 holds the lock: values of locations, then of its registers, as text of an initial state.
struct HeldState {
  std::vector<std::string> entries;
  std::string token;  // C: what lock returned
};

// The test in which thread 0 takes the lock alone; its only final state is the held state.
Result<std::string> HoldTest(const LockPair& pair);
HeldState HeldFrom(const LockPair& pair, const Test& test, const std::vector<int64_t>& values);
// The stale-value (0) or future-value (1) test.
Result<std::string> DistilledTest(const LockPair& pair, const HeldState& held, int which, const LockEdit& edit,
                                  bool same_group);
const char* LockTestName(int which);  // "stale", "future"

}  // namespace heddle::litmus
