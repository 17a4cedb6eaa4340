// Acquired: an exchange of a number other than 0, or a compare-exchange of 0 for one, with acquire order, in a loop
// that it leaves when 0 was there. On that edge, a call of heddle_spin_lock(address) is put. Released: 0 is stored with
// release order in a variable of which some loop acquires. Before it comes heddle_spin_unlock(address).
//
// That a variable has this shape does not make it a lock: see Locksets::FindBrokenLocks for what races rest on.
#include "deadlock/input/spin_locks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "deadlock/locksets/transfer.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::Function;

bool IsZero(const llvm::Value* value) {
  if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
    return std::all_of(phi->incoming_values().begin(), phi->incoming_values().end(), [](const llvm::Use& incoming) {
      const auto* number = dyn_cast<llvm::ConstantInt>(incoming.get());
      return number != nullptr && number->isZero();
    });
  }
  const auto* number = dyn_cast<llvm::ConstantInt>(value);
  return number != nullptr && number->isZero();
}
bool IsOther(const llvm::Value* value) {
  const auto* number = dyn_cast<llvm::ConstantInt>(value);
  return number != nullptr && !number->isZero();
}

// The value that says whether it was got, and whether by being nonzero.
struct Attempt {
  llvm::Instruction* at = nullptr;
  llvm::Value* address = nullptr;
  const llvm::Value* outcome = nullptr;
  bool when_nonzero = false;
};

std::vector<Attempt> AttemptsAt(llvm::Instruction& at) {
  std::vector<Attempt> found;
  if (auto* exchange = dyn_cast<llvm::AtomicRMWInst>(&at)) {
    bool meant = exchange->getOperation() == llvm::AtomicRMWInst::Xchg && IsOther(exchange->getValOperand()) &&
                 llvm::isAcquireOrStronger(exchange->getOrdering());
    if (!meant) return found;
    found.push_back({exchange, exchange->getPointerOperand(), exchange, false});
    // Of a bool, which is 0 or 1.
    for (const llvm::User* user : exchange->users()) {
      if (llvm::isa<llvm::TruncInst>(user) && user->getType()->isIntegerTy(1))
        found.push_back({exchange, exchange->getPointerOperand(), user, false});
    }
  } else if (auto* compare = dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
    bool meant = IsZero(compare->getCompareOperand()) && IsOther(compare->getNewValOperand()) &&
                 llvm::isAcquireOrStronger(compare->getSuccessOrdering());
    for (const llvm::User* user : compare->users()) {
      const auto* part = dyn_cast<llvm::ExtractValueInst>(user);
      if (!meant || part == nullptr || part->getNumIndices() != 1) continue;
      bool succeeded = part->getIndices()[0] == 1;
      // A weak one may fail although 0 was there.
      if (succeeded || !compare->isWeak()) found.push_back({compare, compare->getPointerOperand(), part, succeeded});
    }
  }
  return found;
}

class SpinLocks {
 public:
  explicit SpinLocks(llvm::Module& module) : module_(module) {}

  void Run() {
    for (Function& function : module_) {
      if (!function.isDeclaration()) FindAcquired(function);
    }
    if (acquired_.empty()) return;
    for (Function& function : module_) FindReleased(function);
    for (const auto& [edge, attempt] : acquired_) ShowAcquired(edge.first, edge.second, attempt);
    for (llvm::Instruction* at : released_) {
      Call(kSpinUnlock, at, at->getOperand(llvm::isa<llvm::StoreInst>(at) ? 1 : 0), at->getDebugLoc());
      Mark(at);
    }
  }

 private:
  using Edge = std::pair<llvm::BranchInst*, unsigned>;

  void FindAcquired(Function& function) {
    std::vector<Attempt> attempts;
    for (llvm::Instruction& at : llvm::instructions(function)) {
      for (const Attempt& attempt : AttemptsAt(at)) attempts.push_back(attempt);
    }
    if (attempts.empty()) return;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (const Attempt& attempt : attempts) {
      const llvm::Loop* loop = loops.getLoopFor(attempt.at->getParent());
      if (loop == nullptr) continue;
      auto* branch = dyn_cast<llvm::BranchInst>(attempt.at->getParent()->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      std::optional<bool> is = Tests(branch->getCondition(), attempt.outcome);
      if (!is) continue;
      unsigned got = (*is == attempt.when_nonzero) ? 0 : 1;
      if (loop->contains(branch->getSuccessor(got)) || !loop->contains(branch->getSuccessor(1 - got))) continue;
      acquired_.push_back({{branch, got}, attempt});
      types_.push_back(attempt.at->getOperand(1)->getType());
    }
  }

  // Stores of 0; which of them release such a lock is for the pointer analysis to say. Of its type, at least.
  void FindReleased(Function& function) {
    for (llvm::Instruction& at : llvm::instructions(function)) {
      const llvm::Value* value = nullptr;
      if (auto* store = dyn_cast<llvm::StoreInst>(&at)) {
        if (llvm::isReleaseOrStronger(store->getOrdering())) value = store->getValueOperand();
      } else if (auto* change = dyn_cast<llvm::AtomicRMWInst>(&at)) {
        bool exchanges = change->getOperation() == llvm::AtomicRMWInst::Xchg;
        if (exchanges && llvm::isReleaseOrStronger(change->getOrdering())) value = change->getValOperand();
      }
      bool typed = value != nullptr && IsZero(value) &&
                   std::find(types_.begin(), types_.end(), value->getType()) != types_.end();
      if (typed) released_.push_back(&at);
    }
  }

  void Mark(llvm::Instruction* at) { at->setMetadata(kSpinAccess, llvm::MDNode::get(module_.getContext(), {})); }

  void Call(const char* name, llvm::Instruction* before, llvm::Value* address, const llvm::DebugLoc& at) {
    llvm::IRBuilder<> builder(before);
    llvm::FunctionCallee callee = module_.getOrInsertFunction(name, builder.getVoidTy(), builder.getPtrTy());
    llvm::cast<Function>(callee.getCallee())->setDoesNotThrow();
    llvm::CallInst* call = builder.CreateCall(callee, {address});
    call->setDoesNotThrow();
    call->setDebugLoc(at);
  }

  void ShowAcquired(llvm::BranchInst* branch, unsigned successor, const Attempt& attempt) {
    llvm::BasicBlock* between = llvm::SplitEdge(branch->getParent(), branch->getSuccessor(successor));
    Call(kSpinLock, &*between->getFirstInsertionPt(), attempt.address, attempt.at->getDebugLoc());
    Mark(attempt.at);
  }

  llvm::Module& module_;
  std::vector<std::pair<Edge, Attempt>> acquired_;
  std::vector<llvm::Instruction*> released_;
  std::vector<llvm::Type*> types_;
};

}  // namespace

void ShowSpinLocks(llvm::Module& module) { SpinLocks(module).Run(); }

}  // namespace heddle::deadlock
