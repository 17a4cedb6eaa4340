#include "instrument/pass/guard.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/inline_filter.h"

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
  auto* watch = new GlobalVariable(module, byte, false, GlobalValue::LinkOnceODRLinkage,
                                   ConstantInt::get(byte, kWatchAll), kWatchName);
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

// The bytes of an access that may be answered inline: aligned ones that lie in one word. 0: none.
unsigned InlineBytes(StringRef name, bool* write) {
  name.consume_front("__tsan_");
  name.consume_front("volatile_");
  *write = name.consume_front("write");
  if (!*write && !name.consume_front("read")) return 0;
  unsigned bytes = 0;
  return !name.getAsInteger(10, bytes) && bytes <= 8 ? bytes : 0;
}

GlobalVariable* SegmentVariable(Module& module) {
  constexpr const char* kName = "__heddle_segment";
  if (GlobalVariable* known = module.getGlobalVariable(kName)) return known;
  return new GlobalVariable(module, Type::getInt64Ty(module.getContext()), false, GlobalValue::ExternalLinkage, nullptr,
                            kName, nullptr, GlobalVariable::InitialExecTLSModel);
}

// Whether the thread's segment lacks some byte of the access: FilterEntry, FilterTag and FilterMissing of
// runtime/record/filter.h as instructions.
Value* IsNewAccess(IRBuilder<>& builder, Value* pointer, unsigned bytes, bool write, Module& module) {
  Type* word_type = builder.getInt64Ty();
  Value* address = builder.CreatePtrToInt(pointer, word_type);
  Value* region = builder.CreateLShr(address, kFilterRegionShift);
  Value* mix = builder.CreateMul(builder.CreateTrunc(region, builder.getInt32Ty()), builder.getInt32(kFilterHash));
  mix = builder.CreateShl(builder.CreateLShr(mix, kFilterHashShift), kFilterWalkBits);
  Value* word = builder.CreateTrunc(builder.CreateLShr(address, 3), builder.getInt32Ty());
  word = builder.CreateAnd(builder.CreateXor(word, mix), builder.getInt32((1U << kFilterWordBits) - 1));
  Value* offset = builder.CreateShl(builder.CreateZExt(word, word_type), 3);
  Value* place =
      builder.CreateIntToPtr(builder.CreateAdd(offset, builder.getInt64(kFilterAddress)), builder.getPtrTy());
  LoadInst* entry = builder.CreateAlignedLoad(word_type, place, Align(8));
  entry->setAtomic(AtomicOrdering::Unordered);  // other threads write entries
  entry->setNoSanitizeMetadata();               // the compiler's own pass comes later and takes every atomic
  Value* segment = builder.CreateLoad(word_type, builder.CreateThreadLocalAddress(SegmentVariable(module)));
  Value* tag = builder.CreateShl(builder.CreateAnd(region, builder.getInt64(kFilterTagMask)), kFilterTagShift);
  Value* wanted = builder.CreateOr(builder.CreateOr(segment, tag), builder.getInt64(kFilterMask));
  Value* missing = builder.CreateXor(entry, wanted);
  uint64_t mask = ((uint64_t{1} << bytes) - 1) << (write ? 8U : 0U);
  Value* shifted = bytes == 8 ? static_cast<Value*>(builder.getInt64(mask))
                              : builder.CreateShl(builder.getInt64(mask), builder.CreateAnd(address, 7));
  Value* relevant = builder.CreateOr(shifted, builder.getInt64(~kFilterMask));
  return builder.CreateICmpNE(builder.CreateAnd(missing, relevant), builder.getInt64(0));
}

// What the runtime shows of detect mode: the shadow's table of regions (src/runtime/detect/shadow.h).
GlobalVariable* CellsVariable(Module& module) {
  constexpr const char* kName = "__heddle_cells";
  if (GlobalVariable* known = module.getGlobalVariable(kName)) return known;
  return new GlobalVariable(module, PointerType::getUnqual(module.getContext()), false, GlobalValue::ExternalLinkage,
                            nullptr, kName);
}

// Whether the word's first cell lacks some byte of the access by this thread in this epoch: Covers of
// runtime/detect/cell.h as instructions.
Value* IsNewToCell(IRBuilder<>& builder, Value* base, Value* address, unsigned bytes, bool write, Module& module) {
  Type* word_type = builder.getInt64Ty();
  Value* word = builder.CreateLShr(builder.CreateAnd(address, (uint64_t{1} << kCellRegionShift) - 1), 3);
  LoadInst* cell = builder.CreateLoad(word_type, builder.CreateGEP(word_type, base, word));
  cell->setVolatile(true);  // others store to it; an atomic load would be instrumented by the compiler's own pass
  Value* segment = builder.CreateLoad(word_type, builder.CreateThreadLocalAddress(SegmentVariable(module)));
  Value* mask = builder.CreateShl(builder.getInt64((uint64_t{1} << bytes) - 1), builder.CreateAnd(address, 7));
  if (write) mask = builder.CreateOr(mask, builder.CreateShl(mask, 8));
  Value* differs = builder.CreateXor(cell, builder.CreateOr(segment, kCellByteBits));
  return builder.CreateICmpNE(builder.CreateAnd(differs, builder.CreateOr(mask, ~kCellByteBits)), builder.getInt64(0));
}

// Fills `look`: ends at `end` when the cells have the access already, else goes to `call_block`.
void LookIntoCells(BasicBlock* look, CallInst* call, BasicBlock* end, BasicBlock* call_block, unsigned bytes,
                   bool write, MDNode* rarely) {
  Module& module = *call->getModule();
  IRBuilder<> builder(look);
  Type* pointer = PointerType::getUnqual(module.getContext());
  Value* address = builder.CreatePtrToInt(call->getArgOperand(0), builder.getInt64Ty());
  Value* table = builder.CreateLoad(pointer, CellsVariable(module));
  Value* region = builder.CreateAnd(builder.CreateLShr(address, kCellRegionShift), kCellRegions - 1);
  Value* base = builder.CreateLoad(pointer, builder.CreateGEP(pointer, table, region));
  BasicBlock* compare = BasicBlock::Create(module.getContext(), "", call->getFunction(), call_block);
  builder.CreateCondBr(builder.CreateIsNull(base), call_block, compare, rarely);
  builder.SetInsertPoint(compare);
  builder.CreateCondBr(IsNewToCell(builder, base, address, bytes, write, module), call_block, end, rarely);
}

// call becomes: if (watch != 0) { if (the filter or the cells, as watch says, do not have the access) call }
void Guard(CallInst* call, GlobalVariable* watch, MDNode* rarely) {
  IRBuilder<> builder(call);
  LoadInst* value = builder.CreateLoad(builder.getInt8Ty(), watch);
  // The runtime may change it at any time; it must not be kept over calls or hoisted out of loops.
  value->setVolatile(true);
  Value* watched = builder.CreateICmpNE(value, builder.getInt8(kWatchNothing));
  Instruction* then = SplitBlockAndInsertIfThen(watched, call->getIterator(), false, rarely);
  call->moveBefore(then);
  bool write = false;
  unsigned bytes = InlineBytes(call->getCalledFunction()->getName(), &write);
  if (bytes == 0) return;
  // Both tests in one block would read the filter where it may not be mapped.
  BasicBlock* start = call->getParent();
  BasicBlock* end = then->getSuccessor(0);
  BasicBlock* call_block = SplitBlock(start, call);
  LLVMContext& context = call->getContext();
  BasicBlock* look = BasicBlock::Create(context, "", call->getFunction(), call_block);
  BasicBlock* cells = BasicBlock::Create(context, "", call->getFunction(), call_block);
  start->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(start);
  SwitchInst* choice = builder.CreateSwitch(value, call_block, 2);
  choice->addCase(builder.getInt8(kWatchFiltered), look);
  choice->addCase(builder.getInt8(kWatchCells), cells);
  LookIntoCells(cells, call, end, call_block, bytes, write, rarely);
  builder.SetInsertPoint(look);
  Value* fresh = IsNewAccess(builder, call->getArgOperand(0), bytes, write, *call->getModule());
  builder.CreateCondBr(fresh, call_block, end, rarely);
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
  for (CallInst* call : calls) Guard(call, watch, rarely);
}

}  // namespace heddle::instrument
