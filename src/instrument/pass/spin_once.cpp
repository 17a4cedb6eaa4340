// In `__waiter_base::_S_do_spin` and `_S_do_spin_v`, a call of `__atomic_spin(predicate, __default_spin_policy)` gets a
// second way, which is taken when the runtime watches the program:
//
//   for 16 rounds:  __heddle_look_begins();  if predicate() return true;  if !__heddle_look_attempted() return false
//
// Which function the predicate is, the first call in the body of `__atomic_spin` tells. It is either a look, which
// calls nothing unknown and writes no atomic: one round then. Or it is a semaphore's, a look and a compare-and-swap: a
// swap that fails because another thread came between the two gets its next round, since it might succeed.
#include "instrument/pass/spin_once.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

constexpr unsigned kRounds = 16;  // libstdc++'s __atomic_spin_count

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

// What takes one from a semaphore: one look, and one swap whose success it returns.
bool IsAttempt(const Function& function) { return function.getName().contains("_S_do_try_acquire"); }

// Whether the function, with what it calls, does no more than look, or attempt.
bool OnlyLooks(Function& function, bool attempts, unsigned depth) {
  constexpr unsigned kDeepest = 8;
  if (function.isDeclaration()) return function.isIntrinsic() || function.getName() == "memcmp";
  if (depth == kDeepest) return false;
  attempts = attempts || IsAttempt(function);
  for (Instruction& instruction : instructions(function)) {
    if (isa<AtomicCmpXchgInst>(instruction) && !attempts) return false;
    if (isa<AtomicRMWInst>(instruction)) return false;
    auto* store = dyn_cast<StoreInst>(&instruction);
    if (store != nullptr && store->isAtomic()) return false;
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr) continue;
    Function* callee = call->getCalledFunction();
    if (callee == nullptr || !OnlyLooks(*callee, attempts, depth + 1)) return false;
  }
  return true;
}

CallInst* CallRuntime(IRBuilder<>& builder, const char* name, Type* result) {
  Module* module = builder.GetInsertBlock()->getModule();
  return builder.CreateCall(module->getOrInsertFunction(name, result));
}

// before: watched ? rounds : unwatched;  unwatched: the old call;  all come together behind it.
bool ReplaceSpin(CallInst& call) {
  Function* predicate = PredicateOf(*call.getCalledFunction());
  if (predicate == nullptr || !OnlyLooks(*predicate, false, 0)) return false;
  LLVMContext& context = call.getContext();
  Type* truth = call.getType();
  BasicBlock* before = call.getParent();
  BasicBlock* unwatched = SplitBlock(before, &call);
  BasicBlock* behind = SplitBlock(unwatched, call.getNextNode());
  auto* look = BasicBlock::Create(context, "look", before->getParent(), unwatched);
  auto* failed = BasicBlock::Create(context, "look.failed", before->getParent(), unwatched);

  IRBuilder<> builder(before->getTerminator());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  builder.CreateCondBr(CallRuntime(builder, "__heddle_watches_looks", builder.getInt1Ty()), look, unwatched);
  before->getTerminator()->eraseFromParent();

  builder.SetInsertPoint(look);
  PHINode* round = builder.CreatePHI(builder.getInt32Ty(), 2);
  CallRuntime(builder, "__heddle_look_begins", builder.getVoidTy());
  CallInst* met = builder.CreateCall(predicate, {call.getArgOperand(0)});
  met->setCallingConv(predicate->getCallingConv());
  builder.CreateCondBr(met, behind, failed);

  builder.SetInsertPoint(failed);
  Value* next = builder.CreateAdd(round, builder.getInt32(1));
  Value* attempted = CallRuntime(builder, "__heddle_look_attempted", builder.getInt1Ty());
  Value* more = builder.CreateAnd(attempted, builder.CreateICmpULT(next, builder.getInt32(kRounds)));
  builder.CreateCondBr(more, look, behind);
  round->addIncoming(builder.getInt32(0), before);
  round->addIncoming(next, failed);

  PHINode* result = PHINode::Create(truth, 3, "", behind->begin());
  call.replaceAllUsesWith(result);
  result->addIncoming(&call, unwatched);
  result->addIncoming(ConstantInt::getTrue(context), look);
  result->addIncoming(ConstantInt::getFalse(context), failed);
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
