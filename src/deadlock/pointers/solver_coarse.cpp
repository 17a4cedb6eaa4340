// The answer of the pointer analysis when its budget is used up: one node for all values and all memory. Whatever any
// node pointed to so far, as whole objects, and whatever the calls that this makes possible add. A superset of the
// exact answer, found in time linear in the calls through pointers times the functions that they may reach.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

using llvm::dyn_cast;
using llvm::isa;

// The calls that wait for functions to be known go to the lists; the other constraints say nothing about one node.
void PointsTo::TakeOver(NodeId from, std::vector<const llvm::CallBase*>* calls, std::vector<Callback>* callbacks) {
  Node& node = nodes_[from];
  if (from != all_) {
    node.parent = all_;
    nodes_[all_].set |= node.set;
    node.set.clear();
    node.propagated.clear();
    node.applied.clear();
    node.successors.clear();
  }
  if (node.complex == nullptr) return;
  for (const llvm::CallBase* call : node.complex->calls) {
    if (callees_waiting_.insert(call).second) calls->push_back(call);
  }
  callbacks->insert(callbacks->end(), node.complex->callbacks.begin(), node.complex->callbacks.end());
  node.complex.reset();
}

void PointsTo::GiveUp() {
  stats_.gave_up = true;
  NodeId all = NewNode();
  all_ = all;
  std::vector<const llvm::CallBase*> calls;  // in the order of the nodes, which is that of the program
  std::vector<Callback> callbacks;
  for (NodeId node = 0; node < nodes_.size(); ++node) TakeOver(node, &calls, &callbacks);
  std::set<llvm::Function*> seen;
  size_t calls_seen = 0, callbacks_seen = 0;
  while (true) {
    std::vector<llvm::Function*> functions;
    for (unsigned loc : nodes_[all].set) {
      const Object& object = locations_.object_of(loc);
      if (object.kind != ObjectKind::kFunction) continue;
      functions.push_back(const_cast<llvm::Function*>(llvm::cast<llvm::Function>(object.site)));
    }
    // A call through a pointer that came from outside leaves the program.
    for (unsigned loc : nodes_[all].set) {
      const Object& object = locations_.object_of(loc);
      if (object.kind != ObjectKind::kExternal || object.harmless) continue;
      for (const llvm::CallBase* call : calls) CallOutside(*call, loc);
      TakeOver(all, &calls, &callbacks);
      break;
    }
    if (functions.size() == seen.size() && calls.size() == calls_seen && callbacks.size() == callbacks_seen) break;
    bool again = calls.size() != calls_seen || callbacks.size() != callbacks_seen;
    calls_seen = calls.size();
    callbacks_seen = callbacks.size();
    for (llvm::Function* function : functions) {
      if (!seen.insert(function).second && !again) continue;
      for (const llvm::CallBase* call : calls) {
        // Models of external functions make new nodes and objects, once for each call.
        if (callees_[call].count(function) == 0) ConnectCall(*call, *function);
      }
      for (const Callback& callback : callbacks) ConnectCallback(callback, *function);
    }
    TakeOver(all, &calls, &callbacks);
  }
  std::set<LocId> whole;
  for (unsigned loc : nodes_[all].set) {
    const Object& object = locations_.object_of(loc);
    bool solid = object.kind == ObjectKind::kFunction || object.kind == ObjectKind::kThread;
    whole.insert(solid ? loc : locations_.Whole(locations_.loc(loc).object));
  }
  everything_.assign(whole.begin(), whole.end());
}

// What is plainly the address of a variable or of a fresh allocation, with an offset, is that; the rest is anything.
LocSet PointsTo::CoarseOf(const llvm::Value* value) {
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(value)) value = alias->getAliasee();
  if (isa<llvm::ConstantData>(value)) return {};
  if (isa<llvm::GlobalVariable>(value) || isa<llvm::Function>(value)) return {LocOfGlobal(*value)};
  if (isa<llvm::AllocaInst>(value)) {
    auto found = site_objects_.find(value);
    if (found != site_objects_.end()) return {locations_.At(found->second)};
  }
  if (const auto* call = dyn_cast<llvm::CallBase>(value)) {
    const auto* callee = dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
    const Primitive* primitive = callee == nullptr ? nullptr : primitives_.Find(callee->getName().str());
    auto found = site_objects_.find(value);
    bool fresh = primitive != nullptr && primitive->action == Action::kAlloc && primitive->handle < 0;
    if (fresh && found != site_objects_.end()) return {locations_.At(found->second)};
  }
  if (const auto* gep = dyn_cast<llvm::GEPOperator>(value)) {
    const LocSet& base = Of(gep->getPointerOperand());
    if (base.size() != 1) return base;
    Step step = StepOf(module_.getDataLayout(), *gep);
    LocId moved = locations_.Shift(base[0], step.constant);
    if (moved != kNoLoc && step.stride != 0) moved = locations_.Spread(moved, step.stride, step.forward);
    return moved == kNoLoc ? LocSet{} : LocSet{moved};
  }
  return CanPointAt(value) ? everything_ : LocSet{};
}

}  // namespace heddle::deadlock
