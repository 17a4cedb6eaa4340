// Locks that are surely held at an instruction, known by how the function itself names them: after lock(&o->m) and
// before any unlock, o->m is held, whichever object o is. For locks of which there are many, where the must-sets of the
// contexts know nothing.
//
// A guard of an access is the distance from the accessed address to the lock: two accesses to one address with a guard
// at the same distance hold the same lock. So do accesses to d[i] under m[i], for two global arrays.
//
// What all callers of a function hold, by the names of its parameters, is held in it as well.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/transfer.h"
#include "deadlock/races/address_names.h"

namespace heddle::deadlock {

struct Guard {
  int64_t distance = 0;
  Mode mode = Mode::kWrite;
  // For elements of two arrays with one index: base + index * scale + at is accessed, lock_base + index * lock_scale +
  // distance is held. Null: the distance is from the accessed address.
  const llvm::Value *base = nullptr, *lock_base = nullptr;
  int64_t at = 0, scale = 0, lock_scale = 0;
  auto operator<=>(const Guard&) const = default;
};

class Guards {
 public:
  explicit Guards(const Facts& facts) : facts_(facts) {}

  // For an access of `at` through `pointer`. Sorted.
  std::vector<Guard> At(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes);

 private:
  // A lock by name, with what it may be.
  struct Held {
    AddressName name;
    Mode mode = Mode::kWrite;
    auto Key() const { return std::tuple(name.Stem(), name.offset, mode); }
    bool operator<(const Held& other) const { return Key() < other.Key(); }
    bool operator==(const Held& other) const { return Key() == other.Key(); }
  };
  using HeldSet = std::set<Held>;

  void Analyse(const llvm::Function& function);
  HeldSet HeldBefore(const llvm::Instruction& at);
  // What all callers hold, as the function names it.
  HeldSet AtEntry(const llvm::Function& function);
  static std::optional<Held> Renamed(const Held& lock, const llvm::CallBase& call, const llvm::Function& callee);
  void Step(const llvm::Instruction& instruction, HeldSet* held);
  void Acquire(const llvm::CallBase& call, const Primitive& primitive, HeldSet* held) const;
  void Release(const LocSet& locks, HeldSet* held);
  // What calls of the function may unlock, with all that it calls. Empty optional: anything.
  const std::set<LocId>& Released(const llvm::Function* function);
  bool ReleasesUnknown(const llvm::Function* function);
  void FindReleased();

  const Facts& facts_;
  std::unordered_map<const llvm::BasicBlock*, HeldSet> in_;
  std::set<const llvm::Function*> analysed_, busy_;
  std::map<const llvm::Function*, std::set<LocId>> released_;
  std::set<const llvm::Function*> releases_unknown_;
  bool found_released_ = false;
};

}  // namespace heddle::deadlock
