// One pass over the function of a context: from its entry state to its exit states, with what the callees' contexts say
// so far.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>

#include "deadlock/locksets/contexts.h"

namespace heddle::deadlock {

class ContextRun {
 public:
  ContextRun(Locksets& all, ContextId id);

  void Run();
  StateId exit() const { return exit_; }
  StateId unwind() const { return unwind_; }

 private:
  // How a call leaves: at its return, or by an exception. kNoState: not at all.
  struct Outcome {
    StateId normal = kNoState;
    StateId unwind = kNoState;
  };

  void RunBlock(const llvm::BasicBlock* block);
  // Instructions from `first` up to `end` are reached in this state.
  void Passes(const llvm::Instruction* first, const llvm::Instruction* end, StateId state);
  // The numbers of suspend points that they store.
  StateId Suspends(const llvm::Instruction* first, const llvm::Instruction* end, StateId state);
  // Whether the coroutine stands at a point for which the branch does not go there.
  bool StandsElsewhere(const llvm::Instruction& terminator, unsigned successor, StateId state);
  void Released(const LocSet& locks, StateId state);
  // As Passes, and what is handed over there (handoffs.h); the state behind it.
  StateId Goes(const llvm::Instruction* first, const llvm::Instruction* end, StateId state);
  StateId HandsOver(const llvm::Instruction& at, StateId state);
  void Knows(const llvm::CallBase* ended, State* state) const;
  void Leave(const llvm::Instruction& terminator, StateId state);
  void Flow(const llvm::BasicBlock* from, const llvm::BasicBlock* to, StateId state);
  StateId Refined(const llvm::Instruction& terminator, unsigned successor, StateId state);
  bool Fails(const llvm::Value& condition, bool outcome);
  // On an edge on which a static object is seen to be made: what was done to make it is done.
  StateId Made(const llvm::Value& condition, bool outcome, StateId state);
  // The state on the edge on which a setjmp has returned zero, which no jump makes it do; kNoState: it is no such edge.
  StateId BeforeJumps(const llvm::Instruction& terminator, const llvm::Value& condition, bool outcome);
  Outcome Either(const Outcome& a, const Outcome& b) const;
  Outcome Apply(const llvm::CallBase& call, StateId before);
  Outcome ApplyPrimitive(const llvm::CallBase& call, const CallMeaning& meaning, StateId before);
  Outcome CallAll(const llvm::CallBase& call, const std::vector<llvm::Function*>& callees, bool bind, StateId before);
  Outcome CallOne(const llvm::CallBase& call, llvm::Function* callee, bool bind, StateId before);
  State EntryState(const llvm::CallBase& call, const llvm::Function* callee, bool bind, const State& before) const;
  StateId ExitState(const llvm::CallBase& call, const Context& callee, const State& before, StateId exit,
                    bool normal) const;
  std::vector<llvm::Function*> Targets(const llvm::CallBase& call, const CallMeaning& meaning);
  void Create(const llvm::CallBase& call, const CallMeaning& meaning, State* state);
  void Join(const llvm::CallBase& call, const Primitive& primitive, StateId before, State* state);
  void Jump(StateId from);
  void Gone(const llvm::CallBase& call, const Primitive& primitive, State* state);
  LocSet Operand(const llvm::CallBase& call, const Primitive& primitive);
  void Record(const llvm::CallBase& call, StateId before, const LocSet& locks, Mode mode, WaitKind kind, Symbol symbol);
  void End(const llvm::Instruction& at, StateId state);
  LocSet OnlyPassed(LocSet set, const llvm::Value& parameter) const;
  std::vector<Binding> Bind(const llvm::CallBase& call, const llvm::Function* callee);

  Locksets& all_;
  ContextId id_;
  const llvm::Function* function_;
  const Context& context_;
  Evaluator evaluator_;
  llvm::DenseMap<const llvm::BasicBlock*, StateId> in_;
  std::vector<const llvm::BasicBlock*> work_;
  llvm::MapVector<const llvm::Instruction*, StateId>
      accesses_;                                           // for the sink; blocks are passed until nothing changes
  llvm::DenseMap<const llvm::CallBase*, StateId> direct_;  // a setjmp: the state when it returns for the first time
  StateId exit_ = kNoState, unwind_ = kNoState;
};

}  // namespace heddle::deadlock
