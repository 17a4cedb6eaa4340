#include "stream/core/failures.h"

#include <algorithm>
#include <map>

namespace heddle::stream {
namespace {

// Whether a primitive can fail on good operands.
bool CanFail(Primitive primitive) {
  switch (primitive) {
    case Primitive::kLt:
    case Primitive::kGt:
    case Primitive::kLeq:
    case Primitive::kGeq:
    case Primitive::kEq:
    case Primitive::kNeq:
    case Primitive::kNot:
    case Primitive::kBitAnd:
    case Primitive::kBitOr:
    case Primitive::kBitXor:
    case Primitive::kBitFlip:
    case Primitive::kFLt:
    case Primitive::kFGt:
    case Primitive::kFLeq:
    case Primitive::kFGeq:
    case Primitive::kIntToFloat:
    case Primitive::kConcat:
    case Primitive::kStringLength:
    case Primitive::kIsSome:
    case Primitive::kIsNone:
    case Primitive::kSetAdd:
    case Primitive::kSetContains:
    case Primitive::kSetRemove:
    case Primitive::kSetSize:
    case Primitive::kSetUnion:
    case Primitive::kSetIntersection:
    case Primitive::kSetMinus:
      return false;
    default:
      return true;
  }
}

class Analysis {
 public:
  explicit Analysis(const Graph& graph) : graph_(graph), fails_(graph.nodes.size(), false) {}

  std::vector<bool> Run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
        if (fails_[i] || !NodeFails(graph_.nodes[i])) continue;
        fails_[i] = changed = true;
      }
    }
    return fails_;
  }

 private:
  bool NodeFails(const Node& node) {
    auto argument = [&](size_t k) { return static_cast<bool>(fails_[node.args[k]]); };
    switch (node.kind) {
      case NodeKind::kInput:
      case NodeKind::kNil:
      case NodeKind::kTime:
      case NodeKind::kDelay:
        return false;
      case NodeKind::kDefault:
        return argument(0) || FindError(node.constant) != nullptr;
      case NodeKind::kLast:
      case NodeKind::kPlaceholder:
        return argument(0);
      case NodeKind::kDefaultFrom:
      case NodeKind::kMerge:
        return std::any_of(node.args.begin(), node.args.end(), [&](uint32_t arg) { return fails_[arg]; });
      case NodeKind::kLift:
      case NodeKind::kSlift:
        break;
    }
    locals_.clear();
    for (uint32_t k = 0; k < node.args.size(); ++k) locals_[k] = argument(k);
    return Fails(node.function->body);
  }

  bool Any(const std::vector<ExprRef>& args) {
    return std::any_of(args.begin(), args.end(), [&](const ExprRef& arg) { return Fails(arg); });
  }

  bool Fails(const ExprRef& expr) {
    const Expr& e = *expr;
    switch (e.op) {
      case Op::kConst:
        return FindError(e.constant) != nullptr;
      case Op::kLocal:
        return locals_[e.local];
      case Op::kLet:
        locals_[e.local] = Fails(e.args[0]);
        return Fails(e.args[1]);
      case Op::kIf:
      case Op::kAnd:
      case Op::kOr:
      case Op::kSome:
      case Op::kRecord:
      case Op::kMember:
        return Any(e.args);
      case Op::kPrimitive:
        return CanFail(e.primitive) || Any(e.args);
      default:
        return true;  // folds, calls of recursive functions, ...
    }
  }

  const Graph& graph_;
  std::vector<bool> fails_;
  std::map<uint32_t, bool> locals_;
};

}  // namespace

std::vector<bool> MayFail(const Graph& graph) { return Analysis(graph).Run(); }

}  // namespace heddle::stream
