#include "instrument/pass/watch.h"

#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/inline_filter.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

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
  constructor->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> builder(BasicBlock::Create(context, "", constructor));
  FunctionCallee registration =
      module.getOrInsertFunction(kRegisterName, builder.getVoidTy(), PointerType::getUnqual(context));
  builder.CreateCall(registration, {watch});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 0, constructor);
}

}  // namespace

GlobalVariable* WatchVariable(Module& module) {
  if (GlobalVariable* known = module.getGlobalVariable(kWatchName)) return known;
  Type* byte = Type::getInt8Ty(module.getContext());
  auto* watch = new GlobalVariable(module, byte, false, GlobalValue::LinkOnceODRLinkage,
                                   ConstantInt::get(byte, kWatchAll), kWatchName);
  watch->setVisibility(GlobalValue::HiddenVisibility);
  watch->setComdat(module.getOrInsertComdat(kWatchName));
  AddConstructor(module, watch);
  return watch;
}

Value* LoadWatch(IRBuilder<>& builder) {
  GlobalVariable* watch = WatchVariable(*builder.GetInsertBlock()->getModule());
  LoadInst* value = builder.CreateLoad(builder.getInt8Ty(), watch);
  value->setVolatile(true);
  return value;
}

}  // namespace heddle::instrument
