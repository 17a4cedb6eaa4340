#include "stream/core/core.h"

#include <map>
#include <mutex>

namespace heddle::stream {
namespace {

constexpr PrimitiveInfo kInfo[] = {
#define HEDDLE_X(enumerator, name, arity, function) {name, arity, #function},
    HEDDLE_STREAM_PRIMITIVES(HEDDLE_X)
#undef HEDDLE_X
};

template <int kArity>
struct Runner;
template <>
struct Runner<1> {
  template <typename F>
  static Value Run(F f, Value* v) {
    return Strict(f, std::move(v[0]));
  }
};
template <>
struct Runner<2> {
  template <typename F>
  static Value Run(F f, Value* v) {
    return Strict(f, std::move(v[0]), std::move(v[1]));
  }
};
template <>
struct Runner<3> {
  template <typename F>
  static Value Run(F f, Value* v) {
    return Strict(f, std::move(v[0]), std::move(v[1]), std::move(v[2]));
  }
};

}  // namespace

const PrimitiveInfo& InfoOf(Primitive primitive) { return kInfo[static_cast<size_t>(primitive)]; }

Value Apply(Primitive primitive, Value* operands) {
  switch (primitive) {
#define HEDDLE_X(enumerator, name, arity, function) \
  case Primitive::enumerator:                       \
    return Runner<arity>::Run(primitive::function, operands);
    HEDDLE_STREAM_PRIMITIVES(HEDDLE_X)
#undef HEDDLE_X
  }
  return Value();
}

const char* NameOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kInput:
      return "input";
    case NodeKind::kNil:
      return "nil";
    case NodeKind::kDefault:
      return "default";
    case NodeKind::kDefaultFrom:
      return "defaultFrom";
    case NodeKind::kTime:
      return "time";
    case NodeKind::kLast:
      return "last";
    case NodeKind::kDelay:
      return "delay";
    case NodeKind::kLift:
      return "lift";
    case NodeKind::kSlift:
      return "slift";
    case NodeKind::kMerge:
      return "merge";
    case NodeKind::kPlaceholder:
      return "placeholder";
  }
  return "?";
}

ExprRef ConstExpr(Value value, TypeRef type) {
  auto expr = std::make_shared<Expr>();
  expr->op = Op::kConst;
  expr->constant = std::move(value);
  expr->type = std::move(type);
  return expr;
}

ExprRef LocalExpr(uint32_t local, TypeRef type) {
  auto expr = std::make_shared<Expr>();
  expr->op = Op::kLocal;
  expr->local = local;
  expr->type = std::move(type);
  return expr;
}

const RecordShape* ShapeOf(const std::vector<std::string>& names) {
  static std::mutex mutex;
  static auto* shapes = new std::map<std::vector<std::string>, RecordShape>();
  std::lock_guard lock(mutex);
  auto [at, added] = shapes->try_emplace(names);
  if (added) at->second = RecordShape{names, !names.empty() && names[0] == "_1"};
  return &at->second;
}

}  // namespace heddle::stream
