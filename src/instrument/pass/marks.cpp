#include "instrument/pass/marks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "instrument/pass/calls.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

constexpr const char* kAdds = "__heddle_adds";
constexpr const char* kOutside = "__heddle_outside";
constexpr const char* kWanted = "__heddle_marks_wanted";
constexpr const char* kUnit = "__heddle_marked_unit";

// Functions that access nothing but what they report, or only their own thread's part of the heap. Freeing is not among
// them: it may change what another thread gets.
bool IsKnown(StringRef name) {
  for (StringRef prefix : {"__tsan_", "__heddle_", "heddle_", "pthread_", "_Znwm", "_Znam"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name == "malloc" || name == "calloc";
}

bool MayBeOutside(const CallBase& call) {
  if (call.isInlineAsm()) return true;
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return true;
  if (callee->isIntrinsic() || call.doesNotAccessMemory()) return false;
  if (!callee->isDeclaration() && callee->hasFnAttribute(Attribute::SanitizeThread)) return false;
  return !IsKnown(callee->getName());
}

// The load whose value, with a number added, is stored; null when the store is not such a one.
const LoadInst* AddedTo(const StoreInst& store) {
  const auto* sum = dyn_cast<BinaryOperator>(store.getValueOperand());
  if (sum == nullptr || !sum->hasOneUse() || sum->getParent() != store.getParent()) return nullptr;
  bool adds = sum->getOpcode() == Instruction::Add;
  if (!adds && sum->getOpcode() != Instruction::Sub) return nullptr;
  if (!sum->getType()->isIntegerTy()) return nullptr;
  for (unsigned operand = 0; operand < (adds ? 2U : 1U); ++operand) {
    const auto* load = dyn_cast<LoadInst>(sum->getOperand(operand));
    bool same = load != nullptr && load->getPointerOperand() == store.getPointerOperand();
    if (same && load->isSimple() && load->hasOneUse() && load->getParent() == store.getParent()) return load;
  }
  return nullptr;
}

bool IsAnnouncement(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && (IsWatched(callee->getName()) || callee->isIntrinsic());
}

// ThreadSanitizer leaves out a read that a write to the same address follows, in the same block and without a call
// between them. Such reads, other than the one that is added to, would be lost.
bool IsPlainAdd(const StoreInst& store) {
  const LoadInst* load = store.isSimple() ? AddedTo(store) : nullptr;
  if (load == nullptr) return false;
  bool reached = false;
  for (const Instruction* at = store.getPrevNode(); at != nullptr; at = at->getPrevNode()) {
    if (IsAnnouncement(*at)) continue;
    if (reached && isa<CallBase>(at)) break;
    const auto* other = dyn_cast<LoadInst>(at);
    if (other != nullptr && other != load && other->getPointerOperand() == store.getPointerOperand()) return false;
    if (!reached && (isa<CallBase>(at) || at->mayWriteToMemory())) return false;
    reached = reached || at == load;
  }
  return true;
}

const StoreInst* AnnouncedStore(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (callee == nullptr) return nullptr;
  SizedAccess access = AsSizedAccess(callee->getName());
  if (!access.write || access.bytes > 8) return nullptr;
  const auto* store = dyn_cast_or_null<StoreInst>(call.getNextNonDebugInstruction());
  return store != nullptr && store->getPointerOperand() == call.getArgOperand(0) ? store : nullptr;
}

void InsertMark(CallBase* before, StringRef name, ArrayRef<Value*> arguments) {
  Module& module = *before->getModule();
  SmallVector<Type*, 1> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  auto* type = FunctionType::get(Type::getVoidTy(module.getContext()), types, false);
  IRBuilder<> builder(before);
  builder.CreateCall(module.getOrInsertFunction(name, type), arguments)->setDoesNotThrow();
}

}  // namespace

bool IsMark(StringRef callee) { return callee == kAdds || callee == kOutside; }

void MarkForSearch(Function& function) {
  SmallVector<CallBase*, 32> adds;
  SmallVector<CallBase*, 32> outside;
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr) continue;
    auto* plain = dyn_cast<CallInst>(call);
    const StoreInst* store = plain == nullptr ? nullptr : AnnouncedStore(*plain);
    if (store != nullptr && IsPlainAdd(*store)) adds.push_back(call);
    if (MayBeOutside(*call)) outside.push_back(call);
  }
  for (CallBase* call : adds) InsertMark(call, kAdds, {call->getArgOperand(0)});
  for (CallBase* call : outside) InsertMark(call, kOutside, {});
}

void MarkUnit(Module& module) {
  auto* constructor = Function::Create(FunctionType::get(Type::getVoidTy(module.getContext()), false),
                                       GlobalValue::InternalLinkage, "heddle.unit_ctor", module);
  constructor->addFnAttr(Attribute::NoUnwind);
  constructor->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", constructor));
  builder.CreateCall(module.getOrInsertFunction(kUnit, builder.getVoidTy()));
  builder.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 0);
}

void GuardMark(CallInst* mark) {
  Module& module = *mark->getModule();
  IRBuilder<> builder(mark);
  Type* byte = builder.getInt8Ty();
  GlobalVariable* wanted = module.getGlobalVariable(kWanted);
  if (wanted == nullptr) {
    wanted = new GlobalVariable(module, byte, false, GlobalValue::ExternalLinkage, nullptr, kWanted);
  }
  Value* is_wanted = builder.CreateICmpNE(builder.CreateLoad(byte, wanted), builder.getInt8(0));
  MDNode* rarely = MDBuilder(module.getContext()).createBranchWeights(1, 100000);
  Instruction* then = SplitBlockAndInsertIfThen(is_wanted, mark->getIterator(), false, rarely);
  mark->moveBefore(then);
}

}  // namespace heddle::instrument
