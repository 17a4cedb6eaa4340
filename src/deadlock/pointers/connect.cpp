// Values and calls as nodes of the pointer analysis.
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/externals.h"
#include "deadlock/pointers/relevance.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

using llvm::dyn_cast;
using llvm::Function;
using llvm::isa;

static bool IsCxx(const Function& function) {
  if (function.getName().starts_with("_Z")) return true;
  const llvm::DISubprogram* described = function.getSubprogram();
  return described != nullptr && described->getUnit() != nullptr &&
         llvm::dwarf::isCPlusPlus(static_cast<llvm::dwarf::SourceLanguage>(described->getUnit()->getSourceLanguage()));
}

bool Fits(const llvm::CallBase& call, const Function& callee) {
  // In C++ a function is called as what it is; in C, callbacks with fewer parameters are common.
  if (callee.getName().starts_with("_Z") && IsCxx(*call.getFunction())) {
    return call.getFunctionType() == callee.getFunctionType();
  }
  if (callee.arg_size() > call.arg_size()) return false;
  for (const llvm::Argument& parameter : callee.args()) {
    const llvm::Type *wanted = parameter.getType(), *given = call.getArgOperand(parameter.getArgNo())->getType();
    if (wanted->isPointerTy() != given->isPointerTy() || wanted->isFloatingPointTy() != given->isFloatingPointTy())
      return false;
  }
  return true;
}

bool IsEntryOfLibrary(const Function& function) {
  if (function.isDeclarationForLinker() || function.hasLocalLinkage()) return false;
  bool instance = function.hasLinkOnceODRLinkage() || function.hasWeakODRLinkage();
  return !instance || !IsCxxLibraryName(function.getName().str()) || function.hasAddressTaken();
}

LocId PointsTo::LocOfGlobal(const llvm::Value& global) {
  auto found = site_objects_.find(&global);
  if (found != site_objects_.end()) return locations_.At(found->second);
  Object object;
  object.site = &global;
  if (isa<Function>(global)) {
    object.kind = ObjectKind::kFunction;
  } else {
    object.kind = ObjectKind::kGlobal;
    const auto& variable = llvm::cast<llvm::GlobalVariable>(global);
    object.is_thread_local = variable.isThreadLocal();
    if (variable.getValueType()->isSized()) {
      object.type = variable.getValueType();
      object.size = static_cast<int64_t>(module_.getDataLayout().getTypeAllocSize(object.type).getFixedValue());
    }
  }
  ObjectId id = locations_.Add(object);
  site_objects_[&global] = id;
  return locations_.At(id);
}

// String literals hold neither locks nor addresses.
static bool IsText(const llvm::Value* value) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(value);
  if (global == nullptr || !global->isConstant()) return false;
  const auto* array = dyn_cast<llvm::ArrayType>(global->getValueType());
  return array != nullptr && array->getElementType()->isIntegerTy() &&
         array->getElementType()->getIntegerBitWidth() <= 32;
}

LocId PointsTo::LocOfThread(const llvm::CallBase& create) {
  auto found = thread_objects_.find(&create);
  if (found != thread_objects_.end()) return locations_.At(found->second);
  Object object;
  object.kind = ObjectKind::kThread;
  object.site = &create;
  ObjectId id = locations_.Add(object);
  thread_objects_[&create] = id;
  return locations_.At(id);
}

PointsTo::NodeId PointsTo::NodeOf(const llvm::Value* value) {
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(value)) value = alias->getAliasee();
  auto found = value_nodes_.find(value);
  if (found != value_nodes_.end()) return found->second;
  NodeId node = NewNode();
  value_nodes_.emplace(value, node);
  if (IsText(value)) return node;
  if (isa<llvm::GlobalVariable>(value) || isa<Function>(value)) {
    AddLoc(node, LocOfGlobal(*value));
  } else if (const auto* chosen = dyn_cast<llvm::GlobalIFunc>(value)) {
    // Whatever its resolver returns.
    if (const Function* resolver = chosen->getResolverFunction()) AddCopy(ReturnNode(resolver), node);
  } else if (const auto* expression = dyn_cast<llvm::ConstantExpr>(value)) {
    if (const auto* gep = dyn_cast<llvm::GEPOperator>(expression)) {
      Step step = StepOf(module_.getDataLayout(), *gep);
      NodeId base = NodeOf(gep->getPointerOperand());
      ComplexOf(base).offsets.push_back({node, step.constant, step.stride, step.forward});
    } else {
      for (const llvm::Value* operand : expression->operands()) AddCopy(NodeOf(operand), node);
    }
  }
  return node;
}

PointsTo::NodeId PointsTo::EntryOf(const llvm::Value* value) {
  auto found = entries_.find(value);
  if (found != entries_.end()) return found->second;
  NodeId node = NodeOf(value);
  if (PathId expected = types_.Expected(value); expected != kNoPath && all_ == kNoNode) {
    NodeId entry = NewNode();
    ComplexOf(entry).offsets.push_back({node, 0, 0, true, expected});
    node = entry;
  }
  entries_.emplace(value, node);
  return node;
}

bool PointsTo::Followed(const llvm::Value* value) const { return relevance_ == nullptr || relevance_->Relevant(value); }

bool PointsTo::CanPointAt(const llvm::Value* value) const {
  return CanPoint(module_.getDataLayout(), value->getType()) && carriers_.Carries(value);
}

PointsTo::NodeId PointsTo::ReturnNode(const Function* function) {
  auto [place, fresh] = return_nodes_.emplace(function, 0);
  if (fresh) {
    NodeId node = NewNode();
    return_nodes_[function] = node;
    return node;
  }
  return place->second;
}

PointsTo::NodeId PointsTo::VarargNode(const Function* function) {
  auto [place, fresh] = vararg_nodes_.emplace(function, 0);
  if (fresh) {
    NodeId node = NewNode();
    vararg_nodes_[function] = node;
    return node;
  }
  return place->second;
}

void PointsTo::PassArgument(const llvm::CallBase& call, unsigned number, Function& callee) {
  const llvm::Value* argument = call.getArgOperand(number);
  if (!CanPointAt(argument)) return;
  if (number >= callee.arg_size()) {
    if (callee.isVarArg()) AddCopy(NodeOf(argument), VarargNode(&callee));
    return;
  }
  const llvm::Argument* parameter = callee.getArg(number);
  if (relevance_ != nullptr && !relevance_->Relevant(parameter)) {
    ++stats_.dropped;
    return;
  }
  // By value: the callee's own copy, which for the analysis is the same memory.
  AddCopy(NodeOf(argument), EntryOf(parameter));
}

void PointsTo::ConnectCall(const llvm::CallBase& call, Function& callee) {
  bool direct = call.getCalledOperand()->stripPointerCastsAndAliases() == &callee;
  // Calling a function with fewer arguments than it has, or with others than it takes, is undefined.
  if (!direct && (!Fits(call, callee) || !tables_.CanReach(call, callee))) return;
  if (callee.isDeclaration() || primitives_.Find(callee.getName().str()) != nullptr) {
    callees_[&call].insert(&callee);
    return ExternalModels(*this).Call(call, callee);
  }
  if (!callees_[&call].insert(&callee).second) return;
  auto received = received_arguments_.find(&call);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (received == received_arguments_.end() || received->second != i) PassArgument(call, i, callee);
  }
  if (CanPointAt(&call)) AddCopy(ReturnNode(&callee), EntryOf(&call));
}

void PointsTo::ConnectCallback(const Callback& callback, Function& callee) {
  if (callee.isDeclaration()) return StartOutside(callback, callee);
  if (callback.registry != nullptr) callback.registry->insert(&callee);
  for (llvm::Argument& parameter : callee.args()) {
    bool meant = callback.parameter < 0 || static_cast<unsigned>(callback.parameter) == parameter.getArgNo();
    if (meant && CanPointAt(&parameter)) AddCopy(callback.argument, EntryOf(&parameter));
  }
  AddCopy(ReturnNode(&callee), callback.result);
}

std::vector<Function*> PointsTo::Callees(const llvm::CallBase& call) {
  auto found = callees_.find(&call);
  if (found == callees_.end()) return {};
  std::vector<Function*> sorted(found->second.begin(), found->second.end());
  std::sort(sorted.begin(), sorted.end(), [](Function* a, Function* b) { return a->getName() < b->getName(); });
  return sorted;
}

std::vector<Function*> PointsTo::Functions(const LocSet& set) const {
  std::vector<Function*> functions;
  for (LocId loc : set) {
    const Object& object = locations_.object_of(loc);
    if (object.kind != ObjectKind::kFunction) continue;
    functions.push_back(const_cast<Function*>(llvm::cast<Function>(object.site)));
  }
  return functions;
}

}  // namespace heddle::deadlock
