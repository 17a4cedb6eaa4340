// Calls of functions that an argument of the call holds: o->f(o), o->table->f(o), virtual functions. Such a function is
// called with the objects that hold it (or whose table does), not with everything that the caller's pointer may point
// to: else a base class that the whole program shares (the count behind shared_ptr, the state of a thread) makes one
// set of all its objects. Nothing is lost: the argument is the pointer through which the function was read.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <utility>

#include "deadlock/pointers/constraint_builder.h"
#include "deadlock/pointers/relevance.h"
#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

using llvm::dyn_cast;

void PointsTo::AddIndirectCall(const llvm::CallBase& call) {
  constexpr size_t kMaxHops = 2;
  ComplexOf(NodeOf(call.getCalledOperand())).calls.push_back(&call);
  std::vector<Hop> path;
  const llvm::Value* at = call.getCalledOperand();
  while (path.size() < kMaxHops) {
    const auto* load = dyn_cast<llvm::LoadInst>(at);
    if (load == nullptr) return;
    at = load->getPointerOperand();
    path.insert(path.begin(), Hop{0, tags_.Of(*load)});
    if (const auto* gep = dyn_cast<llvm::GEPOperator>(at)) {
      Step step = StepOf(module_.getDataLayout(), *gep);
      if (step.stride != 0) return;
      path.front().bytes = step.constant;
      at = gep->getPointerOperand();
    }
    auto argument = std::find(call.arg_begin(), call.arg_end(), at);
    if (argument == call.arg_end()) continue;
    auto number = static_cast<unsigned>(argument - call.arg_begin());
    received_arguments_[&call] = number;
    ComplexOf(NodeOf(at)).receivers.push_back({&call, number, std::move(path)});
    return;
  }
}

void PointsTo::ApplyReceiver(LocId object, const Receiver& receiver) {
  auto [place, fresh] = held_functions_.emplace(std::pair(object, receiver.path), 0);
  if (fresh) {
    NodeId last = NewNode();
    AddLoc(last, object);
    for (const Hop& hop : receiver.path) {
      NodeId moved = NewNode(), found = NewNode();
      ComplexOf(last).offsets.push_back({moved, hop.bytes, 0, true});
      ComplexOf(moved).loads.push_back({found, 8, hop.tag});
      last = found;
    }
    place->second = last;
  }
  ComplexOf(place->second).received.push_back({receiver.call, receiver.argument, object});
  changed_ = true;
}

// Too many objects to tell apart: they go to every function that the call may reach.
void PointsTo::ForgetReceivers(NodeId node) {
  for (const Receiver& receiver : std::exchange(ComplexOf(node).receivers, {})) {
    received_arguments_.erase(receiver.call);
    const std::set<llvm::Function*> callees = callees_[receiver.call];  // a copy: passing may find more
    for (llvm::Function* callee : callees) {
      if (!callee->isDeclaration()) PassArgument(*receiver.call, receiver.argument, *callee);
    }
  }
}

void PointsTo::Receive(const Received& received, llvm::Function& callee) {
  if (callee.isDeclaration() || received.argument >= callee.arg_size()) return;
  if (!Fits(*received.call, callee) || !tables_.CanReach(*received.call, callee)) return;
  const llvm::Argument* parameter = callee.getArg(received.argument);
  if (!CanPointAt(parameter) || (relevance_ != nullptr && !relevance_->Relevant(parameter))) return;
  AddLoc(EntryOf(parameter), received.object);
}

}  // namespace heddle::deadlock
