#include "instrument/pass/cycles.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// One instruction that reads the counter, and nothing beside it but fences.
bool IsReadAndFences(StringRef text) {
  SmallVector<StringRef, 8> lines;
  SmallVector<StringRef, 8> words;
  text.split(lines, '\n', -1, false);
  for (StringRef line : lines) line.split(words, ';', -1, false);
  unsigned reads = 0;
  for (StringRef word : words) {
    word = word.trim();
    if (word == "rdtsc" || word == "rdtscp") {
      ++reads;
    } else if (!word.empty() && word != "lfence" && word != "mfence") {
      return false;
    }
  }
  return reads == 1;
}

// What the output named `code` gets: eax and edx the halves, ecx the processor's number.
Value* OutputOf(IRBuilder<>& builder, Value* cycles, StringRef code, Type* type) {
  Value* value = nullptr;
  if (code == "{ax}") value = builder.CreateAnd(cycles, 0xffffffff);
  if (code == "{dx}") value = builder.CreateLShr(cycles, 32);
  if (code == "{cx}") value = builder.getInt64(0);
  return value == nullptr || !type->isIntegerTy() ? nullptr : builder.CreateZExtOrTrunc(value, type);
}

// The value of the assembly, from the counter; null for outputs that rdtsc does not have.
Value* ResultOf(IRBuilder<>& builder, const InlineAsm& assembly, Type* type, Value* cycles) {
  SmallVector<StringRef, 4> outputs;
  InlineAsm::ConstraintInfoVector constraints = assembly.ParseConstraints();
  for (const InlineAsm::ConstraintInfo& constraint : constraints) {
    if (constraint.Type == InlineAsm::isClobber) continue;
    bool plain = constraint.Type == InlineAsm::isOutput && !constraint.isIndirect && constraint.Codes.size() == 1;
    if (!plain) return nullptr;
    outputs.push_back(constraint.Codes[0]);
  }
  auto* members = dyn_cast<StructType>(type);
  if (members == nullptr) return outputs.size() == 1 ? OutputOf(builder, cycles, outputs[0], type) : nullptr;
  if (members->getNumElements() != outputs.size()) return nullptr;
  Value* result = PoisonValue::get(type);
  for (unsigned i = 0; i < outputs.size(); ++i) {
    Value* output = OutputOf(builder, cycles, outputs[i], members->getElementType(i));
    if (output == nullptr) return nullptr;
    result = builder.CreateInsertValue(result, output, i);
  }
  return result;
}

// The instruction's value from a call of the runtime; null, and nothing inserted, when it is none that reads the
// counter.
Value* Replacement(CallInst& call) {
  Module& module = *call.getModule();
  IRBuilder<> builder(&call);
  auto counter = [&] {
    return builder.CreateCall(module.getOrInsertFunction("__heddle_cycles", builder.getInt64Ty()), {});
  };
  if (const auto* assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    if (!IsReadAndFences(assembly->getAsmString())) return nullptr;
    CallInst* cycles = counter();
    Value* result = ResultOf(builder, *assembly, call.getType(), cycles);
    if (result == nullptr) cycles->eraseFromParent();
    return result;
  }
  switch (call.getIntrinsicID()) {
    case Intrinsic::x86_rdtsc:
    case Intrinsic::readcyclecounter:
      return counter();
    case Intrinsic::x86_rdtscp: {
      Value* result = builder.CreateInsertValue(PoisonValue::get(call.getType()), counter(), 0);
      return builder.CreateInsertValue(result, builder.getInt32(0), 1);
    }
    default:
      return nullptr;
  }
}

}  // namespace

bool ReplaceCycleCounters(Function& function) {
  bool changed = false;
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    Value* value = call == nullptr ? nullptr : Replacement(*call);
    if (value == nullptr) continue;
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace heddle::instrument
