#include "litmus/model/cat_lower.h"

#include <algorithm>

// Union, intersection, composition, closures and the like grow when their operands grow, so that they may stay. A
// difference or a complement shrinks when what is taken away grows: it stays only where that does not depend on
// choices, and is the empty set or relation otherwise. So each relation of the lower program is contained in that of
// the whole one, and a cycle in it is a cycle there. Checked by sim/search_test.cpp against the search without it.
namespace heddle::litmus {
namespace {

// Known before anything is chosen. The level of an expression with parameters of a function is not known.
bool Constant(const CatNode& node) { return node.closed && node.level == 0; }

bool Grows(CatPrimitive primitive) {
  return primitive == CatPrimitive::kDomain || primitive == CatPrimitive::kRange ||
         primitive == CatPrimitive::kInterveningWrite || primitive == CatPrimitive::kNoId;
}

class Lower {
 public:
  explicit Lower(const CatProgram& program) : whole_(program), program_(program) {}

  std::optional<CatProgram> Run() {
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      if (!Stays(whole_.nodes[i])) Clear(program_.nodes[i]);
    }
    std::vector<CatStep> checks;
    for (size_t level = 1; level < whole_.checks.size() && level < 3; ++level) {
      for (const CatStep& step : whole_.checks[level]) {
        bool plain = step.kind == CatStep::Kind::kCheck && step.use == CatCheckUse::kRequire && !step.negated;
        if (plain) checks.push_back(step);
      }
    }
    if (checks.empty()) return std::nullopt;
    for (auto& level : program_.checks) level.clear();
    program_.checks[1] = std::move(checks);
    program_.choices.clear();
    program_.flags.clear();
    return std::move(program_);
  }

 private:
  const CatNode& Node(int index) const { return whole_.nodes[static_cast<size_t>(index)]; }

  bool Stays(const CatNode& node) const {
    if (node.kind == CatNode::Kind::kGlobal) {
      const CatSlot& slot = whole_.slots[static_cast<size_t>(node.index)];
      if (slot.kind == CatSlot::Kind::kChosen) return false;
      if (slot.kind != CatSlot::Kind::kBase) return true;
      return slot.index != static_cast<int>(Base::kFinalWrites) && slot.index != static_cast<int>(Base::kSyncFence);
    }
    if (node.kind != CatNode::Kind::kExpr || Constant(node)) return true;
    switch (node.op) {
      case CatOp::kDiff:
        return Constant(Node(node.parts[1]));
      case CatOp::kNot:
      case CatOp::kAdd:
      case CatOp::kSetOf:
      case CatOp::kMatchSet:
        return false;
      case CatOp::kApply:
      case CatOp::kTuple:
        // A built-in function that may give less for more, also when it is passed on as a value.
        return std::none_of(node.parts.begin(), node.parts.end(), [&](int part) {
          const CatNode& function = Node(part);
          return function.kind == CatNode::Kind::kPrimitive && !Grows(static_cast<CatPrimitive>(function.index));
        });
      default:
        return true;
    }
  }

  static void Clear(CatNode& node) {
    node.kind = CatNode::Kind::kExpr;
    node.op = CatOp::kEmpty;
    node.parts.clear();
  }

  const CatProgram& whole_;
  CatProgram program_;
};

}  // namespace

std::optional<CatProgram> LowerBound(const CatProgram& program) { return Lower(program).Run(); }

bool LooksAtValues(const CatProgram& program) {
  return std::any_of(program.nodes.begin(), program.nodes.end(), [](const CatNode& node) {
    return node.kind == CatNode::Kind::kPrimitive &&
           static_cast<CatPrimitive>(node.index) == CatPrimitive::kDifferentValues;
  });
}

}  // namespace heddle::litmus
