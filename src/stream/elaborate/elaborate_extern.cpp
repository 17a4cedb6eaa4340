// What extern("name") means: the primitives that the library is built on.
#include <fmt/format.h>

#include "stream/core/evaluate.h"
#include "stream/elaborate/elaborator.h"

namespace heddle::stream {
namespace {

const std::map<std::string, Primitive, std::less<>>& PrimitiveNames() {
  static const auto* names = [] {
    auto* map = new std::map<std::string, Primitive, std::less<>>();
#define HEDDLE_X(enumerator, name, arity, function) map->emplace(name, Primitive::enumerator);
    HEDDLE_STREAM_PRIMITIVES(HEDDLE_X)
#undef HEDDLE_X
    return map;
  }();
  return *names;
}

std::optional<Value> ConstantExtern(std::string_view name) {
  if (name == "true") return Value::Bool(true);
  if (name == "false") return Value::Bool(false);
  if (name == "None") return Value::None();
  if (name == "Set_empty") return Value::Tree(Tag::kSet, nullptr);
  if (name == "Map_empty") return Value::Tree(Tag::kMap, nullptr);
  if (name == "List_empty") return Value::Tree(Tag::kList, nullptr);
  return std::nullopt;
}

}  // namespace

ThingRef Elaborator::CallExtern(const std::string& name, const std::vector<ThingRef>& args, const TypeRef& result,
                                Span span) {
  if (auto constant = ConstantExtern(name)) return ValueThing(ConstExpr(std::move(*constant), result));
  auto primitive = PrimitiveNames().find(name);
  if (primitive != PrimitiveNames().end()) {
    if (args.size() != static_cast<size_t>(InfoOf(primitive->second).arity)) {
      return Report(span, fmt::format("extern \"{}\" takes {} arguments", name, InfoOf(primitive->second).arity));
    }
    std::vector<ExprRef> values;
    values.reserve(args.size());
    for (const ThingRef& arg : args) values.push_back(ValueOf(arg, span));
    place_ = PlaceText(UserSpan(span));
    return ValueThing(PrimitiveExpr(primitive->second, std::move(values), result));
  }
  if ((name == "Some" && args.size() == 1) || (name == "getSomeOrElse" && args.size() == 2)) {
    auto expr = std::make_shared<stream::Expr>();
    expr->op = name == "Some" ? Op::kSome : Op::kOrElse;
    for (const ThingRef& arg : args) expr->args.push_back(ValueOf(arg, span));
    expr->type = result;
    return ValueThing(Folded(expr));
  }
  if (name == "Set_fold") return FoldExtern(Op::kSetFold, args, result, span);
  if (name == "Set_map") return FoldExtern(Op::kSetMap, args, result, span);
  if (name == "Map_fold") return FoldExtern(Op::kMapFold, args, result, span);
  if (name == "List_fold") return FoldExtern(Op::kListFold, args, result, span);
  if (name == "List_map") return FoldExtern(Op::kListMap, args, result, span);
  return StreamExtern(name, args, result, span);
}

// Folds and maps: the function's body becomes part of the expression.
ThingRef Elaborator::FoldExtern(Op op, const std::vector<ThingRef>& args, const TypeRef& result, Span span) {
  size_t values = op == Op::kSetMap || op == Op::kListMap ? 1 : 2;
  if (args.size() != values + 1 || args.back()->kind != Thing::Kind::kFunction) {
    return Report(span, "extern fold and map take a collection and a function");
  }
  bool at_stream_level = frame_ == nullptr;
  Frame* frame = at_stream_level ? &frames_.emplace_back() : frame_;
  auto expr = std::make_shared<stream::Expr>();
  expr->op = op;
  expr->type = result;
  for (size_t i = 0; i < values; ++i) expr->args.push_back(ValueOf(args[i], span));
  TypeRef collection = Resolve(args[0]->type);
  ThingRef body = InFrame(frame, region_, [&] {
    return InRegion([&] {
      std::vector<ThingRef> parameters;
      parameters.reserve(collection->args.size());
      if (values == 2) parameters.push_back(FreshLocal(args[1]->type));
      for (const TypeRef& type : collection->args) parameters.push_back(FreshLocal(type));
      for (const ThingRef& parameter : parameters) expr->locals.push_back(parameter->value->local);
      return CallFunction(args.back(), parameters, std::vector<Span>(parameters.size(), span), span);
    });
  });
  if (body->kind == Thing::Kind::kPoison) return body;
  expr->args.push_back(ValueOf(body, span));
  if (!at_stream_level) return ValueThing(expr);
  for (size_t i = 0; i < values; ++i) {
    if (!IsConst(expr->args[i])) return ValueThing(expr);  // only while a function is checked on its own
  }
  if (ContainsOpaque(expr)) return Opaque(result);
  std::vector<Value> locals(frame->locals);
  return ValueThing(ConstExpr(Evaluator().Run(expr, locals), result));
}

// default(stream, value); in the paper's dialect the second may be a stream.
ThingRef Elaborator::DefaultExtern(const std::vector<ThingRef>& args, const TypeRef& result, Span span) {
  ThingRef stream = ToStream(args[0], span);
  if (stream->kind != Thing::Kind::kStream) return stream;
  Node node;
  node.span = span;
  node.type = graph_.nodes[stream->node].type;
  Unify(Resolve(result)->kind == TypeKind::kEvents ? Resolve(result)->args[0] : node.type, node.type);
  if (args[1]->kind == Thing::Kind::kStream) {
    node.kind = NodeKind::kDefaultFrom;
    node.args = {stream->node, args[1]->node};
    TypeRef other = graph_.nodes[args[1]->node].type;
    if (!Unify(node.type, other)) return Mismatch(span, node.type, other, "the default");
  } else {
    node.kind = NodeKind::kDefault;
    node.args = {stream->node};
    if (!Unify(node.type, args[1]->type)) return Mismatch(span, node.type, args[1]->type, "the default");
    node.constant = ToConstant(args[1], span)->constant;
  }
  return StreamThing(std::move(node));
}

ThingRef Elaborator::MergeExtern(const std::vector<ThingRef>& args, Span span) {
  Node node;
  node.kind = NodeKind::kMerge;
  node.span = span;
  node.type = FreshVariable();
  for (const ThingRef& arg : args) {
    ThingRef stream = ToStream(arg, span);
    if (stream->kind != Thing::Kind::kStream) return Report(span, "merge takes streams");
    TypeRef type = graph_.nodes[stream->node].type;
    if (!Unify(node.type, type)) return Mismatch(span, node.type, type, "the merged stream");
    node.args.push_back(stream->node);
  }
  return StreamThing(std::move(node));
}

// merge of the older language: streams of different types give unit events.
ThingRef Elaborator::MergeAny(std::vector<ThingRef> args, Span span) {
  bool same = true;
  for (ThingRef& arg : args) {
    arg = ToStream(arg, span);
    if (arg->kind != Thing::Kind::kStream) return Report(span, "merge takes streams");
    same = same && Unify(args[0]->type, arg->type);
  }
  for (ThingRef& arg : args) {
    if (same) break;
    arg = Lift({arg}, span, false, [&](const std::vector<ThingRef>&) {
      return ValueThing(ConstExpr(Value(), SimpleType(TypeKind::kUnit)));
    });
  }
  return MergeExtern(args, span);
}

ThingRef Elaborator::StreamExtern(const std::string& name, const std::vector<ThingRef>& args, const TypeRef& result,
                                  Span span) {
  if (frame_ != nullptr) return Report(span, "a stream cannot be used inside a function of values");
  if (name == "lift" || name == "slift" || name == "sfilter") {
    std::vector<ThingRef> streams(args.begin(), args.end() - 1);
    return LiftNode(name == "lift" ? NodeKind::kLift : NodeKind::kSlift, name != "slift", streams, args.back(), result,
                    span);
  }
  if (name == "default" && args.size() == 2) return DefaultExtern(args, result, span);
  if (name == "merge") return MergeExtern(args, span);
  if (name == "mergeAny") return MergeAny(args, span);
  static const std::map<std::string, std::pair<NodeKind, size_t>, std::less<>> kNodes = {
      {"nil", {NodeKind::kNil, 0}},
      {"time", {NodeKind::kTime, 1}},
      {"last", {NodeKind::kLast, 2}},
      {"delay", {NodeKind::kDelay, 2}},
      {"defaultFrom", {NodeKind::kDefaultFrom, 2}},
      {"delaySelf", {NodeKind::kDelay, 1}},
  };
  auto found = kNodes.find(name);
  if (found == kNodes.end() || found->second.second != args.size()) {
    return Report(span, fmt::format("there is no extern \"{}\" with {} arguments", name, args.size()));
  }
  Node node;
  node.kind = found->second.first;
  node.span = span;
  for (const ThingRef& arg : args) {
    ThingRef stream = ToStream(arg, span);
    if (stream->kind != Thing::Kind::kStream) return Report(span, fmt::format("`{}` takes streams", name));
    node.args.push_back(stream->node);
  }
  // Every event of the delays starts one: they are their own reset.
  if (name == "delaySelf") node.args.push_back(node.args[0]);
  TypeRef element = Resolve(result)->kind == TypeKind::kEvents ? Resolve(result)->args[0] : FreshVariable();
  if (node.kind == NodeKind::kLast) Unify(element, graph_.nodes[node.args[0]].type);
  if (node.kind == NodeKind::kTime) Unify(element, SimpleType(TypeKind::kInt));
  if (node.kind == NodeKind::kDelay) {
    Unify(element, SimpleType(TypeKind::kUnit));
    TypeRef delays = graph_.nodes[node.args[0]].type;
    if (!Unify(delays, SimpleType(TypeKind::kInt)))
      return Mismatch(span, SimpleType(TypeKind::kInt), delays, "the delay");
  }
  node.type = element;
  return StreamThing(std::move(node));
}

}  // namespace heddle::stream
