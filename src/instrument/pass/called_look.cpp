#include "instrument/pass/called_look.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "base/inline_filter.h"
#include "instrument/pass/look.h"
#include "instrument/pass/watch.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

enum class Where { kFilterAndCells, kTwoCells };

std::string NameOf(Where where, SizedAccess access) {
  return (Twine(where == Where::kTwoCells ? "__heddle_two_" : "__heddle_look_") + (access.aligned ? "" : "unaligned_") +
          (access.write ? "write" : "read") + Twine(access.bytes))
      .str();
}

// The last thing that a look does. The runtime takes the return address for the place of the access, so nothing may be
// between it and the program.
void LeaveInto(void (*callee)(CallInst*, SizedAccess), CallInst* call, SizedAccess access) {
  callee(call, access);
  call->setTailCallKind(CallInst::TCK_MustTail);
  Instruction* end = call->getParent()->getTerminator();
  IRBuilder<>(end).CreateRetVoid();
  end->eraseFromParent();
}

BasicBlock* BlockWithCall(Function* function, CallInst* model, CallInst** call) {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "", function));
  *call = builder.CreateCall(model->getFunctionType(), model->getCalledOperand(), {function->getArg(0)});
  builder.CreateRetVoid();
  return (*call)->getParent();
}

void FillTwoCells(Function* function, CallInst* model, SizedAccess access) {
  CallInst* call = nullptr;
  BasicBlock* block = BlockWithCall(function, model, &call);
  LookIntoTwoCells(call, access, LoadRegions(block));
  LeaveInto(CallSlow, call, access);
}

void Fill(Function* function, CallInst* model, Where where, SizedAccess access) {
  if (where == Where::kTwoCells) return FillTwoCells(function, model, access);
  BasicBlock* entry = BasicBlock::Create(function->getContext(), "", function);
  CallInst* filtered = nullptr;
  CallInst* other = nullptr;
  BasicBlock* filter = BlockWithCall(function, model, &filtered);
  BasicBlock* cells = BlockWithCall(function, model, &other);
  IRBuilder<> builder(entry);
  Value* watch = LoadWatch(builder);
  builder.CreateCondBr(builder.CreateICmpEQ(watch, builder.getInt8(kWatchFiltered)), filter, cells);
  LookIntoFilter(filtered, access);
  LookIntoTwoCells(other, access, LoadRegions(cells));
  LeaveInto(CallSlow, filtered, access);
  LeaveInto(CallSlow, other, access);
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

void CallTwoCells(CallInst* call, SizedAccess access) { CallInstead(call, Where::kTwoCells, access); }

}  // namespace heddle::instrument
