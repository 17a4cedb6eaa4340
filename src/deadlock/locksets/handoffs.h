// Variables by which one thread tells others that something is done: semaphores that begin at 0, flags, latches,
// barriers, results of promises. For races only.
//
// A thread that has passed such a wait knows that the release has happened, and what the releasing thread did before it
// is ordered before what the waiting thread does from there on. It is written with must-locks: every thread holds the
// variable for writing from its start until it may have released it, and who has passed the wait holds it for reading
// for ever. Two accesses with these two are ordered (Races::Protected). That is only believed if
//
//   kAny    a flag, a semaphore, a promise: one release is enough to pass. All releases are by one thread that runs
//           once, so what is before its first release is before all of them.
//   kAll    a latch: all of its `count` releases are needed. There are no more than that, each happens at most once.
//   kRound  a barrier for `count` threads: no more than that use it, each of which runs once.
//
// and the access under the "write lock" is by one of the releasing threads alone (Believed). A flag may be a plain
// variable: then no access to it may race, and it is the lock around it that orders (Races).
//
// The end of a thread that is created once is such a variable too: the thread holds it, who has joined it knows.
//
// A semaphore that begins at 1 is a lock, if only who has it gives it back (Locksets::FindBrokenLocks).
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "deadlock/input/handoff_names.h"
#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/state.h"

namespace llvm {
class LoadInst;
}  // namespace llvm

namespace heddle::deadlock {

// How an instruction changes a variable of this kind.
enum class HandoffStep : uint8_t {
  kRelease,
  kAcquire,  // a wait: when it is over, the release has happened
  kMeet,     // both, in this order
  kTake,     // of a lock
  kGive,
};

struct Handoff {
  HandoffKind kind = HandoffKind::kAny;
  int64_t count = 1;
  int64_t initial = 0;  // of a flag
  std::vector<const llvm::Instruction*> releases;
  std::vector<const llvm::Instruction*> plain;  // accesses that are not atomic, and must not race
};

struct HandoffEvent {
  HandoffStep step;
  const llvm::Value* variable = nullptr;  // its address
  std::vector<LocId> tokens;              // for releases: what may be meant
};

class Handoffs {
 public:
  // Whether the memory of an object may be written by code outside of the program.
  using Touched = std::function<bool(ObjectId)>;
  Handoffs(const llvm::Module& module, const Facts& facts, const Touched& touched);

  const std::map<LocId, Handoff>& all() const { return all_; }
  bool Has(LocId loc) const { return all_.count(loc) != 0; }
  // Instructions of the block at which something happens, in order.
  const std::vector<const llvm::Instruction*>& In(const llvm::BasicBlock* block) const;
  const HandoffEvent& At(const llvm::Instruction* instruction) const { return events_.at(instruction); }
  bool IsEvent(const llvm::Instruction* instruction) const { return events_.count(instruction) != 0; }
  // The flag that was read and did not have its first value, if the condition has this outcome; kNoLoc: none is known.
  LocId SeenOn(const llvm::Value& condition, bool outcome) const;

 private:
  void FindNamed(const llvm::Module& module);
  void FindFlags(const llvm::Module& module);
  void FindWrites(const llvm::Module& module);
  std::optional<int64_t> MadeWith(const llvm::Module& module, LocId loc) const;
  std::optional<int64_t> NumberAt(LocId loc, unsigned bits) const;
  LocId Only(const llvm::Value* address) const;

  const Facts& facts_;
  Touched touched_;
  std::map<LocId, Handoff> all_;
  std::map<LocId, int64_t> flags_;  // candidates, with their size in bytes
  std::map<LocId, unsigned> bits_;
  std::map<const llvm::Instruction*, HandoffEvent> events_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<const llvm::Instruction*>> in_;
  std::map<const llvm::LoadInst*, LocId> seen_;
};

}  // namespace heddle::deadlock
