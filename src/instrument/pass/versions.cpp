#include "instrument/pass/versions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <vector>

#include "base/inline_filter.h"
#include "instrument/pass/calls.h"
#include "instrument/pass/look.h"
#include "instrument/pass/marks.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// One byte for each executable or shared library. The runtime sets it when the module registers; until then every
// access calls the runtime.
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

// Blocks whose address the program holds exist once.
bool CanBeCloned(const Function& function) {
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()) || isa<CallBrInst>(block.getTerminator()))
      return false;
  }
  return true;
}

using Body = std::vector<BasicBlock*>;  // the first is where it begins

Body Copy(const Body& body, const Twine& suffix) {
  ValueToValueMapTy map;
  Body copy;
  Function* function = body.front()->getParent();
  for (BasicBlock* block : body) {
    copy.push_back(CloneBasicBlock(block, map, suffix, function));
    map[block] = copy.back();
  }
  RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (BasicBlock* block : copy) {
    for (Instruction& instruction : *block) {
      RemapInstruction(&instruction, map, flags);
      RemapDbgRecordRange(function->getParent(), instruction.getDbgRecordRange(), map, flags);
    }
  }
  return copy;
}

SmallVector<CallInst*, 64> WatchedCallsOf(const Body& body) {
  SmallVector<CallInst*, 64> calls;
  for (BasicBlock* block : body) {
    for (CallInst* call : WatchedCalls(make_range(block->getIterator(), std::next(block->getIterator())))) {
      calls.push_back(call);
    }
  }
  return calls;
}

void DropCalls(const Body& body) {
  for (CallInst* call : WatchedCallsOf(body)) {
    auto* argument = call->arg_empty() ? nullptr : dyn_cast<CallInst>(call->getArgOperand(0));
    call->eraseFromParent();
    // The return address that __tsan_func_entry was given.
    if (argument != nullptr && argument->use_empty() && argument->getIntrinsicID() == Intrinsic::returnaddress) {
      argument->eraseFromParent();
    }
  }
}

template <typename Look>
void AddLooks(const Body& body, Look look) {
  for (CallInst* call : WatchedCallsOf(body)) {
    SizedAccess access = AsSizedAccess(call->getCalledFunction()->getName());
    if (access.bytes != 0) look(call, access);
  }
}

void DropMarks(const Body& body) {
  for (CallInst* call : WatchedCallsOf(body)) {
    if (IsMark(call->getCalledFunction()->getName())) call->eraseFromParent();
  }
}

// All that are left.
void GuardMarks(Function& function) {
  SmallVector<CallInst*, 16> marks;
  for (CallInst* call : WatchedCalls(make_range(function.begin(), function.end()))) {
    if (IsMark(call->getCalledFunction()->getName())) marks.push_back(call);
  }
  for (CallInst* mark : marks) GuardMark(mark);
}

// A new entry block with the function's fixed stack variables, which all bodies share.
BasicBlock* NewEntry(Function& function, BasicBlock* old) {
  BasicBlock* entry = BasicBlock::Create(function.getContext(), "", &function, old);
  for (Instruction& instruction : make_early_inc_range(*old)) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (variable != nullptr && isa<ConstantInt>(variable->getArraySize())) variable->moveBefore(*entry, entry->end());
  }
  return entry;
}

}  // namespace

void SplitVersions(Function& function) {
  if (WatchedCalls(make_range(function.begin(), function.end())).empty()) return;
  GlobalVariable* watch = WatchVariable(*function.getParent());
  if (!CanBeCloned(function)) return;  // its calls find out by themselves
  BasicBlock* old = &function.getEntryBlock();
  BasicBlock* entry = NewEntry(function, old);
  Body cells;
  for (BasicBlock& block : function) {
    if (&block != entry) cells.push_back(&block);
  }
  Body filter = Copy(cells, ".filter");
  Body plain = Copy(cells, ".plain");
  IRBuilder<> builder(entry);
  LoadInst* value = builder.CreateLoad(builder.getInt8Ty(), watch);
  value->setVolatile(true);
  // Everything that is not one of the two others: with no regions at hand the look into the cells always calls.
  SwitchInst* choice = builder.CreateSwitch(value, cells.front(), 2);
  choice->addCase(builder.getInt8(kWatchNothing), plain.front());
  choice->addCase(builder.getInt8(kWatchFiltered), filter.front());
  DropCalls(plain);
  DropMarks(filter);
  AddLooks(filter, LookIntoFilter);
  Value* regions = nullptr;
  AddLooks(cells, [&](CallInst* call, SizedAccess access) {
    if (regions == nullptr) regions = LoadRegions(cells.front());
    LookIntoCells(call, access, regions);
  });
  GuardMarks(function);
}

}  // namespace heddle::instrument
