#include "deadlock/pointers/externals.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

ObjectId ExternalModels::NewObject(const llvm::Value* site, ObjectKind kind, int64_t size) {
  auto found = graph_.site_objects_.find(site);
  if (found != graph_.site_objects_.end()) return found->second;
  Object object;
  object.kind = kind;
  object.site = site;
  object.size = size;
  object.layout = graph_.types_.Of(site);
  ObjectId id = graph_.locations_.Add(object);
  graph_.site_objects_[site] = id;
  return id;
}

PointsTo::NodeId ExternalModels::Argument(const CallBase& call, int number) {
  if (number < 0 || static_cast<unsigned>(number) >= call.arg_size()) return graph_.NewNode();
  return graph_.NodeOf(call.getArgOperand(static_cast<unsigned>(number)));
}

PointsTo::NodeId ExternalModels::LoadFrom(PointsTo::NodeId address) {
  PointsTo::NodeId to = graph_.NewNode();
  graph_.ComplexOf(address).loads.push_back({to, 8, kAnyTag});
  return to;
}

// The constant argument, if it is one.
static int64_t ConstantBytes(const CallBase& call, unsigned number) {
  const auto* bytes = number < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(number)) : nullptr;
  return bytes == nullptr || bytes->getBitWidth() > 64 ? Locations::kUnbounded : bytes->getSExtValue();
}

int64_t AllocatedBytes(const CallBase& call) {
  llvm::StringRef name = call.getCalledFunction() == nullptr ? "" : call.getCalledFunction()->getName();
  if (name == "calloc") {
    const auto* count = dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    const auto* each = dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    return count == nullptr || each == nullptr ? 0 : count->getSExtValue() * each->getSExtValue();
  }
  if (name != "malloc" && name != "_Znwm" && name != "_Znam") return 0;
  const auto* bytes = dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  return bytes == nullptr || bytes->getBitWidth() > 64 ? 0 : bytes->getSExtValue();
}

void ExternalModels::Allocate(const CallBase& call, int handle) {
  LocId loc = graph_.locations_.At(NewObject(&call, ObjectKind::kHeap, std::max<int64_t>(AllocatedBytes(call), 0)));
  if (handle < 0) return graph_.AddLoc(graph_.NodeOf(&call), loc);
  PointsTo::NodeId fresh = graph_.NewNode();
  graph_.AddLoc(fresh, loc);
  graph_.ComplexOf(Argument(call, handle)).stores.push_back({fresh, 8, kAnyTag});
}

void ExternalModels::StoreThread(const CallBase& call, int handle) {
  LocId loc = graph_.LocOfThread(call);
  if (handle == Primitive::kReturn) return graph_.AddLoc(graph_.NodeOf(&call), loc);
  PointsTo::NodeId fresh = graph_.NewNode();
  graph_.AddLoc(fresh, loc);
  graph_.ComplexOf(Argument(call, handle)).stores.push_back({fresh, 8, kAnyTag});
}

void ExternalModels::Create(const CallBase& call, const Primitive& primitive) {
  StoreThread(call, primitive.handle);
  graph_.ComplexOf(Argument(call, primitive.start))
      .callbacks.push_back({Argument(call, primitive.arg), primitive.param, graph_.thread_results_, nullptr});
}

// *arg is the state, whose vtable has _M_run in its third place (after two destructors).
void ExternalModels::StdStart(const CallBase& call, const Primitive& primitive) {
  StoreThread(call, primitive.handle);
  PointsTo::NodeId state = LoadFrom(Argument(call, primitive.arg));
  PointsTo::NodeId vtable = LoadFrom(state);
  PointsTo::NodeId slot = graph_.NewNode();
  graph_.ComplexOf(vtable).offsets.push_back({slot, 16, 0, true});
  graph_.ComplexOf(LoadFrom(slot)).callbacks.push_back({state, 0, graph_.NewNode(), nullptr});
}

// Function arguments are called with any of the other arguments, or with what those point to.
void ExternalModels::CallBack(const CallBase& call, const Primitive* primitive, std::set<Function*>* registry) {
  PointsTo::NodeId data = graph_.NewNode();
  if (primitive != nullptr && primitive->start >= 0) {
    PointsTo::NodeId argument = primitive->arg >= 0 ? Argument(call, primitive->arg) : data;
    graph_.ComplexOf(Argument(call, primitive->start))
        .callbacks.push_back({argument, primitive->param, graph_.NewNode(), registry});
    return;
  }
  for (const llvm::Value* argument : call.args()) {
    if (!argument->getType()->isPointerTy()) continue;
    PointsTo::NodeId node = graph_.NodeOf(argument);
    graph_.AddCopy(node, data);
    // An array that is sorted or searched: its elements.
    if (registry == nullptr) graph_.ComplexOf(node).offsets.push_back({data, 0, 1, false});
    graph_.ComplexOf(node).callbacks.push_back({data, -1, graph_.NewNode(), registry});
  }
}

LocId ExternalModels::Memory(const llvm::Value& of, bool harmless) {
  auto known = graph_.site_objects_.find(&of);
  if (known != graph_.site_objects_.end()) return graph_.locations_.At(known->second);
  LocId made = graph_.locations_.At(NewObject(&of, ObjectKind::kExternal, 0));
  graph_.locations_.object(graph_.locations_.loc(made).object).harmless = harmless;
  return made;
}

void ExternalModels::Unknown(const CallBase& call, Function& callee) {
  graph_.unknown_externals_.insert(callee.getName().str());
  LocId made = Memory(callee);
  graph_.CallOutside(call, made);
  graph_.Escape(made);
}

// The address of a function of the program, if it has that name: all of them when the name is not known.
void ExternalModels::Symbol(const CallBase& call, Function& callee) {
  Unknown(call, callee);
  llvm::StringRef name;
  bool known = call.arg_size() > 1 && llvm::getConstantStringInfo(call.getArgOperand(1), name);
  for (Function& function : graph_.module_) {
    if (function.isDeclaration() || function.hasLocalLinkage() || (known && function.getName() != name)) continue;
    graph_.AddLoc(graph_.NodeOf(&call), graph_.LocOfGlobal(function));
  }
}

// Links nodes of a tree or a list: whatever its arguments lead to may be stored in any of them.
void ExternalModels::Link(const CallBase& call) {
  constexpr int64_t kNodeBytes = 32;
  PointsTo::NodeId all = graph_.NewNode();
  for (const llvm::Value* argument : call.args()) {
    if (argument->getType()->isPointerTy()) graph_.AddCopy(graph_.NodeOf(argument), all);
  }
  graph_.ComplexOf(all).loads.push_back({all, kNodeBytes, kAnyTag});
  graph_.ComplexOf(all).stores.push_back({all, kNodeBytes, kAnyTag});
  if (call.getType()->isPointerTy()) graph_.AddCopy(all, graph_.NodeOf(&call));
}

void ExternalModels::Variable(const llvm::GlobalVariable& global) {
  Object memory;
  memory.kind = ObjectKind::kExternal;
  PointsTo::NodeId node = graph_.NewNode();
  graph_.AddLoc(node, graph_.locations_.At(graph_.locations_.Add(memory)));
  LocId variable = graph_.LocOfGlobal(global);
  graph_.AddCopy(node, graph_.AnywhereNode(graph_.locations_.loc(variable).object, kAnyTag));
  graph_.AddLoc(graph_.Outside(), variable);
}

// Members of strings and operators of streams: a result is the object itself, not the text that it was given.
static bool ReturnsObject(llvm::StringRef name) {
  for (const char* start : {"_ZNSt7__cxx1112basic_string", "_ZNKSt7__cxx1112basic_string", "_ZNSo", "_ZNSi", "_ZStls",
                            "_ZStrs", "_ZSt16__ostream_insert", "_ZSt7getline"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// A handler for a pointer gets what is in the thrown object, not the object.
static bool MayCatchPointer(const CallBase& call) {
  const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(call.getArgOperand(0));
  const auto* pad = part == nullptr ? nullptr : llvm::dyn_cast<llvm::LandingPadInst>(part->getAggregateOperand());
  if (pad == nullptr) return true;
  for (unsigned i = 0; i < pad->getNumClauses(); ++i) {
    if (pad->isCatch(i) && pad->getClause(i)->stripPointerCasts()->getName().starts_with("_ZTIP")) return true;
  }
  return false;
}

// A caught object as one of its base classes, and dynamic_cast, whose last argument says how far the operand's class is
// inside of the result's, if every object has it at one place.
void ExternalModels::Subobject(const CallBase& call) {
  constexpr int64_t kAlignment = 8;
  const bool cast = call.arg_size() > 3;
  int64_t distance = cast ? ConstantBytes(call, 3) : -1;
  bool known = distance >= 0 && distance != Locations::kUnbounded;
  graph_.ComplexOf(Argument(call, 0))
      .offsets.push_back({graph_.NodeOf(&call), known ? -distance : 0, known ? 0 : kAlignment, known});
  if (!cast && MayCatchPointer(call))
    graph_.ComplexOf(Argument(call, 0)).loads.push_back({graph_.NodeOf(&call), 8, kAnyTag});
}

// qsort moves what is in one element to any other; bsearch and its like return the address of any, and lsearch puts
// what it looked for into one.
void ExternalModels::Elements(const CallBase& call, llvm::StringRef name) {
  constexpr int64_t kAlignment = 8;
  const bool sorts = name.starts_with("qsort");
  if (!sorts && name != "bsearch" && name != "lfind" && name != "lsearch") return;
  int64_t bytes = ConstantBytes(call, sorts ? 2 : 3);
  int64_t stride = bytes == Locations::kUnbounded ? kAlignment : bytes;
  PointsTo::NodeId any = sorts ? graph_.NewNode() : graph_.NodeOf(&call);
  graph_.ComplexOf(Argument(call, sorts ? 0 : 1)).offsets.push_back({any, 0, stride, false});
  if (sorts) graph_.AddMemoryCopy(any, any, bytes);
  if (name == "lsearch") graph_.AddMemoryCopy(any, Argument(call, 0), bytes);
}

// Neither keeps nor calls what it is given; may hand it back, or memory of its own.
void ExternalModels::Plain(const CallBase& call, Function& callee) {
  bool returns = graph_.CanPointAt(&call);
  const bool object_only = ReturnsObject(callee.getName());
  PointsTo::NodeId made = graph_.NewNode();
  graph_.AddLoc(made, Memory(callee, true));
  if (returns && call.getType()->isPointerTy()) graph_.AddCopy(made, graph_.NodeOf(&call));
  for (const llvm::Value* argument : call.args()) {
    if (!argument->getType()->isPointerTy()) continue;
    PointsTo::NodeId node = graph_.NodeOf(argument);
    if (returns && (!object_only || argument == call.getArgOperand(0))) graph_.AddCopy(node, graph_.NodeOf(&call));
    graph_.ComplexOf(node).stores.push_back({made, 8, kAnyTag});
  }
}

// Characters of a string of the C++ library: in pieces of unknown length they hold no addresses. Without this, the
// characters inside of a string object would be copied together with what is behind it in the same structure.
static bool CopiesText(const CallBase& call) {
  if (llvm::isa<llvm::ConstantInt>(call.getArgOperand(2))) return false;
  const llvm::DILocation* at = call.getDebugLoc();
  const llvm::DISubprogram* in = at == nullptr ? nullptr : at->getScope()->getSubprogram();
  llvm::StringRef name = in == nullptr ? call.getFunction()->getName() : in->getLinkageName();
  return name.starts_with("_ZNSt11char_traitsI");
}

void ExternalModels::Intrinsic(const CallBase& call, Function& callee) {
  switch (callee.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove: {
      if (CopiesText(call)) return;
      PointsTo::NodeId target = Argument(call, 0), source = Argument(call, 1);
      graph_.AddMemoryCopy(target, source, ConstantBytes(call, 2));
      return;
    }
    case llvm::Intrinsic::vastart: {
      // The list holds pointers to an area with every variable argument in it.
      const Function* function = call.getFunction();
      ObjectId area = NewObject(function->getArg(0), ObjectKind::kStack, 0);
      PointsTo::NodeId pointer = graph_.NewNode();
      graph_.AddLoc(pointer, graph_.locations_.Whole(area));
      graph_.StoreTo(graph_.locations_.Whole(area), {graph_.VarargNode(function), 8, kAnyTag});
      graph_.ComplexOf(Argument(call, 0)).stores.push_back({pointer, 24, kAnyTag});
      return;
    }
    default: {
      if (!CanPoint(graph_.module_.getDataLayout(), call.getType())) return;
      for (const llvm::Value* argument : call.args()) {
        if (argument->getType()->isPointerTy()) graph_.AddCopy(graph_.NodeOf(argument), graph_.NodeOf(&call));
      }
    }
  }
}

void ExternalModels::Call(const CallBase& call, Function& callee) {
  if (callee.isIntrinsic()) return Intrinsic(call, callee);
  const Primitive* primitive = graph_.primitives_.Find(callee.getName().str());
  if (primitive == nullptr && IsPlainLibraryFunction(callee.getName().str())) return Plain(call, callee);
  if (primitive == nullptr) return Unknown(call, callee);
  switch (primitive->action) {
    case Action::kAlloc:
      return Allocate(call, primitive->handle);
    case Action::kRealloc: {
      Allocate(call, Primitive::kReturn);
      PointsTo::NodeId result = graph_.NodeOf(&call), old = Argument(call, 0);
      graph_.AddMemoryCopy(result, old, Locations::kUnbounded);
      graph_.AddCopy(old, result);
      return;
    }
    case Action::kCopy: {
      PointsTo::NodeId target = Argument(call, 0), source = Argument(call, 1);
      graph_.AddMemoryCopy(target, source, ConstantBytes(call, 2));
      graph_.AddCopy(target, graph_.NodeOf(&call));
      return;
    }
    case Action::kReturnsArg:
      graph_.ComplexOf(Argument(call, 0)).offsets.push_back({graph_.NodeOf(&call), 0, 0, true});
      return;
    case Action::kSubobject:
      return Subobject(call);
    case Action::kCreate:
      return Create(call, *primitive);
    case Action::kStdStart:
      return StdStart(call, *primitive);
    case Action::kJoin:
      if (call.arg_size() > 1)
        graph_.ComplexOf(Argument(call, 1)).stores.push_back({graph_.thread_results_, 8, kAnyTag});
      return;
    case Action::kThreadExit:
      if (call.arg_size() > 0) graph_.AddCopy(Argument(call, 0), graph_.thread_results_);
      return;
    case Action::kOnce:
      graph_.ComplexOf(Argument(call, primitive->start))
          .callbacks.push_back({graph_.NewNode(), -1, graph_.NewNode(), nullptr});
      return;
    case Action::kCallNow:
      Elements(call, callee.getName());
      return CallBack(call, primitive, nullptr);
    case Action::kCallLater:
      if (primitive->start >= 0) return CallBack(call, primitive, &graph_.kept_callbacks_);
      return Keep(call, callee);
    case Action::kKeep:
      return Keep(call, callee);
    case Action::kThrow:
      return graph_.AddCopy(Argument(call, 0), graph_.thrown_);
    case Action::kLink:
      return Link(call);
    case Action::kPlain:
      return Plain(call, callee);
    case Action::kSymbol:
      return Symbol(call, callee);
    case Action::kSend:
      return Transfer(call, *primitive, true);
    case Action::kReceive:
      return Transfer(call, *primitive, false);
    case Action::kKeyCreate:
      graph_.ComplexOf(Argument(call, primitive->start))
          .callbacks.push_back({graph_.specific_, 0, graph_.NewNode(), &graph_.kept_callbacks_});
      return;
    case Action::kExitOnly:
      return CallBack(call, primitive, &graph_.exit_functions_);
    case Action::kAtExit:
      CallBack(call, primitive, &graph_.exit_functions_);
      return CallBack(call, primitive, &graph_.kept_callbacks_);
    case Action::kSignal: {
      PointsTo::NodeId handler = Argument(call, primitive->start);
      for (int i = 0; i < primitive->deref; ++i) handler = LoadFrom(handler);
      graph_.ComplexOf(handler).callbacks.push_back({graph_.NewNode(), -1, graph_.NewNode(), &graph_.signal_handlers_});
      return;
    }
    case Action::kSetSpecific:
      return graph_.AddCopy(Argument(call, primitive->arg), graph_.specific_);
    case Action::kGetSpecific:
      return graph_.AddCopy(graph_.specific_, graph_.NodeOf(&call));
    default:
      return;
  }
}

// Addresses go through descriptors in messages of fixed size, or as the user data of epoll.
void ExternalModels::Transfer(const CallBase& call, const Primitive& primitive, bool sends) {
  int64_t bytes = Locations::kUnbounded;
  if (primitive.param > 0) {
    bytes = ConstantBytes(call, static_cast<unsigned>(primitive.param));
    if (bytes == Locations::kUnbounded) return;
  }
  PointsTo::NodeId memory = Argument(call, primitive.arg), channel = Channel();
  sends ? graph_.AddMemoryCopy(channel, memory, bytes) : graph_.AddMemoryCopy(memory, channel, bytes);
}

// Known to keep what it is given, and to hand it out or call it later: no assumption has to be made about it.
void ExternalModels::Keep(const CallBase& call, Function& callee) {
  LocId made = Memory(callee);
  graph_.CallOutside(call, made);
  graph_.Escape(made);
}

// What is written to a descriptor may be read from one.
PointsTo::NodeId ExternalModels::Channel() {
  if (graph_.channel_ == PointsTo::kNoNode) {
    Object object;
    object.kind = ObjectKind::kExternal;
    object.only_whole = true;
    graph_.channel_ = graph_.NewNode();
    graph_.AddLoc(graph_.channel_, graph_.locations_.Whole(graph_.locations_.Add(object)));
  }
  return graph_.channel_;
}

// The name of what a parameter points to, from the debug info; empty when there is none.
static std::string PointeeName(const Function& function, unsigned number) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || subprogram->getType() == nullptr) return "";
  llvm::DITypeRefArray types = subprogram->getType()->getTypeArray();
  if (number + 1 >= types.size()) return "";
  const llvm::DIType* type = types[number + 1];
  bool pointer = false;
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    bool here = derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ||
                derived->getTag() == llvm::dwarf::DW_TAG_reference_type;
    if (here && pointer) return "";
    pointer |= here;
    type = derived->getBaseType();
  }
  return pointer && type != nullptr ? type->getName().str() : "";
}

void ExternalModels::Exported(Function& function) {
  for (llvm::Argument& argument : function.args()) {
    if (!argument.getType()->isPointerTy()) continue;
    std::string type = PointeeName(function, argument.getArgNo());
    ObjectId object = 0;
    auto found = graph_.caller_objects_.find(type);
    if (!type.empty() && found != graph_.caller_objects_.end()) {
      object = found->second;
    } else {
      object = NewObject(&argument, ObjectKind::kCaller, 0);
      if (!type.empty()) graph_.caller_objects_[type] = object;
    }
    graph_.AddLoc(graph_.NodeOf(&argument), graph_.locations_.At(object));
  }
}

}  // namespace heddle::deadlock
