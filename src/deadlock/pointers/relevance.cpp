#include "deadlock/pointers/relevance.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "deadlock/input/hidden_calls.h"
#include "deadlock/input/sections.h"

namespace heddle::deadlock {

using llvm::dyn_cast;
using llvm::isa;

Relevance::ClassId Relevance::New() {
  auto id = static_cast<ClassId>(classes_.size());
  classes_.push_back({});
  classes_.back().parent = id;
  return id;
}

Relevance::ClassId Relevance::Find(ClassId id) const {
  while (classes_[id].parent != id) {
    classes_[id].parent = classes_[classes_[id].parent].parent;
    id = classes_[id].parent;
  }
  return id;
}

Relevance::ClassId Relevance::Behind(ClassId id) {
  id = Find(id);
  if (classes_[id].behind == kNoClass) {
    ClassId fresh = New();
    classes_[id].behind = fresh;
  }
  return Find(classes_[id].behind);
}

Relevance::ClassId Relevance::Parameter(ClassId function, size_t number) {
  function = Find(function);
  while (classes_[function].parameters.size() <= number) {
    ClassId fresh = New();
    classes_[function].parameters.push_back(fresh);
  }
  return Find(classes_[function].parameters[number]);
}

Relevance::ClassId Relevance::ResultOf(ClassId function) {
  function = Find(function);
  if (classes_[function].result == kNoClass) {
    ClassId fresh = New();
    classes_[function].result = fresh;
  }
  return Find(classes_[function].result);
}

void Relevance::Unite(ClassId a, ClassId b) {
  std::vector<std::pair<ClassId, ClassId>> work = {{a, b}};
  while (!work.empty()) {
    auto [x, y] = work.back();
    work.pop_back();
    x = Find(x);
    y = Find(y);
    if (x == y) continue;
    classes_[y].parent = x;
    ++unions_;
    Class& into = classes_[x];
    Class& from = classes_[y];
    into.relevant |= from.relevant;
    into.has_function |= from.has_function;
    if (into.behind == kNoClass)
      into.behind = from.behind;
    else if (from.behind != kNoClass)
      work.push_back({into.behind, from.behind});
    if (into.result == kNoClass)
      into.result = from.result;
    else if (from.result != kNoClass)
      work.push_back({into.result, from.result});
    for (size_t i = 0; i < from.parameters.size(); ++i) {
      if (i < into.parameters.size())
        work.push_back({into.parameters[i], from.parameters[i]});
      else
        into.parameters.push_back(from.parameters[i]);
    }
  }
}

Relevance::ClassId Relevance::Of(const llvm::Value* value) {
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(value)) value = alias->getAliasee();
  auto found = values_.find(value);
  if (found != values_.end()) {
    found->second = Find(found->second);
    return found->second;
  }
  ClassId id = New();
  values_.emplace(value, id);
  if (const auto* expression = dyn_cast<llvm::ConstantExpr>(value)) {
    for (const llvm::Value* operand : expression->operands()) {
      if (!isa<llvm::ConstantData>(operand)) Unite(id, Of(operand));
    }
  } else if (const auto* chosen = dyn_cast<llvm::GlobalIFunc>(value)) {
    if (const llvm::Function* resolver = chosen->getResolverFunction()) Unite(id, ResultOf(Of(resolver)));
  } else if (const auto* function = dyn_cast<llvm::Function>(value)) {
    classes_[id].has_function = !function->isDeclaration();
    for (const llvm::Argument& argument : function->args()) Unite(Parameter(id, argument.getArgNo()), Of(&argument));
  }
  return Find(id);
}

void Relevance::Initialiser(ClassId behind, const llvm::Value* constant) {
  if (isa<llvm::ConstantData>(constant)) return;
  if (const auto* aggregate = dyn_cast<llvm::ConstantAggregate>(constant)) {
    for (const llvm::Value* part : aggregate->operands()) Initialiser(behind, part);
    return;
  }
  Unite(behind, Of(constant));
}

bool Relevance::Leaves(const llvm::CallBase& call, const Primitive* primitive) const {
  if (primitive != nullptr) {
    return primitive->action == Action::kKeep || primitive->action == Action::kSymbol ||
           (primitive->action == Action::kCallLater && primitive->start < 0);
  }
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  return callee != nullptr && callee->isDeclaration() && !callee->isIntrinsic() &&
         !IsPlainLibraryFunction(callee->getName().str());
}

// Everything that the arguments lead to is known outside, and all that is known there is one class.
void Relevance::Leave(const llvm::CallBase& call) {
  for (const llvm::Value* argument : call.args()) {
    if (!isa<llvm::ConstantData>(argument)) Unite(outside_, Of(argument));
  }
  if (!call.getType()->isVoidTy()) Unite(outside_, Of(&call));
  CloseOutside();
}

void Relevance::CloseOutside() {
  Unite(outside_, Behind(outside_));
  for (size_t i = 0; i < classes_[Find(outside_)].parameters.size(); ++i) {
    Unite(outside_, classes_[Find(outside_)].parameters[i]);
  }
  if (classes_[Find(outside_)].result != kNoClass) Unite(outside_, classes_[Find(outside_)].result);
}

void Relevance::External(const llvm::CallBase& call, const Primitive* primitive) {
  bool copies = primitive == nullptr || primitive->action != Action::kNothing;
  if (!copies) return;
  if (Leaves(call, primitive)) return Leave(call);
  ClassId first = kNoClass;
  for (const llvm::Value* argument : call.args()) {
    if (!argument->getType()->isPointerTy() || isa<llvm::ConstantData>(argument)) continue;
    ClassId id = Of(argument);
    // A function that is called back gets any of the others.
    if (first == kNoClass) first = id;
    Unite(first, id);
  }
  if (first == kNoClass) return;
  if (call.getType()->isPointerTy()) Unite(first, Of(&call));
  // Handlers for pointers get what is in the thrown object.
  if (primitive != nullptr && primitive->action == Action::kSubobject) Unite(first, Behind(first));
  ClassId parameters = Find(first);
  for (size_t i = 0; i < classes_[parameters].parameters.size(); ++i) {
    Unite(Find(first), classes_[Find(parameters)].parameters[i]);
  }
}

// std::thread: *arg is the state, and the thread calls a function of its table with it.
Relevance::ClassId Relevance::StartedBy(const llvm::CallBase& call, const Primitive& primitive) {
  ClassId state = Behind(Of(call.getArgOperand(static_cast<unsigned>(primitive.arg))));
  ClassId function = Behind(Behind(state));
  Unite(Parameter(function, 0), state);
  return Find(function);
}

void Relevance::Call(const llvm::CallBase& call) {
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (call.isInlineAsm() || (callee != nullptr && callee->isIntrinsic() && !isa<llvm::MemTransferInst>(call) &&
                             callee->getIntrinsicID() != llvm::Intrinsic::vastart && call.getType()->isVoidTy())) {
    return;
  }
  if (const auto* copy = dyn_cast<llvm::MemTransferInst>(&call)) {
    Unite(Behind(Of(copy->getArgOperand(0))), Behind(Of(copy->getArgOperand(1))));
    return;
  }
  const Primitive* primitive = callee == nullptr ? nullptr : primitives_.Find(callee->getName().str());
  if (callee != nullptr && primitive != nullptr && primitive->action == Action::kAlloc) return;
  if (primitive != nullptr && primitive->action == Action::kThrow) return Unite(thrown_, Of(call.getArgOperand(0)));
  if (primitive != nullptr && primitive->action == Action::kStdStart) StartedBy(call, *primitive);
  if (callee != nullptr && (callee->isDeclaration() || primitive != nullptr)) return External(call, primitive);
  ClassId function = Of(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (callee == nullptr && Find(function) == Find(outside_)) Leave(call);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!isa<llvm::ConstantData>(call.getArgOperand(i))) Unite(Parameter(function, i), Of(call.getArgOperand(i)));
  }
  if (!call.getType()->isVoidTy()) Unite(ResultOf(function), Of(&call));
}

void Relevance::Visit(const llvm::Value& value) {
  const auto& instruction = llvm::cast<llvm::Instruction>(value);
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    Unite(Of(load), Behind(Of(load->getPointerOperand())));
  } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!isa<llvm::ConstantData>(store->getValueOperand())) {
      Unite(Behind(Of(store->getPointerOperand())), Of(store->getValueOperand()));
    }
  } else if (isa<llvm::AtomicRMWInst>(instruction) || isa<llvm::AtomicCmpXchgInst>(instruction)) {
    ClassId behind = Behind(Of(instruction.getOperand(0)));
    for (unsigned i = 1; i < instruction.getNumOperands(); ++i) Unite(behind, Of(instruction.getOperand(i)));
    Unite(behind, Of(&instruction));
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    Call(*call);
  } else if (isa<llvm::LandingPadInst>(instruction)) {
    Unite(thrown_, Of(&instruction));
  } else if (const auto* resume = dyn_cast<llvm::ResumeInst>(&instruction)) {
    Unite(thrown_, Of(resume->getValue()));
  } else if (const auto* ret = dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (ret->getReturnValue() != nullptr && !isa<llvm::ConstantData>(ret->getReturnValue())) {
      Unite(ResultOf(Of(ret->getFunction())), Of(ret->getReturnValue()));
    }
  } else if (const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    Unite(Of(gep), Of(gep->getPointerOperand()));
  } else if (!isa<llvm::CmpInst>(instruction) && !isa<llvm::BranchInst>(instruction) &&
             !isa<llvm::SwitchInst>(instruction)) {
    for (const llvm::Value* operand : instruction.operands()) {
      bool carries =
          !isa<llvm::ConstantData>(operand) && !isa<llvm::BasicBlock>(operand) && !instruction.getType()->isVoidTy();
      if (carries && operand->getType()->getPrimitiveSizeInBits() != 1) Unite(Of(&instruction), Of(operand));
    }
  }
}

// The operands that the later stages ask about.
void Relevance::Seed(const llvm::CallBase& call) {
  auto mark = [this](const llvm::Value* value) { classes_[Of(value)].relevant = true; };
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (callee == nullptr) return mark(call.getCalledOperand());
  const Primitive* primitive = primitives_.Find(callee->getName().str());
  // What an unknown function calls back, and with what, matters.
  bool plain =
      primitive != nullptr && (primitive->action == Action::kNothing || primitive->action == Action::kThrow ||
                               primitive->action == Action::kCopy || primitive->action == Action::kReturnsArg ||
                               primitive->action == Action::kSubobject || primitive->action == Action::kAlloc ||
                               primitive->action == Action::kRealloc);
  if (!callee->isDeclaration() || callee->isIntrinsic() || plain) return;
  for (const llvm::Value* argument : call.args()) {
    bool function = isa<llvm::Function>(argument->stripPointerCasts());
    if (argument->getType()->isIntOrPtrTy() && (primitive != nullptr || function)) mark(argument);
    if (primitive == nullptr || isa<llvm::ConstantData>(argument)) continue;
    ClassId at = Of(argument);
    for (int i = 0; i < primitive->deref; ++i) {
      at = Behind(at);
      classes_[at].relevant = true;
    }
  }
  if (primitive != nullptr && !call.getType()->isVoidTy()) mark(&call);
  if (primitive != nullptr && primitive->action == Action::kStdStart) {
    classes_[StartedBy(call, *primitive)].relevant = true;
  }
}

void Relevance::Close() {
  std::unordered_map<ClassId, std::vector<ClassId>> addresses;  // of a class: the classes that point to it
  std::vector<ClassId> work;
  for (ClassId id = 0; id < classes_.size(); ++id) {
    if (classes_[id].parent != id) continue;
    if (classes_[id].relevant) work.push_back(id);
    if (classes_[id].behind != kNoClass) addresses[Find(classes_[id].behind)].push_back(id);
  }
  while (!work.empty()) {
    ClassId id = work.back();
    work.pop_back();
    for (ClassId address : addresses[id]) {
      if (classes_[address].relevant) continue;
      classes_[address].relevant = true;
      work.push_back(address);
    }
  }
}

Relevance::Relevance(llvm::Module& module, const Primitives& primitives) : module_(module), primitives_(primitives) {
  outside_ = New();
  thrown_ = New();
  for (const llvm::GlobalVariable& global : module_.globals()) {
    if (global.hasInitializer()) {
      Initialiser(Behind(Of(&global)), global.getInitializer());
    } else if (!global.isConstant() && !IsPlainLibraryFunction(global.getName().str())) {
      Unite(outside_, Of(&global));
    }
  }
  for (const llvm::GlobalVariable* global : FoundByPlace(module_)) Unite(outside_, Of(global));
  for (const llvm::Function& function : module_) {
    if (IsOwnAllocation(function)) Unite(outside_, Of(&function));
  }
  // Again while a class gains members: what an external call gives to functions depends on which functions are known.
  for (size_t before = SIZE_MAX; before != unions_;) {
    before = unions_;
    for (const llvm::Function& function : module_) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) Visit(instruction);
    }
    CloseOutside();
  }
  // Functions that external code knows are called with what it knows.
  if (classes_[Find(outside_)].has_function) classes_[Find(outside_)].relevant = true;
  for (const llvm::Function& function : module_) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) Seed(*call);
    }
  }
  Close();
}

bool Relevance::Relevant(const llvm::Value* value) const {
  auto found = values_.find(value);
  return found == values_.end() || classes_[Find(found->second)].relevant;
}

size_t Relevance::relevant_values() const {
  size_t count = 0;
  for (const auto& [value, id] : values_) count += classes_[Find(id)].relevant ? 1 : 0;
  return count;
}

}  // namespace heddle::deadlock
