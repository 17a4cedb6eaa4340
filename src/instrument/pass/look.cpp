#include "instrument/pass/look.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "base/inline_filter.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

GlobalVariable* SegmentVariable(Module& module) {
  constexpr const char* kName = "__heddle_segment";
  if (GlobalVariable* known = module.getGlobalVariable(kName)) return known;
  return new GlobalVariable(module, Type::getInt64Ty(module.getContext()), false, GlobalValue::ExternalLinkage, nullptr,
                            kName, nullptr, GlobalVariable::InitialExecTLSModel);
}

Value* LoadSegment(IRBuilder<>& builder, Module& module) {
  return builder.CreateLoad(builder.getInt64Ty(), builder.CreateThreadLocalAddress(SegmentVariable(module)));
}

// Others store to it. An atomic load would be instrumented by the compiler's own pass.
Value* LoadShared(IRBuilder<>& builder, Value* place) {
  LoadInst* load = builder.CreateAlignedLoad(builder.getInt64Ty(), place, Align(8));
  load->setVolatile(true);
  return load;
}

MDNode* Rarely(LLVMContext& context) { return MDBuilder(context).createBranchWeights(1, 100000); }

// The bits of the accessed bytes within their word of 8, for an access that lies in one.
Value* ByteMask(IRBuilder<>& builder, Value* address, unsigned bytes) {
  if (bytes >= 8) return builder.getInt64(0xFF);
  return builder.CreateShl(builder.getInt64((uint64_t{1} << bytes) - 1), builder.CreateAnd(address, 7));
}

// For an access that the compiler does not know to be aligned: whether it leaves its word (of 16 bytes: is not aligned
// to 8). Null when it cannot.
Value* LeavesWord(IRBuilder<>& builder, Value* address, SizedAccess access) {
  if (access.aligned || access.bytes == 1) return nullptr;
  Value* within = builder.CreateAnd(address, 7);
  return builder.CreateICmpUGT(within, builder.getInt64(access.bytes >= 8 ? 0 : 8 - access.bytes));
}

// FilterMissing of one entry, not zero when the segment lacks a byte.
Value* MissingInEntry(IRBuilder<>& builder, Value* place, Value* address, Value* segment, Value* mask) {
  Value* entry = LoadShared(builder, place);
  Value* other = builder.CreateXor(
      builder.CreateXor(entry, builder.CreateLShr(address, kFilterRegionShift - kFilterTagShift)), segment);
  Value* bytes = builder.CreateAnd(builder.CreateNot(entry), mask);
  return builder.CreateOr(builder.CreateLShr(other, kFilterTagShift), bytes);
}

// The bits that a cell has for bytes that were read or written.
Value* CellBits(IRBuilder<>& builder, Value* mask, bool write) {
  return write ? builder.CreateOr(mask, builder.CreateShl(mask, 8)) : mask;
}

// For an access that may lie in two words: not zero when the first cell of one of them lacks it. Behind the last word
// of a region there is one that belongs to nobody.
Value* MissingInTwo(IRBuilder<>& builder, Value* place, Value* address, Value* wanted, SizedAccess access) {
  Value* reach = builder.CreateShl(builder.getInt64((uint64_t{1} << access.bytes) - 1), builder.CreateAnd(address, 7));
  Value* others = builder.getInt64(~(kCellByteBits | kCellLastBit));
  Value* first = CellBits(builder, builder.CreateAnd(reach, 0xFF), access.write);
  Value* beyond = builder.CreateLShr(reach, 8);
  Value* second = builder.CreateOr(CellBits(builder, beyond, access.write), others);
  Value* reaches = builder.CreateICmpNE(beyond, builder.getInt64(0));
  Value* next = LoadShared(builder, builder.CreateConstGEP1_64(builder.getInt64Ty(), place, 1));
  Value* in_first =
      builder.CreateAnd(builder.CreateXor(LoadShared(builder, place), wanted), builder.CreateOr(first, others));
  Value* in_next =
      builder.CreateAnd(builder.CreateXor(next, wanted), builder.CreateSelect(reaches, second, builder.getInt64(0)));
  return builder.CreateOr(in_first, in_next);
}

}  // namespace

void LookIntoFilter(CallInst* call, SizedAccess access) {
  Module& module = *call->getModule();
  IRBuilder<> builder(call);
  Type* word_type = builder.getInt64Ty();
  Value* address = builder.CreatePtrToInt(call->getArgOperand(0), word_type);
  Value* mix = builder.CreateAnd(builder.CreateLShr(address, kFilterMixShift), kFilterMixMask);
  Value* word = builder.CreateAnd(builder.CreateLShr(address, 3), (1U << kFilterWordBits) - 1);
  Value* offset = builder.CreateShl(builder.CreateXor(word, mix), 3);
  Value* place =
      builder.CreateIntToPtr(builder.CreateAdd(offset, builder.getInt64(kFilterAddress)), builder.getPtrTy());
  Value* segment = LoadSegment(builder, module);
  Value* mask = ByteMask(builder, address, access.bytes);
  if (access.write) mask = builder.CreateShl(mask, 8);
  Value* missing = MissingInEntry(builder, place, address, segment, mask);
  if (access.bytes == 16) {
    Value* second = builder.CreateConstGEP1_64(word_type, place, 1);
    missing = builder.CreateOr(missing, MissingInEntry(builder, second, address, segment, mask));
  }
  Value* fresh = builder.CreateICmpNE(missing, builder.getInt64(0));
  if (Value* leaves = LeavesWord(builder, address, access)) fresh = builder.CreateOr(fresh, leaves);
  Instruction* then = SplitBlockAndInsertIfThen(fresh, call->getIterator(), false, Rarely(module.getContext()));
  call->moveBefore(then);
}

Value* LoadRegions(BasicBlock* entry) {
  constexpr const char* kName = "__heddle_cells";
  Module& module = *entry->getModule();
  Type* pointer = PointerType::getUnqual(module.getContext());
  GlobalVariable* regions = module.getGlobalVariable(kName);
  if (regions == nullptr) {
    regions = new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage, nullptr, kName);
  }
  return IRBuilder<>(&*entry->getFirstInsertionPt()).CreateLoad(pointer, regions);
}

namespace {

// Where the cells of the address's region begin, null if nowhere; and where its word's first cell lies then.
Value* LoadRegion(IRBuilder<>& builder, Value* regions, Value* address) {
  Value* region = builder.CreateAnd(builder.CreateLShr(address, kCellRegionShift), kCellRegions - 1);
  return builder.CreateLoad(builder.getPtrTy(), builder.CreateGEP(builder.getPtrTy(), regions, region));
}
Value* CellPlace(IRBuilder<>& builder, Value* cells, Value* address) {
  return builder.CreateGEP(builder.getInt8Ty(), cells,
                           builder.CreateAnd(address, ((uint64_t{1} << kCellRegionShift) - 1) & ~uint64_t{7}));
}

// The blocks around a call that happens only under conditions.
struct Diamond {
  BasicBlock* slow;
  BasicBlock* end;
  IRBuilder<>& builder;

  Diamond(CallInst* call, IRBuilder<>& its_builder) : builder(its_builder) {
    BasicBlock* start = call->getParent();
    slow = SplitBlock(start, call);
    end = SplitBlock(slow, call->getNextNode());
    start->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(start);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
  }
  // The builder goes on in a new block when the condition does not hold.
  void Leave(Value* condition, BasicBlock* to, MDNode* weights) {
    BasicBlock* next = BasicBlock::Create(builder.getContext(), "", slow->getParent(), slow);
    builder.CreateCondBr(condition, to, next, weights);
    builder.SetInsertPoint(next);
  }
  void CallIf(Value* condition) { Leave(condition, slow, Rarely(builder.getContext())); }
  void CallIfLast(Value* condition) { builder.CreateCondBr(condition, slow, end, Rarely(builder.getContext())); }
  // lacks ? (single ? call : another call, which is returned) : end
  CallInst* CallEither(Value* lacks, Value* single, CallInst* call) {
    LLVMContext& context = builder.getContext();
    BasicBlock* which = BasicBlock::Create(context, "", slow->getParent(), slow);
    BasicBlock* other = BasicBlock::Create(context, "", slow->getParent(), end);
    builder.CreateCondBr(lacks, which, end, Rarely(context));
    builder.SetInsertPoint(which);
    builder.CreateCondBr(single, slow, other);
    builder.SetInsertPoint(other);
    auto* copy = cast<CallInst>(builder.Insert(call->clone()));
    builder.CreateBr(end);
    return copy;
  }
};

// Whether there is no cell behind this first one. A cell that has one has byte bits, and none when it is 0: taking one
// away leaves the last bit as it is in all but 0.
Value* HasNoSecond(IRBuilder<>& builder, Value* first) {
  Value* less = builder.CreateSub(first, builder.getInt64(1));
  return builder.CreateICmpNE(builder.CreateAnd(less, kCellLastBit), builder.getInt64(0));
}

bool MayLieInTwo(SizedAccess access) { return access.bytes <= 8 && !access.aligned && access.bytes > 1; }

// What a cell must say, and where it counts.
struct Wanted {
  Value* cell;
  Value* relevant;
};
Wanted WantedCell(IRBuilder<>& builder, Module& module, Value* address, SizedAccess access) {
  Value* mask = CellBits(builder, ByteMask(builder, address, access.bytes), access.write);
  return {builder.CreateOr(LoadSegment(builder, module), kCellByteBits),
          builder.CreateOr(mask, ~(kCellByteBits | kCellLastBit))};
}
Value* Lacks(IRBuilder<>& builder, Value* differs, const Wanted& wanted) {
  return builder.CreateICmpNE(builder.CreateAnd(differs, wanted.relevant), builder.getInt64(0));
}

}  // namespace

CallInst* LookIntoCells(CallInst* call, SizedAccess access, Value* regions) {
  Module& module = *call->getModule();
  IRBuilder<> builder(call);
  Value* address = builder.CreatePtrToInt(call->getArgOperand(0), builder.getInt64Ty());
  Value* cells = LoadRegion(builder, regions, address);
  Value* absent = builder.CreateIsNull(cells);
  if (!MayLieInTwo(access)) {
    if (Value* leaves = LeavesWord(builder, address, access)) absent = builder.CreateOr(absent, leaves);
  }
  Diamond either(call, builder);
  either.CallIf(absent);
  Value* place = CellPlace(builder, cells, address);
  if (MayLieInTwo(access)) {
    Value* wanted = builder.CreateOr(LoadSegment(builder, module), kCellByteBits);
    Value* fresh = MissingInTwo(builder, place, address, wanted, access);
    either.CallIfLast(builder.CreateICmpNE(fresh, builder.getInt64(0)));
    return nullptr;
  }
  Wanted wanted = WantedCell(builder, module, address, access);
  Value* first = LoadShared(builder, place);
  Value* differs = builder.CreateXor(first, wanted.cell);
  if (access.bytes == 16) {
    Value* second = LoadShared(builder, builder.CreateConstGEP1_64(builder.getInt64Ty(), place, 1));
    differs = builder.CreateOr(differs, builder.CreateXor(second, wanted.cell));
    either.CallIfLast(Lacks(builder, differs, wanted));
    return nullptr;
  }
  return either.CallEither(Lacks(builder, differs, wanted), HasNoSecond(builder, first), call);
}

void LookIntoTwoCells(CallInst* call, SizedAccess access, Value* regions) {
  if (MayLieInTwo(access) || access.bytes == 16) {
    LookIntoCells(call, access, regions);
    return;
  }
  IRBuilder<> builder(call);
  Value* address = builder.CreatePtrToInt(call->getArgOperand(0), builder.getInt64Ty());
  Value* cells = LoadRegion(builder, regions, address);
  Value* absent = builder.CreateIsNull(cells);
  Diamond either(call, builder);
  either.CallIf(absent);
  Value* place = CellPlace(builder, cells, address);
  Value* first = LoadShared(builder, place);
  Wanted wanted = WantedCell(builder, *call->getModule(), address, access);
  Value* covers = builder.CreateNot(Lacks(builder, builder.CreateXor(first, wanted.cell), wanted));
  either.Leave(covers, either.end, nullptr);
  either.CallIf(HasNoSecond(builder, first));
  Value* second = LoadShared(builder, builder.CreateConstGEP1_64(builder.getInt64Ty(), place, kCellStride));
  either.CallIfLast(Lacks(builder, builder.CreateXor(second, wanted.cell), wanted));
}

void CallSlow(CallInst* call, SizedAccess access) {
  Module& module = *call->getModule();
  std::string name = (Twine("__heddle_slow_") + (access.write ? "write" : "read") + Twine(access.bytes)).str();
  FunctionCallee slow = module.getOrInsertFunction(name, call->getFunctionType());
  auto* function = cast<Function>(slow.getCallee());
  function->setCallingConv(CallingConv::PreserveMost);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::NonLazyBind);  // resolving at the first call would spoil r10
  call->setCalledFunction(slow);
  call->setCallingConv(CallingConv::PreserveMost);
}

}  // namespace heddle::instrument
