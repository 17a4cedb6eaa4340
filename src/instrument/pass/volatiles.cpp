#include "instrument/pass/volatiles.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

constexpr const char* kWanted = "__heddle_volatile_wanted";
constexpr const char* kBegin = "__heddle_volatile_begin";
constexpr const char* kEnd = "__heddle_volatile_end";
constexpr const char* kLoaded = "__heddle_volatile_loaded";

// A number, a floating-point number or an address of 1, 2, 4 or 8 bytes.
bool FitsWord(Type* type, const DataLayout& layout) {
  if (!type->isIntegerTy() && !type->isFloatingPointTy() && !type->isPointerTy()) return false;
  uint64_t bits = layout.getTypeSizeInBits(type);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool IsOwn(const Value* address) {
  const Value* object = getUnderlyingObject(address);
  return isa<AllocaInst>(object) && !PointerMayBeCaptured(object, true, true);
}

bool IsShared(Instruction& access) {
  if (!access.isVolatile() || access.isAtomic() || access.hasMetadata(LLVMContext::MD_nosanitize)) return false;
  const Value* address = getLoadStorePointerOperand(&access);
  return address != nullptr && address->getType()->getPointerAddressSpace() == 0 &&
         FitsWord(getLoadStoreType(&access), access.getModule()->getDataLayout()) && !IsOwn(address);
}

Value* IsWanted(IRBuilder<>& builder, Module& module) {
  GlobalVariable* wanted = module.getGlobalVariable(kWanted);
  if (wanted == nullptr) {
    wanted = new GlobalVariable(module, builder.getInt8Ty(), false, GlobalValue::ExternalLinkage, nullptr, kWanted);
  }
  return builder.CreateICmpNE(builder.CreateLoad(builder.getInt8Ty(), wanted), builder.getInt8(0));
}

// The loaded value through the runtime, which may know a better one (a replay).
Value* Loaded(IRBuilder<>& builder, Module& module, Instruction* load, Value* bytes) {
  Type* type = load->getType();
  Type* word = builder.getInt64Ty();
  FunctionCallee loaded = module.getOrInsertFunction(kLoaded, word, builder.getPtrTy(), word, word);
  Type* number = builder.getIntNTy(static_cast<unsigned>(module.getDataLayout().getTypeSizeInBits(type)));
  Value* value = builder.CreateZExt(builder.CreateBitOrPointerCast(load, number), word);
  CallInst* given = builder.CreateCall(loaded, {getLoadStorePointerOperand(load), bytes, value});
  given->setDoesNotThrow();
  return builder.CreateBitOrPointerCast(builder.CreateTrunc(given, number), type);
}

void PerformInTurn(Instruction* access) {
  Module& module = *access->getModule();
  MDNode* rarely = MDBuilder(module.getContext()).createBranchWeights(1, 100000);
  IRBuilder<> builder(access);
  Instruction* in_turn = nullptr;
  Instruction* at_once = nullptr;
  SplitBlockAndInsertIfThenElse(IsWanted(builder, module), access->getIterator(), &in_turn, &at_once, rarely);
  BasicBlock* after = access->getParent();
  access->moveBefore(at_once);
  builder.SetInsertPoint(in_turn);
  Type* type = getLoadStoreType(access);
  Type* word = builder.getInt64Ty();
  FunctionCallee begin = module.getOrInsertFunction(kBegin, builder.getVoidTy(), builder.getPtrTy(), word, word);
  Value* bytes = builder.getInt64(module.getDataLayout().getTypeStoreSize(type));
  Value* writes = builder.getInt64(isa<StoreInst>(access) ? 1 : 0);
  builder.CreateCall(begin, {getLoadStorePointerOperand(access), bytes, writes})->setDoesNotThrow();
  Instruction* same = builder.Insert(access->clone());
  if (isa<StoreInst>(access)) {
    builder.CreateCall(module.getOrInsertFunction(kEnd, builder.getVoidTy()))->setDoesNotThrow();
    return;
  }
  Value* given = Loaded(builder, module, same, bytes);
  builder.SetInsertPoint(&after->front());
  PHINode* either = builder.CreatePHI(type, 2);
  access->replaceAllUsesWith(either);
  either->addIncoming(given, in_turn->getParent());
  either->addIncoming(access, at_once->getParent());
}

}  // namespace

void PerformVolatilesInTurn(Function& function) {
  SmallVector<Instruction*, 16> found;
  for (Instruction& instruction : instructions(function)) {
    if (isa<LoadInst, StoreInst>(instruction) && IsShared(instruction)) found.push_back(&instruction);
  }
  for (Instruction* access : found) PerformInTurn(access);
}

}  // namespace heddle::instrument
