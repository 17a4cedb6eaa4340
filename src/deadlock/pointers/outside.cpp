// Code outside of the program: external functions that nothing is known about.
//
// One node stands for every address that external code may have got hold of. It grows from the arguments of calls that
// leave the program. External code reads and writes all memory behind its addresses: what is stored in such an object
// is known outside, and whatever is known outside may be stored in it. It calls every function that it knows, from any
// thread at any time, with any address that it knows, and gets what the function returns. Calls that leave the program
// return any of these addresses, or memory of external code's own (ExternalModels::Memory).
//
// Assumed: external code passes addresses on as it got them, not other offsets of the same object (but elements of an
// array that is sorted or searched), and memory that two external functions hand out is not the same unless it was
// given to one of them.
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

PointsTo::NodeId PointsTo::Outside() {
  if (outside_ == kNoNode) {
    outside_ = NewNode();
    ComplexOf(outside_).callbacks.push_back({outside_, -1, outside_, &kept_callbacks_});
  }
  return outside_;
}

void PointsTo::Escape(LocId loc) {
  ObjectId object = locations_.loc(loc).object;
  ObjectKind kind = locations_.object(object).kind;
  if (kind == ObjectKind::kFunction || kind == ObjectKind::kThread || !escaped_.insert(object).second) return;
  NodeId outside = Outside();
  std::vector<NodeId> stored;
  for (const auto& [tag, node] : locations_.object(object).anywhere.stored) stored.push_back(node);
  for (const auto& [granule, cell] : locations_.object(object).cells) {
    for (const auto& [tag, node] : cell.stored) stored.push_back(node);
  }
  for (NodeId node : stored) AddCopy(node, outside);
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(locations_.object(object).site);
  bool constant = kind == ObjectKind::kGlobal && global != nullptr && global->isConstant();
  if (!constant) AddCopy(outside, AnywhereNode(object, kAnyTag));
}

void PointsTo::CallOutside(const llvm::CallBase& call, LocId handed_out) {
  if (!outside_results_.insert({&call, handed_out}).second) return;
  NodeId outside = Outside();
  if (call.getType()->isPointerTy()) AddLoc(NodeOf(&call), handed_out);
  if (!outside_calls_.insert(&call).second) return;
  NodeId made = NewNode();
  AddLoc(made, handed_out);
  for (const llvm::Value* argument : call.args()) {
    if (!CanPointAt(argument) || llvm::isa<llvm::ConstantData>(argument)) continue;
    AddCopy(NodeOf(argument), outside);
    if (argument->getType()->isPointerTy()) ComplexOf(NodeOf(argument)).stores.push_back({made, 8, kAnyTag});
  }
  if (CanPointAt(&call)) AddCopy(outside, EntryOf(&call));
}

// A function without a body is called back, or a thread starts with it: what it gets is known outside.
void PointsTo::StartOutside(const Callback& callback, const llvm::Function& callee) {
  std::string name = callee.getName().str();
  if (callee.isIntrinsic() || primitives_.Find(name) != nullptr || IsPlainLibraryFunction(name)) return;
  unknown_externals_.insert(name);
  AddCopy(callback.argument, Outside());
}

const LocSet& PointsTo::outside() {
  if (outside_ == kNoNode || !outside_set_.empty()) return outside_set_;
  if (stats_.gave_up) return outside_set_ = everything_;
  for (unsigned loc : nodes_[Find(outside_)].set) outside_set_.push_back(loc);
  return outside_set_;
}

}  // namespace heddle::deadlock
