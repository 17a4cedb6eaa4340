// What the lockset stage asks about calls, locks and functions, from the pointer analysis and the code.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "deadlock/locksets/mutex_kinds.h"
#include "deadlock/pointers/points_to.h"

namespace llvm {
class BasicBlock;
class Instruction;
}  // namespace llvm

namespace heddle::deadlock {

// What a call does besides computing. A call through a pointer may have several meanings, of which one comes true.
struct CallMeaning {
  const Primitive* primitive = nullptr;    // of the external function that is called, if it matters
  std::vector<const Primitive*> others;    // of the other ones that a pointer may reach
  std::vector<llvm::Function*> callees;    // with a body, called in this thread
  std::vector<llvm::Function*> callbacks;  // with a body, called in this thread by an external function
  std::vector<llvm::Function*> starts;     // run in a new thread
  bool may_do_nothing = false;             // it may reach an external function that leaves everything as it is
};

class Facts {
 public:
  // `everything`: the lockset stage goes into every function, not only into those that lock or create threads.
  // `accessed`: parameters through which memory is accessed are relevant too.
  Facts(llvm::Module& module, const Primitives& primitives, PointsTo& points, bool is_library, bool everything = false,
        bool accessed = false);

  const CallMeaning& Meaning(const llvm::CallBase& call) const;
  // Its place among the calls of the program, from 1.
  uint32_t OrderOf(const llvm::CallBase& call) const { return order_.lookup(&call); }
  // Whether the function can reach an operation that the lockset stage must see.
  bool Matters(const llvm::Function* function) const { return matters_.count(function) != 0; }
  bool CallMatters(const llvm::CallBase& call) const;
  // Whether the instruction happens at most once in a run of the program.
  bool HappensOnce(const llvm::Instruction& instruction) const;
  bool InCycle(const llvm::BasicBlock* block) const { return in_cycle_.count(block) != 0; }
  // Whether one concrete object is behind the location at any time.
  bool Single(LocId loc) const;
  // Whether the operand of this lock operation may be there: not in a variable that is declared as something else.
  bool CanBeLock(LocId loc, const llvm::CallBase& call) const;
  // Of a large set, only what is declared or initialised as a lock somewhere: C programs only, where using a mutex that
  // never was is undefined.
  LocSet WithoutStrangers(LocSet set, const llvm::CallBase& call) const;
  LockKinds Kinds(LocId loc) const { return kinds_->Of(loc); }
  // Whether the operation is one that its holder may repeat, whatever the memory of the lock says.
  bool RecursiveOperation(const llvm::CallBase& call) const;
  // Whether the call locks or unlocks a mutex, and returns an error only if that is not a normal one.
  bool CannotFail(const llvm::CallBase& call) const;
  // Whether the handler is installed for more than one signal, as far as is known.
  bool HandlesSeveral(const llvm::Function* handler) const;
  // Parameters whose value can reach a lock, a thread handle or a called pointer.
  const std::vector<unsigned>& RelevantParameters(const llvm::Function* function) const;
  // pthread_cleanup_push was compiled to a setjmp, to which the end of the thread jumps.
  bool cleanup_by_jump() const { return module_.getFunction("__pthread_register_cancel") != nullptr; }
  // The program ends threads by pthread_exit or the like.
  bool ends_by_unwinding() const { return ends_by_unwinding_; }
  // Calls through pointers of which nothing is known: of what nobody has set, or of what was not followed.
  const std::vector<const llvm::CallBase*>& unknown_calls() const { return unknown_calls_; }
  // Functions that are entered from outside: main, or every exported one of a library.
  const std::vector<llvm::Function*>& entries() const { return entries_; }
  // Constructors of global objects: they run before main, in its thread.
  const std::vector<llvm::Function*>& constructors() const { return constructors_; }
  PointsTo& points() const { return points_; }
  const Primitives& primitives() const { return primitives_; }

 private:
  CallMeaning MakeMeaning(const llvm::CallBase& call);
  bool MayRunKept(const llvm::Function& callee, const Primitive* primitive) const;
  std::vector<llvm::Function*> CalledBack(const llvm::CallBase& call, const Primitive& primitive);
  void FindConstructors();
  void FindCycles();
  void FindMatters();
  void FindOnce(bool is_library);
  void FindRelevantParameters();
  void TraceBack(const llvm::Value* value, std::unordered_set<const llvm::Value*>* seen,
                 std::set<unsigned>* parameters) const;

  llvm::Module& module_;
  const Primitives& primitives_;
  PointsTo& points_;
  std::unordered_map<const llvm::CallBase*, CallMeaning> meanings_;
  llvm::DenseMap<const llvm::CallBase*, uint32_t> order_;
  std::unordered_set<const llvm::Function*> matters_, once_;
  std::unordered_set<const llvm::BasicBlock*> in_cycle_;
  std::unordered_map<const llvm::Function*, std::vector<unsigned>> parameters_;
  std::unique_ptr<MutexKinds> kinds_;
  bool only_c_ = false;
  bool accessed_ = false;
  bool ends_by_unwinding_ = false;
  bool special_mutexes_ = false;  // robust ones, or with a priority protocol: locking them can fail
  std::vector<llvm::Function*> entries_, constructors_;
  std::vector<const llvm::CallBase*> signal_calls_;  // that install handlers
  std::vector<const llvm::CallBase*> unknown_calls_;
  CallMeaning nothing_;
};

}  // namespace heddle::deadlock
