#include "instrument/pass/escapes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// Plain, of a size that there is a call for.
bool IsPlain(Instruction& access) {
  if (access.isAtomic() || access.hasMetadata(LLVMContext::MD_nosanitize)) return false;
  const Value* address = getLoadStorePointerOperand(&access);
  if (address == nullptr || address->getType()->getPointerAddressSpace() != 0 || address->isSwiftError()) return false;
  uint64_t bits = access.getModule()->getDataLayout().getTypeStoreSizeInBits(getLoadStoreType(&access));
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
}

}  // namespace

SmallVector<Instruction*, 16> LeftOutAlthoughShared(Function& function) {
  SmallVector<Instruction*, 16> found;
  DenseMap<const Value*, bool> shared;  // the variable's own address may be known elsewhere
  for (Instruction& instruction : instructions(function)) {
    if (!isa<LoadInst, StoreInst>(instruction) || !IsPlain(instruction)) continue;
    const Value* address = getLoadStorePointerOperand(&instruction);
    const Value* object = getUnderlyingObject(address);
    if (object == address || !isa<AllocaInst>(object)) continue;
    auto [known, is_new] = shared.try_emplace(object, false);
    if (is_new) known->second = PointerMayBeCaptured(object, true, true);
    if (known->second && !PointerMayBeCaptured(address, true, true)) found.push_back(&instruction);
  }
  return found;
}

void AnnounceAccesses(ArrayRef<Instruction*> accesses) {
  for (Instruction* access : accesses) {
    IRBuilder<> builder(access);
    Module& module = *access->getModule();
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(getLoadStoreType(access));
    bool aligned = getLoadStoreAlignment(access).value() >= std::min<uint64_t>(bytes, 8);
    std::string name = std::string("__tsan_") + (aligned ? "" : "unaligned_") +
                       (isa<StoreInst>(access) ? "write" : "read") + utostr(bytes);
    FunctionCallee call =
        module.getOrInsertFunction(name, builder.getVoidTy(), PointerType::getUnqual(module.getContext()));
    builder.CreateCall(call, {getLoadStorePointerOperand(access)});
  }
}

}  // namespace heddle::instrument
