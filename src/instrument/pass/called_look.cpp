#include "instrument/pass/called_look.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "base/inline_filter.h"
#include "instrument/pass/look.h"
#include "instrument/pass/watch.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

enum class Where { kFilterAndCells, kFilter };

std::string NameOf(Where where, SizedAccess access) {
  return (Twine(where == Where::kFilter ? "__heddle_filter_" : "__heddle_look_") +
          (access.aligned ? "" : "unaligned_") + (access.write ? "write" : "read") + Twine(access.bytes))
      .str();
}

// The runtime takes the return address for the place of the access, so nothing may be between it and the program.
void LeaveIntoRuntime(CallInst* slow, SizedAccess access) {
  CallSlow(slow, access);
  slow->setTailCallKind(CallInst::TCK_MustTail);
  Instruction* end = slow->getParent()->getTerminator();
  IRBuilder<>(end).CreateRetVoid();
  end->eraseFromParent();
}

BasicBlock* BlockWithCall(Function* function, CallInst* model, CallInst** call) {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "", function));
  *call = builder.CreateCall(model->getFunctionType(), model->getCalledOperand(), {function->getArg(0)});
  builder.CreateRetVoid();
  return (*call)->getParent();
}

void Fill(Function* function, CallInst* model, Where where, SizedAccess access) {
  BasicBlock* entry = BasicBlock::Create(function->getContext(), "", function);
  CallInst* filtered = nullptr;
  CallInst* other = nullptr;
  BasicBlock* filter = BlockWithCall(function, model, &filtered);
  BasicBlock* cells = BlockWithCall(function, model, &other);
  IRBuilder<> builder(entry);
  Value* watch = LoadWatch(builder);
  builder.CreateCondBr(builder.CreateICmpEQ(watch, builder.getInt8(kWatchFiltered)), filter, cells);
  LookIntoFilter(filtered, access);
  if (where == Where::kFilterAndCells) LookIntoCells(other, access, LoadRegions(cells));
  LeaveIntoRuntime(filtered, access);
  LeaveIntoRuntime(other, access);
}

Function* LookFunction(CallInst* model, Where where, SizedAccess access) {
  Module& module = *model->getModule();
  std::string name = NameOf(where, access);
  if (Function* known = module.getFunction(name)) return known;
  auto* function = Function::Create(model->getFunctionType(), GlobalValue::LinkOnceODRLinkage, name, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->setCallingConv(CallingConv::PreserveMost);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::NoInline);
  function->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  function->setUWTableKind(UWTableKind::Default);
  Fill(function, model, where, access);
  return function;
}

void CallInstead(CallInst* call, Where where, SizedAccess access) {
  call->setCalledFunction(LookFunction(call, where, access));
  call->setCallingConv(CallingConv::PreserveMost);
}

}  // namespace

void CallLook(CallInst* call, SizedAccess access) { CallInstead(call, Where::kFilterAndCells, access); }

void CallFilter(CallInst* call, SizedAccess access) { CallInstead(call, Where::kFilter, access); }

}  // namespace heddle::instrument
