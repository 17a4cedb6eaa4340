#include "litmus/model/cat_compiler.h"

// What a model says about coherence is seen from the form of its checks: a union that contains po-loc, rf, fr and co.
namespace heddle::litmus {

void CatCompiler::AddCaches() {
  std::vector<bool> inner(program_.nodes.size(), false);  // of a function: evaluated with unknown arguments
  for (size_t i = program_.nodes.size(); i > 0; --i) {
    CatNode& node = program_.nodes[i - 1];
    for (int part : node.parts) {
      CatNode& child = program_.nodes[static_cast<size_t>(part)];
      bool work = child.kind == CatNode::Kind::kExpr && child.op != CatOp::kFunction && child.op != CatOp::kEmpty;
      bool lower = child.level < node.level || node.op == CatOp::kFunction || inner[i - 1];
      if (work && child.closed && lower && child.cache < 0 && !recursive_.contains(part))
        child.cache = program_.caches++;
      if (node.op == CatOp::kFunction || inner[i - 1]) inner[static_cast<size_t>(part)] = true;
    }
  }
}

// Whether it is `x; sm`, which holds all of x.
bool CatCompiler::EndsInAccess(const CatNode& node) const {
  if (node.op != CatOp::kSeq) return false;
  const CatNode& last = program_.nodes[static_cast<size_t>(node.parts[1])];
  if (last.kind != CatNode::Kind::kGlobal) return false;
  const CatSlot& slot = program_.slots[static_cast<size_t>(last.index)];
  return slot.kind == CatSlot::Kind::kBase && slot.index == static_cast<int>(Base::kSameAccess);
}

// Adds the names whose union the node contains.
void CatCompiler::UnionOf(int index, std::set<std::string>& names) const {
  const CatNode& node = program_.nodes[static_cast<size_t>(index)];
  if (node.kind == CatNode::Kind::kExpr && node.op == CatOp::kUnion) {
    for (int part : node.parts) UnionOf(part, names);
  } else if (node.kind == CatNode::Kind::kExpr && (node.op == CatOp::kPlus || EndsInAccess(node))) {
    UnionOf(node.parts[0], names);
  } else if (node.kind == CatNode::Kind::kGlobal) {
    const CatSlot& slot = program_.slots[static_cast<size_t>(node.index)];
    if (slot.kind == CatSlot::Kind::kBase) names.insert(slot.name);
    if (slot.kind == CatSlot::Kind::kNode && slot.part < 0) UnionOf(slot.index, names);
  }
}

int CatCompiler::FindOwnCoherence() const {
  int found = -1;
  for (size_t i = 0; i < program_.slots.size(); ++i) {
    const CatSlot& slot = program_.slots[i];
    if (slot.kind == CatSlot::Kind::kBase && slot.level == 2) return -1;
    if (slot.kind == CatSlot::Kind::kChosen && slot.name == "co") found = static_cast<int>(i);
  }
  return found;
}

bool CatCompiler::FindCoherent() const {
  for (const auto& level : program_.checks) {
    for (const CatStep& step : level) {
      if (step.check != CatCheck::kAcyclic || step.negated) continue;
      std::set<std::string> names;
      UnionOf(step.node, names);
      bool order = names.contains("po-loc") || names.contains("po");
      if (order && names.contains("rf") && names.contains("fr") && names.contains("co")) return true;
    }
  }
  return false;
}

}  // namespace heddle::litmus
