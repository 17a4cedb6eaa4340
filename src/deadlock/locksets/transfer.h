// What one operation does to a state. No control flow and no contexts here.
#pragma once

#include <optional>

#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/state.h"

namespace heddle::deadlock {

// The value through which a lock is named, as a base and a constant offset: two equal ones in one activation, with
// nothing redefined in between, are the same address.
struct Symbol {
  const llvm::Value* root = nullptr;
  int64_t offset = 0;
};
Symbol SymbolOf(const llvm::Module& module, const llvm::Value* value);

// True: `condition` is true exactly if `value` is nonzero; false: exactly if it is zero; none: something else.
std::optional<bool> Tests(const llvm::Value* condition, const llvm::Value* value);

class Transfer {
 public:
  explicit Transfer(const Facts& facts) : facts_(facts) {}

  // What is acquired, by whom, and what says whether it was.
  struct Acquired {
    Mode mode = Mode::kWrite;
    const llvm::CallBase* site = nullptr;
    Symbol symbol;
    const llvm::Value* pending = nullptr;  // a later test of this value may show that it was not
    bool when_nonzero = false;
    bool is_try = false;  // not to be relied on before such a test
  };
  // A lock of one of `locks`.
  void Acquire(State* state, const LocSet& locks, const Acquired& how) const;
  void Release(State* state, const LocSet& locks, Symbol symbol) const;
  // What `site` acquired is released.
  void ReleaseSite(State* state, const llvm::CallBase& site) const;
  // The outcome of a value that the end of `block` tests is known. Success makes a lock surely held only if the try is
  // in the same block: otherwise it may have been released since.
  void Decide(State* state, const llvm::Value* value, bool nonzero, const llvm::BasicBlock* block) const;
  // Values that are defined in the block denote something else from now on.
  void Redefine(State* state, const llvm::BasicBlock* block) const;
  bool Recursive(LocId loc) const;
  bool IsThread(LocId loc) const;
  bool Overlaps(LocId loc, const LocSet& set) const;

 private:
  std::vector<size_t> Released(const State& state, const std::vector<size_t>& candidates, Symbol symbol) const;

  const Facts& facts_;
};

}  // namespace heddle::deadlock
