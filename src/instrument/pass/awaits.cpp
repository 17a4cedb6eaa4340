// A loop is an await when a round that goes back leaves no trace:
//   - it has one access to memory, an atomic load, a compare-and-swap or an exchange, at an address that stays the
//   same;
//   - nothing is carried from round to round (no phi), and nothing else is called but pause and yield;
//   - it is left at one place, by a condition on the value that the atomic found: `value REL x`, x staying the same,
//     also behind a subtraction, addition or exclusive or that can be undone, or a cut to the lowest bits;
//   - a round that goes back writes nothing: the compare-and-swap has failed; the exchange found what it put there.
// What is told is the condition for leaving; for those that write, the one for writing.
#include "instrument/pass/awaits.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "wire/explored_event.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

using wire::Condition;
constexpr const char* kAwait = "__heddle_await";

struct Await {
  Instruction* atomic = nullptr;
  Condition condition = Condition::kNone;
  uint32_t bits = 0;
  // The operand is `base`, with these undone in their order; null: the runtime knows it.
  Value* base = nullptr;
  struct Undo {
    unsigned opcode;  // of the program's instruction
    Value* other;
    bool value_is_right;  // sub: other - value
  };
  SmallVector<Undo, 2> undo;
};

bool IsRelax(const CallBase& call) {
  if (const auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    StringRef text = StringRef(assembly->getAsmString()).trim();
    return text == "pause" || text == "rep; nop" || text == "rep;nop";
  }
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  StringRef name = callee->getName();
  return callee->getIntrinsicID() == Intrinsic::x86_sse2_pause || name == "sched_yield" || name == "thrd_yield" ||
         name == "pthread_yield";
}

bool IsAtomicAccess(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->isAtomic() && load->getType()->isIntegerTy();
  if (const auto* swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    return swap->getCompareOperand()->getType()->isIntegerTy();
  }
  const auto* update = dyn_cast<AtomicRMWInst>(&instruction);
  return update != nullptr && update->getOperation() == AtomicRMWInst::Xchg && update->getType()->isIntegerTy();
}

bool IsMarked(const Instruction& atomic) {
  const auto* call = dyn_cast_or_null<CallInst>(atomic.getPrevNonDebugInstruction());
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == kAwait;
}

// The loop's atomic, when there is nothing else in it that has an effect.
Instruction* OnlyAtomic(const Loop& loop) {
  Instruction* atomic = nullptr;
  for (BasicBlock* block : loop.blocks()) {
    for (Instruction& instruction : *block) {
      if (isa<PHINode>(instruction)) return nullptr;
      if (instruction.isDebugOrPseudoInst()) continue;
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call != nullptr && IsRelax(*call)) continue;
      if (IsAtomicAccess(instruction)) {
        if (atomic != nullptr) return nullptr;
        atomic = &instruction;
      } else if (call != nullptr || instruction.mayReadOrWriteMemory()) {
        return nullptr;
      }
    }
    const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (branch == nullptr) return nullptr;
  }
  return atomic;
}

// The branch that leaves the loop, when there is one only and all others go on without a condition.
BranchInst* OnlyExit(const Loop& loop) {
  BranchInst* exit = nullptr;
  for (BasicBlock* block : loop.blocks()) {
    auto* branch = cast<BranchInst>(block->getTerminator());
    if (!branch->isConditional()) continue;
    if (exit != nullptr) return nullptr;
    exit = branch;
  }
  bool leaves = exit != nullptr && loop.contains(exit->getSuccessor(0)) != loop.contains(exit->getSuccessor(1));
  return leaves ? exit : nullptr;
}

std::optional<Condition> ConditionOf(CmpInst::Predicate predicate) {
  switch (predicate) {
    case CmpInst::ICMP_EQ:
      return Condition::kIs;
    case CmpInst::ICMP_NE:
      return Condition::kIsNot;
    case CmpInst::ICMP_ULT:
      return Condition::kBelow;
    case CmpInst::ICMP_UGT:
      return Condition::kAbove;
    case CmpInst::ICMP_UGE:
      return Condition::kNotBelow;
    case CmpInst::ICMP_ULE:
      return Condition::kNotAbove;
    case CmpInst::ICMP_SLT:
      return Condition::kLess;
    case CmpInst::ICMP_SGT:
      return Condition::kGreater;
    case CmpInst::ICMP_SGE:
      return Condition::kNotLess;
    case CmpInst::ICMP_SLE:
      return Condition::kNotGreater;
    default:
      return std::nullopt;
  }
}

// The lowest bits that a mask keeps; 0: it is not such a mask.
uint32_t LowBits(const Value* mask) {
  const auto* constant = dyn_cast<ConstantInt>(mask);
  if (constant == nullptr || !constant->getValue().isMask()) return 0;
  return constant->getValue().countr_one();
}

// From the side of the comparison that changes back to the value that the atomic found. False: not by what can be
// undone. Only equality survives arithmetic.
bool FollowToValue(const Loop& loop, Value* side, const Value* found, bool equality, Await* await) {
  while (side != found) {
    auto* step = dyn_cast<Instruction>(side);
    if (step == nullptr || await->bits != side->getType()->getIntegerBitWidth()) return false;
    if (isa<TruncInst>(step) && step->getOperand(0) == found) return true;  // `bits` is narrower already
    if (step->getOpcode() == Instruction::And && step->getOperand(0) == found) {
      await->bits = LowBits(step->getOperand(1));
      const auto* operand = dyn_cast<ConstantInt>(await->base);
      bool fits = operand != nullptr && operand->getValue().getActiveBits() <= await->bits;
      return await->bits != 0 && fits && await->undo.empty();
    }
    unsigned opcode = step->getOpcode();
    if (!equality || (opcode != Instruction::Sub && opcode != Instruction::Add && opcode != Instruction::Xor)) {
      return false;
    }
    bool right = loop.isLoopInvariant(step->getOperand(0));
    Value* other = step->getOperand(right ? 0 : 1);
    if (!loop.isLoopInvariant(other)) return false;
    await->undo.push_back({opcode, other, right});
    side = step->getOperand(right ? 1 : 0);
  }
  return true;
}

// The condition for leaving, from the branch.
bool FindCondition(const Loop& loop, const BranchInst& exit, const Value* found, Await* await) {
  bool leaves_on_true = !loop.contains(exit.getSuccessor(0));
  auto* narrow = dyn_cast<TruncInst>(exit.getCondition());
  if (narrow != nullptr && narrow->getOperand(0) == found) {  // a bool
    await->bits = 1;
    await->base = ConstantInt::get(narrow->getType(), leaves_on_true ? 1 : 0);
    await->condition = Condition::kIs;
    return true;
  }
  auto* compare = dyn_cast<ICmpInst>(exit.getCondition());
  if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) return false;
  bool swapped = loop.isLoopInvariant(compare->getOperand(0));
  Value* side = compare->getOperand(swapped ? 1 : 0);
  await->base = compare->getOperand(swapped ? 0 : 1);
  if (!loop.isLoopInvariant(await->base)) return false;
  CmpInst::Predicate predicate = swapped ? compare->getSwappedPredicate() : compare->getPredicate();
  if (!leaves_on_true) predicate = CmpInst::getInversePredicate(predicate);
  std::optional<Condition> condition = ConditionOf(predicate);
  if (!condition) return false;
  await->condition = *condition;
  await->bits = side->getType()->getIntegerBitWidth();
  if (await->bits > 64) return false;
  bool equality = *condition == Condition::kIs || *condition == Condition::kIsNot;
  if (!FollowToValue(loop, side, found, equality, await)) return false;
  bool is_signed = *condition >= Condition::kLess;
  return !is_signed || await->bits == side->getType()->getIntegerBitWidth();
}

// An exchange goes back only with what it put there: then it has written nothing.
bool GoesBackUnchanged(const AtomicRMWInst& exchange, const Await& await) {
  const auto* put = dyn_cast<ConstantInt>(exchange.getValOperand());
  const auto* operand = dyn_cast<ConstantInt>(await.base);
  if (put == nullptr || operand == nullptr || !await.undo.empty()) return false;
  struct {
    uint8_t await_bits;
    Condition condition;
  } leaving{static_cast<uint8_t>(await.bits), await.condition};
  uint64_t low = operand->getValue().zextOrTrunc(64).getZExtValue();
  return !wire::AwaitMet(leaving, put->getValue().zextOrTrunc(64).getZExtValue(), low);
}

std::optional<Await> AwaitOf(const Loop& loop) {
  Instruction* atomic = OnlyAtomic(loop);
  BranchInst* exit = atomic == nullptr ? nullptr : OnlyExit(loop);
  if (exit == nullptr || IsMarked(*atomic)) return std::nullopt;
  for (const Value* operand : atomic->operands()) {
    if (!loop.isLoopInvariant(operand)) return std::nullopt;
  }
  Await await;
  await.atomic = atomic;
  if (auto* swap = dyn_cast<AtomicCmpXchgInst>(atomic)) {
    auto* success = dyn_cast<ExtractValueInst>(exit->getCondition());
    bool leaves = success != nullptr && success->getAggregateOperand() == swap && success->getIndices()[0] == 1 &&
                  !loop.contains(exit->getSuccessor(0));
    if (!leaves) return std::nullopt;
    await.condition = Condition::kEqual;
    await.bits = swap->getCompareOperand()->getType()->getIntegerBitWidth();
    return await.bits <= 64 ? std::optional(await) : std::nullopt;
  }
  if (!FindCondition(loop, *exit, atomic, &await)) return std::nullopt;
  if (auto* exchange = dyn_cast<AtomicRMWInst>(atomic)) {
    if (!GoesBackUnchanged(*exchange, await)) return std::nullopt;
    await.condition = Condition::kDiffers;
    await.bits = exchange->getType()->getIntegerBitWidth();
    await.base = nullptr;
  }
  return await;
}

Value* OperandOf(const Await& await, IRBuilder<>& builder) {
  if (await.base == nullptr) return builder.getInt64(0);
  Value* operand = await.base;
  for (const Await::Undo& undo : await.undo) {
    if (undo.opcode == Instruction::Xor) {
      operand = builder.CreateXor(operand, undo.other);
    } else if (undo.opcode == Instruction::Add) {
      operand = builder.CreateSub(operand, undo.other);
    } else {
      operand = undo.value_is_right ? builder.CreateSub(undo.other, operand) : builder.CreateAdd(operand, undo.other);
    }
  }
  return builder.CreateZExtOrTrunc(operand, builder.getInt64Ty());
}

void Mark(const Await& await) {
  IRBuilder<> builder(await.atomic);
  Value* operand = OperandOf(await, builder);
  FunctionCallee mark = await.atomic->getModule()->getOrInsertFunction(
      kAwait, builder.getVoidTy(), builder.getInt32Ty(), builder.getInt32Ty(), builder.getInt64Ty());
  CallInst* call = builder.CreateCall(
      mark, {builder.getInt32(static_cast<uint32_t>(await.condition)), builder.getInt32(await.bits), operand});
  call->setDoesNotThrow();
}

}  // namespace

bool MarkAwaits(Function& function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  SmallVector<Await, 4> found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    if (std::optional<Await> await = AwaitOf(*loop)) found.push_back(*await);
  }
  for (const Await& await : found) Mark(await);
  return !found.empty();
}

}  // namespace heddle::instrument
