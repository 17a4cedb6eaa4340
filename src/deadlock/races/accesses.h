// Accesses to memory with what is known where they happen: the raw material of the race analysis (races.h).
//
// Many occurrences of an instruction (contexts, states) say the same; an Access stands for all of them that agree in
// the location, the locks and the threads.
#pragma once

#include <llvm/IR/Dominators.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "deadlock/locksets/contexts.h"
#include "deadlock/races/guards.h"
#include "deadlock/races/own_elements.h"
#include "deadlock/races/sharing.h"

namespace heddle::deadlock {

// Who is there, what is surely held, and who may run beside. Interned: see AccessLog.
using MomentId = uint32_t;
struct Moment {
  std::set<OriginId> origins;
  std::vector<MustLock> must;
  std::set<OriginId> running;
  std::vector<MustLock> orders;  // what was handed over, or is not yet (locksets/handoffs.h)

  bool operator<(const Moment& other) const {
    return std::tie(origins, must, running, orders) < std::tie(other.origins, other.must, other.running, other.orders);
  }
};

// What an instruction does to memory; a copy does two of these.
struct MemoryUse {
  const llvm::Value* pointer = nullptr;
  int64_t bytes = 0;  // Locations::kUnbounded: not known
  bool writes = false;
  bool atomic = false;
  bool is_volatile = false;
};
std::vector<MemoryUse> UsesOf(const llvm::Instruction& instruction);

struct Access {
  const llvm::Instruction* at = nullptr;
  ContextId context = 0;  // one in which it happens
  LocId loc = kNoLoc;
  int64_t bytes = 0;
  bool writes = false;
  bool atomic = false;
  bool is_volatile = false;
  bool own = false;           // plainly the activation's or the thread's own variable: another's is another one
  bool many_targets = false;  // the pointer may point to many places
  bool fresh = false;         // nobody has got the address yet: not reported
  OwnElement element;         // of an array: another thread of the same kind accesses another one
  MomentId moment = 0;
  std::vector<Guard> guards;  // as distances from the access

  bool operator==(const Access&) const = default;
};

class AccessLog final : public AccessSink {
 public:
  // What they refer to must outlive the log.
  AccessLog(const Locksets& locksets, const Sharing& sharing, Guards& guards)
      : locksets_(locksets), sharing_(sharing), guards_(guards), elements_(locksets.facts(), locksets.join_loops()) {}

  void NewRound() override;
  void Note(ContextId context, const llvm::Instruction& at, StateId state, Evaluator& evaluator) override;
  // After the lockset stage: who is in each context is known only then.
  void Finish();

  // To memory that threads share, by object.
  const std::map<ObjectId, std::vector<Access>>& by_object() const { return by_object_; }
  const Moment& moment(MomentId id) const { return moments_[id]; }
  // Instructions that are reached at all; of these, those with a use that nothing is known about.
  const std::set<const llvm::Instruction*>& reached() const { return reached_; }
  const std::set<const llvm::Instruction*>& unknown() const { return unknown_; }
  // Those that may access memory which code outside of the program accesses too.
  const std::set<const llvm::Instruction*>& outside() const { return outside_; }

 private:
  struct Pending {
    Access access;
    StateId state = kNoState;
  };
  // The memory is fresh: nobody else has got its address yet.
  bool IsFresh(const llvm::Instruction& at, const llvm::Value* pointer);
  MomentId Intern(ContextId context, StateId state);

  const Locksets& locksets_;
  const Sharing& sharing_;
  Guards& guards_;
  OwnElements elements_;
  std::vector<Pending> pending_;
  std::map<ObjectId, std::vector<Access>> by_object_;
  std::vector<Moment> moments_;
  std::map<Moment, MomentId> moment_index_;
  std::map<std::pair<ContextId, StateId>, MomentId> known_moments_;
  std::set<const llvm::Instruction*> reached_, unknown_, outside_;
  std::map<const llvm::Function*, std::unique_ptr<llvm::DominatorTree>> dominators_;
  std::map<std::pair<const llvm::Value*, const llvm::Instruction*>, bool> fresh_;
};

}  // namespace heddle::deadlock
