#include "instrument/pass/unused_results.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "wire/result_hint.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// Updates that commute with others of their kind.
bool IsUpdate(StringRef name) {
  if (!name.consume_front("__tsan_atomic")) return false;
  for (StringRef operation : {"_fetch_add", "_fetch_sub", "_fetch_and", "_fetch_or", "_fetch_xor"}) {
    if (name.ends_with(operation)) return true;
  }
  return false;
}

void MarkOrder(CallBase& call) {
  constexpr unsigned kOrder = 2;
  auto* order = dyn_cast<ConstantInt>(call.getArgOperand(kOrder));
  if (order == nullptr) return;
  uint64_t marked = order->getZExtValue() | static_cast<uint64_t>(wire::kResultUnused);
  call.setArgOperand(kOrder, ConstantInt::get(order->getType(), marked));
}

}  // namespace

void TellUnusedResults(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    Function* callee = call == nullptr || !call->use_empty() ? nullptr : call->getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration()) continue;
    if (IsUpdate(callee->getName()) && call->arg_size() == 3) MarkOrder(*call);
    if (callee->getName() != "pthread_barrier_wait" || call->arg_size() != 1) continue;
    call->setCalledFunction(
        function.getParent()->getOrInsertFunction("__heddle_barrier_wait", callee->getFunctionType()));
  }
}

}  // namespace heddle::instrument
