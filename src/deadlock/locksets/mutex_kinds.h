// The kinds of mutexes: normal, recursive, errorcheck. A mutex that is only recursive never makes its holder wait, so
// kinds are used to leave out findings and must be certain: `normal` stays possible unless some initialisation is
// surely of this mutex and surely of another kind. (Initialising a mutex twice, or using one that was not initialised,
// is undefined; so a mutex that a call surely initialises has the kind of one of its calls.)
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "deadlock/pointers/points_to.h"

namespace heddle::deadlock {

// The kinds that a mutex may have; a set, since initialisations may differ.
struct LockKinds {
  bool normal = false;
  bool recursive = false;
  bool errorcheck = false;

  void Add(const LockKinds& more) {
    normal |= more.normal;
    recursive |= more.recursive;
    errorcheck |= more.errorcheck;
  }
};

class MutexKinds {
 public:
  MutexKinds(llvm::Module& module, const Primitives& primitives, PointsTo& points);

  LockKinds Of(LocId loc) const;
  // The operands of calls that initialise mutexes, by object.
  const std::unordered_map<ObjectId, std::vector<LocId>>& initialised() const { return initialised_; }

 private:
  // A call that changes attributes or mutexes, with its operand and the kinds that it may give.
  struct Change {
    const llvm::CallBase* call;
    const llvm::Value* operand;
    LockKinds kinds;
  };
  void Read(const llvm::CallBase& call);
  void ReadStore(const llvm::Value& instruction);
  LockKinds FromAttribute(const llvm::CallBase& call) const;
  bool SurelySet(const llvm::CallBase& call) const;
  bool Prepared(LocId attribute) const;
  bool PreparedBy(const llvm::CallBase& init) const;
  bool MayBe(const llvm::Value* operand, LocId loc) const;
  void Give(const llvm::Value* operand, int64_t shift, const LockKinds& kinds);
  void Surely(const llvm::Value* operand, int64_t shift, int depth);
  LockKinds Compute(LocId loc) const;
  bool Static(LocId loc, LockKinds* kinds) const;

  llvm::Module& module_;
  const Primitives& primitives_;
  PointsTo& points_;
  std::vector<const llvm::CallBase*> attribute_inits_, mutex_inits_;
  std::vector<Change> attribute_kinds_;
  std::map<LocId, LockKinds> given_;  // by all that may be of the location
  std::set<LocId> surely_;            // something is surely of the location
  std::unordered_map<ObjectId, std::vector<LocId>> initialised_;
  mutable std::unordered_map<LocId, LockKinds> known_;
};

}  // namespace heddle::deadlock
