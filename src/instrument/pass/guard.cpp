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

// A plain access of 1, 2, 4 or 8 aligned bytes; `bytes` is 0 for other calls.
struct PlainAccess {
  uint64_t bytes = 0;
  bool write = false;
};
PlainAccess ParsePlain(StringRef name) {
  PlainAccess access;
  if (!name.consume_front("__tsan_")) return access;
  access.write = name.consume_front("write");
  if (!access.write && !name.consume_front("read")) return access;
  if (name == "1" || name == "2" || name == "4" || name == "8") access.bytes = static_cast<uint64_t>(name[0] - '0');
  return access;
}

// What the runtime shows of detect mode: the shadow's table of regions, and the thread's slot and epoch, which are the
// first word of its hot block (src/runtime/detect/cell.h and shadow.h give the numbers below their meaning).
constexpr const char* kCellsName = "__heddle_cells";
constexpr const char* kHotName = "__heddle_hot";
constexpr uint64_t kRegionShift = 30;
constexpr uint64_t kRegions = uint64_t{1} << 17U;
constexpr uint64_t kByteBits = 0xFFFF;
constexpr uint8_t kWatchDetect = 2;

GlobalVariable* Import(Module& module, const char* name, Type* type, bool thread_local_storage) {
  if (GlobalVariable* known = module.getGlobalVariable(name)) return known;
  auto* variable = new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, name);
  if (thread_local_storage) variable->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  return variable;
}

// Whether the word's first cell says that this thread did the same in this epoch: UpdateWord's fast path.
Value* IsCovered(IRBuilder<>& builder, Module& module, Value* base, Value* address, const PlainAccess& access) {
  Type* word_type = builder.getInt64Ty();
  Value* word = builder.CreateLShr(builder.CreateAnd(address, (uint64_t{1} << kRegionShift) - 1), 3);
  LoadInst* cell = builder.CreateLoad(word_type, builder.CreateGEP(word_type, base, word));
  cell->setVolatile(true);  // others store to it; an atomic load would be instrumented by the compiler's own pass
  Value* segment =
      builder.CreateLoad(word_type, builder.CreateThreadLocalAddress(Import(module, kHotName, word_type, true)));
  Value* mask = builder.CreateShl(builder.getInt64((uint64_t{1} << access.bytes) - 1), builder.CreateAnd(address, 7));
  if (access.write) mask = builder.CreateOr(mask, builder.CreateShl(mask, 8));
  Value* differs = builder.CreateXor(cell, builder.CreateOr(segment, kByteBits));
  return builder.CreateICmpEQ(builder.CreateAnd(differs, builder.CreateOr(mask, ~kByteBits)), builder.getInt64(0));
}

// In detect mode the call is made only when the access is not covered yet. `then` ends the block with the call.
void AddFastPath(CallInst* call, Instruction* then, Value* watch, const PlainAccess& access) {
  Function* function = call->getFunction();
  Module& module = *function->getParent();
  LLVMContext& context = function->getContext();
  BasicBlock* after = then->getSuccessor(0);
  BasicBlock* before = call->getParent();
  BasicBlock* calls = before->splitBasicBlock(call, "heddle.call");
  BasicBlock* fast = BasicBlock::Create(context, "heddle.fast", function, calls);
  BasicBlock* look = BasicBlock::Create(context, "heddle.look", function, calls);
  before->getTerminator()->eraseFromParent();
  IRBuilder<> builder(before);
  builder.CreateCondBr(builder.CreateICmpEQ(watch, builder.getInt8(kWatchDetect)), fast, calls);
  builder.SetInsertPoint(fast);
  Type* pointer = PointerType::getUnqual(context);
  Value* address = builder.CreatePtrToInt(call->getArgOperand(0), builder.getInt64Ty());
  Value* table = builder.CreateLoad(pointer, Import(module, kCellsName, pointer, false));
  Value* region = builder.CreateAnd(builder.CreateLShr(address, kRegionShift), kRegions - 1);
  Value* base = builder.CreateLoad(pointer, builder.CreateGEP(pointer, table, region));
  builder.CreateCondBr(builder.CreateIsNull(base), calls, look);
  builder.SetInsertPoint(look);
  builder.CreateCondBr(IsCovered(builder, module, base, address, access), after, calls);
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
    PlainAccess access = ParsePlain(call->getCalledFunction()->getName());
    if (access.bytes != 0) AddFastPath(call, then, value, access);
  }
}

}  // namespace heddle::instrument
