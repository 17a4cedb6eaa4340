#include "instrument/pass/guard.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// One byte for each executable or shared library: nonzero while accesses are watched. The runtime sets it when the
// module registers; until then it is 1, and the calls find out by themselves.
constexpr const char* kWatchName = "__heddle_watch";
constexpr const char* kRegisterName = "__heddle_register_module";
constexpr const char* kConstructorName = "heddle.module_ctor";

void AddConstructor(Module& module, GlobalVariable* watch) {
  LLVMContext& context = module.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), false);
  auto* constructor = Function::Create(type, GlobalValue::LinkOnceODRLinkage, kConstructorName, module);
  constructor->setVisibility(GlobalValue::HiddenVisibility);
  constructor->setComdat(module.getOrInsertComdat(kConstructorName));
  constructor->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "", constructor));
  FunctionCallee registration =
      module.getOrInsertFunction(kRegisterName, builder.getVoidTy(), PointerType::getUnqual(context));
  builder.CreateCall(registration, {watch});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 0, constructor);
}

GlobalVariable* WatchVariable(Module& module) {
  if (GlobalVariable* known = module.getGlobalVariable(kWatchName)) return known;
  Type* byte = Type::getInt8Ty(module.getContext());
  auto* watch =
      new GlobalVariable(module, byte, false, GlobalValue::LinkOnceODRLinkage, ConstantInt::get(byte, 1), kWatchName);
  watch->setVisibility(GlobalValue::HiddenVisibility);
  watch->setComdat(module.getOrInsertComdat(kWatchName));
  AddConstructor(module, watch);
  return watch;
}

// Plain accesses and function entry and exit; atomics and memory functions do their work in the runtime.
bool IsGuarded(StringRef name) {
  if (!name.consume_front("__tsan_")) return false;
  name.consume_front("unaligned_");
  name.consume_front("volatile_");
  return name.starts_with("read") || name.starts_with("write") || name.starts_with("func_") ||
         name.starts_with("vptr_");
}

}  // namespace

void GuardAccesses(Function& function) {
  SmallVector<CallInst*, 64> calls;
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (IsGuarded(call->getCalledFunction()->getName())) calls.push_back(call);
  }
  if (calls.empty()) return;
  GlobalVariable* watch = WatchVariable(*function.getParent());
  MDNode* rarely = MDBuilder(function.getContext()).createBranchWeights(1, 100000);
  for (CallInst* call : calls) {
    IRBuilder<> builder(call);
    LoadInst* value = builder.CreateLoad(builder.getInt8Ty(), watch);
    // The runtime may change it at any time; it must not be kept over calls or hoisted out of loops.
    value->setVolatile(true);
    Value* watched = builder.CreateICmpNE(value, builder.getInt8(0));
    Instruction* then = SplitBlockAndInsertIfThen(watched, call->getIterator(), false, rarely);
    call->moveBefore(then);
  }
}

}  // namespace heddle::instrument
