#include "deadlock/pointers/carriers.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr unsigned kAddressBits = 64;

// Only these are in question; pointers and aggregates always carry.
bool IsNumber(const llvm::Value* value) { return value->getType()->isIntegerTy(); }

const llvm::Function* Callee(const llvm::CallBase& call) {
  return dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

// Calls of code outside of the program that may keep what it is given.
bool Leaves(const llvm::CallBase& call, const Primitives& primitives) {
  const llvm::Function* callee = Callee(call);
  if (callee == nullptr) return true;
  std::string name = callee->getName().str();
  if (const Primitive* primitive = primitives.Find(name))
    return primitive->action == Action::kKeep || primitive->action == Action::kCallLater;
  return callee->isDeclaration() && !callee->isIntrinsic() && !IsPlainLibraryFunction(name);
}

bool MovesThreads(const llvm::Instruction& instruction) {
  constexpr const char* kStart =
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
  return instruction.getModule()->getFunction(kStart) != nullptr;
}

}  // namespace

bool Carriers::Carries(const llvm::Value* value) const { return !IsNumber(value) || carrying_.count(value) != 0; }

void Carriers::Mark(const llvm::Value* value) {
  if (!IsNumber(value) || isa<llvm::ConstantData>(value)) return;
  if (carrying_.insert(value).second) work_.push_back(value);
}

void Carriers::LoadsAs(TagId tag) {
  if (std::find(loaded_.begin(), loaded_.end(), tag) != loaded_.end()) return;
  loaded_.push_back(tag);
  for (const llvm::Value* waiting : waiting_) {
    const auto& store = llvm::cast<llvm::StoreInst>(*waiting);
    TagId stored_as = tags_.Of(store);
    bool read = tag == kAnyTag ? stored_as == kAnyTag : tags_.Meet(stored_as, tag);
    if (read) Mark(store.getValueOperand());
  }
}

void Carriers::Returned(const llvm::Function* function) {
  for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
    const auto* ret = dyn_cast<llvm::ReturnInst>(&instruction);
    if (ret != nullptr && ret->getReturnValue() != nullptr) Mark(ret->getReturnValue());
  }
}

// A number that comes from code outside of the program is one that it was given.
void Carriers::FromOutside() {
  for (const llvm::Value* number : given_) Mark(number);
  given_.clear();
}

// The number comes from what goes into the value.
void Carriers::MarkOperands(const llvm::Value& value) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&value)) {
    FromOutside();
    return LoadsAs(tags_.Of(*load));
  }
  if (const auto* call = dyn_cast<llvm::CallBase>(&value)) {
    const llvm::Function* callee = Callee(*call);
    if (callee != nullptr && !callee->isDeclaration()) return Returned(callee);
    // Through a pointer, or through a model: whatever goes in.
    if (callee == nullptr) {
      for (const llvm::Function* function : address_taken_) {
        if (function->getReturnType() == call->getType()) Returned(function);
      }
    }
    for (const llvm::Value* argument : call->args()) Mark(argument);
    if (Leaves(*call, primitives_)) FromOutside();
    return;
  }
  if (const auto* argument = dyn_cast<llvm::Argument>(&value)) {
    const llvm::Function* function = argument->getParent();
    for (const llvm::User* user : function->users()) {
      const auto* call = dyn_cast<llvm::CallBase>(user);
      if (call != nullptr && argument->getArgNo() < call->arg_size()) Mark(call->getArgOperand(argument->getArgNo()));
    }
    if (!function->hasAddressTaken()) return;
    FromOutside();
    for (const llvm::CallBase* call : indirect_) {
      if (argument->getArgNo() < call->arg_size()) Mark(call->getArgOperand(argument->getArgNo()));
    }
    return;
  }
  if (const auto* user = dyn_cast<llvm::User>(&value)) {
    for (const llvm::Value* operand : user->operands()) Mark(operand);
  }
}

// Uses of a number as an address: made a pointer, put into memory as something that is read as one, or into an
// aggregate.
void Carriers::SeedFrom(const llvm::Use& use) {
  const llvm::Value* value = use.get();
  if (!IsNumber(value) || isa<llvm::ConstantData>(value)) return;
  const llvm::User* user = use.getUser();
  if (isa<llvm::IntToPtrInst>(user) || isa<llvm::InsertValueInst>(user) || isa<llvm::InsertElementInst>(user) ||
      isa<llvm::BitCastInst>(user)) {
    return Mark(value);
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
    waiting_.push_back(store);
    // A std::thread moves its handle as a number.
    if (isa<llvm::LoadInst>(value) && value->getType()->isIntegerTy(64) && MovesThreads(*store)) Mark(value);
    return;
  }
  if (isa<llvm::AtomicRMWInst>(user) || isa<llvm::AtomicCmpXchgInst>(user)) return Mark(value);
  const auto* call = dyn_cast<llvm::CallBase>(user);
  if (call != nullptr && !call->isInlineAsm()) Passed(*call, use);
}

void Carriers::Passed(const llvm::CallBase& call, const llvm::Use& use) {
  const llvm::Function* callee = Callee(call);
  const Primitive* primitive = callee == nullptr ? nullptr : primitives_.Find(callee->getName().str());
  if (primitive != nullptr && primitive->action == Action::kJoin) return Mark(use.get());
  if (use->getType()->getIntegerBitWidth() < kAddressBits) return;
  if (Leaves(call, primitives_)) {
    given_.push_back(use.get());
  } else if (callee->isVarArg() && !callee->isDeclaration() && call.getArgOperandNo(&use) >= callee->arg_size()) {
    Mark(use.get());
  }
}

Carriers::Carriers(llvm::Module& module, const Primitives& primitives, AccessTags& tags)
    : primitives_(primitives), tags_(tags) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasAddressTaken()) address_taken_.push_back(&function);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const llvm::Use& use : instruction.operands()) SeedFrom(use);
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && !call->isInlineAsm() && Callee(*call) == nullptr) indirect_.push_back(call);
    }
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      // Pointers and aggregates that are loaded as such read numbers that were stored in their place.
      const auto* load = dyn_cast<llvm::LoadInst>(&instruction);
      if (load != nullptr && !IsNumber(load) && !load->getType()->isFPOrFPVectorTy()) LoadsAs(tags_.Of(*load));
    }
  }
  while (!work_.empty()) {
    const llvm::Value* value = work_.back();
    work_.pop_back();
    MarkOperands(*value);
  }
}

}  // namespace heddle::deadlock
