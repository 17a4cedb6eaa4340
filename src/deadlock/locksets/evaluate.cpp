#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "deadlock/locksets/context.h"
#include "deadlock/pointers/constraint_builder.h"

namespace heddle::deadlock {
namespace {

constexpr int kMaxDepth = 16;
constexpr size_t kMaxSet = 32;  // more than this, and refining costs more than it gives

void AddAll(LocSet* to, const LocSet& more) {
  LocSet both;
  std::set_union(to->begin(), to->end(), more.begin(), more.end(), std::back_inserter(both));
  *to = std::move(both);
}

}  // namespace

LocSet Evaluator::Of(const llvm::Value* value) { return At(value, 0); }

LocSet Evaluator::At(const llvm::Value* value, int depth) {
  auto found = known_.find(value);
  if (found != known_.end()) return found->second;
  // A value that depends on itself, or on too much: the answer without context.
  if (depth > kMaxDepth || !busy_.insert(value).second) return facts_.points().Of(value);
  LocSet set = Compute(value, depth);
  busy_.erase(value);
  known_[value] = set;
  return set;
}

LocSet Evaluator::Compute(const llvm::Value* value, int depth) {
  PointsTo& points = facts_.points();
  LocSet result;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    const std::vector<unsigned>& relevant = facts_.RelevantParameters(context_.function);
    auto place = std::find(relevant.begin(), relevant.end(), argument->getArgNo());
    auto index = static_cast<size_t>(place - relevant.begin());
    if (index < context_.bindings.size() && context_.bindings[index]) return *context_.bindings[index];
    return points.Of(value);
  }
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value)) {
    const llvm::Module* module = context_.function->getParent();
    Step step = StepOf(module->getDataLayout(), *gep);
    LocSet bases = At(gep->getPointerOperand(), depth + 1);
    if (bases.size() > kMaxSet) return points.Of(value);
    for (LocId loc : bases) {
      LocId moved = points.locations().Shift(loc, step.constant);
      if (moved != kNoLoc && step.stride != 0) moved = points.locations().Spread(moved, step.stride, step.forward);
      if (moved != kNoLoc) AddAll(&result, {moved});
    }
    return result;
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
    LocSet addresses = At(load->getPointerOperand(), depth + 1);
    if (addresses.size() > kMaxSet) return points.Of(value);
    TagId tag = points.tags().Of(*load);
    for (LocId loc : addresses) {
      if (points.CanAccess(loc, *load)) AddAll(&result, points.Contents(loc, tag));
      if (result.size() > kMaxSet * 4) return points.Of(value);
    }
    return result;
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    AddAll(&result, At(select->getTrueValue(), depth + 1));
    AddAll(&result, At(select->getFalseValue(), depth + 1));
    return result;
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    if (facts_.InCycle(phi->getParent())) return points.Of(value);
    for (const llvm::Value* incoming : phi->incoming_values()) AddAll(&result, At(incoming, depth + 1));
    return result;
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) return At(cast->getOperand(0), depth + 1);
  if (const auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(value)) return At(freeze->getOperand(0), depth + 1);
  return points.Of(value);
}

}  // namespace heddle::deadlock
