// In `__waiter_base::_S_do_spin` and `_S_do_spin_v`, a call of `__atomic_spin(predicate, __default_spin_policy)`
// becomes a call of the predicate. Which function that is, the first call in the body of `__atomic_spin` tells.
//
// Only when the predicate is a look: it calls nothing unknown and has no read-modify-write. That of a semaphore is a
// load and a compare-and-swap; one that fails because another thread came between the two would have succeeded at the
// next look, so 16 of them are not one.
#include "instrument/pass/spin_once.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

bool IsWait(const Function& function) {
  StringRef name = function.getName();
  return name.contains("8__detail13__waiter_base") && name.contains("_S_do_spin");
}

bool IsSpin(const Function* function) {
  if (function == nullptr || function->isDeclaration() || function->arg_size() == 0) return false;
  StringRef name = function->getName();
  return name.contains("St8__detail13__atomic_spin") && name.contains("21__default_spin_policy");
}

// The predicate's operator(): it takes the predicate alone and says yes or no.
Function* PredicateOf(Function& spin) {
  for (Instruction& instruction : instructions(spin)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || callee->isIntrinsic()) continue;
    bool fits = callee->arg_size() == 1 && callee->getReturnType() == spin.getReturnType() &&
                callee->getName().contains("clEv");
    return fits ? callee : nullptr;
  }
  return nullptr;
}

// Whether the function, with what it calls, does no more than look.
bool OnlyLooks(Function& function, unsigned depth) {
  constexpr unsigned kDeepest = 8;
  if (function.isDeclaration()) return function.isIntrinsic() || function.getName() == "memcmp";
  if (depth == kDeepest) return false;
  for (Instruction& instruction : instructions(function)) {
    if (isa<AtomicCmpXchgInst>(instruction) || isa<AtomicRMWInst>(instruction)) return false;
    auto* store = dyn_cast<StoreInst>(&instruction);
    if (store != nullptr && store->isAtomic()) return false;
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr) continue;
    Function* callee = call->getCalledFunction();
    if (callee == nullptr || !OnlyLooks(*callee, depth + 1)) return false;
  }
  return true;
}

bool ReplaceSpin(CallInst& call) {
  Function* predicate = PredicateOf(*call.getCalledFunction());
  if (predicate == nullptr || !OnlyLooks(*predicate, 0)) return false;
  IRBuilder<> builder(&call);
  CallInst* look = builder.CreateCall(predicate, {call.getArgOperand(0)});
  look->setCallingConv(predicate->getCallingConv());
  look->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(look);
  call.eraseFromParent();
  return true;
}

}  // namespace

bool SpinOnce(Module& module) {
  SmallVector<CallInst*, 8> spins;
  for (Function& function : module) {
    if (function.isDeclaration() || !IsWait(function)) continue;
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (call != nullptr && IsSpin(call->getCalledFunction())) spins.push_back(call);
    }
  }
  bool changed = false;
  for (CallInst* call : spins) changed = ReplaceSpin(*call) || changed;
  return changed;
}

}  // namespace heddle::instrument
