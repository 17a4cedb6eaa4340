// Frames, regions and lifting: where functions of values become nodes.
#include <fmt/format.h>

#include <algorithm>

#include "stream/core/evaluate.h"
#include "stream/elaborate/elaborator.h"

namespace heddle::stream {
namespace {

bool ContainsCall(const ExprRef& expr) {
  if (expr->op == Op::kCall) return true;
  return std::any_of(expr->args.begin(), expr->args.end(), ContainsCall);
}

ExprRef LetExpr(uint32_t local, ExprRef bound, ExprRef body) {
  auto expr = std::make_shared<Expr>();
  expr->op = Op::kLet;
  expr->local = local;
  expr->type = body->type;
  expr->args = {std::move(bound), std::move(body)};
  return expr;
}

bool Reads(const ExprRef& expr, uint32_t local) {
  if (expr->op == Op::kLocal) return expr->local == local;
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& arg) { return Reads(arg, local); });
}

// Bindings that nobody reads are dropped, unless a call whose captures are not known yet might.
ExprRef WithLets(const Region& region, ExprRef body, bool keep) {
  for (auto let = region.lets.rbegin(); let != region.lets.rend(); ++let) {
    if (keep || Reads(body, let->first)) body = LetExpr(let->first, let->second, body);
  }
  return body;
}

bool MayFail(Primitive primitive) {
  switch (primitive) {
    case Primitive::kAdd:
    case Primitive::kSub:
    case Primitive::kMul:
    case Primitive::kDiv:
    case Primitive::kMod:
    case Primitive::kNeg:
    case Primitive::kShiftLeft:
    case Primitive::kShiftRight:
    case Primitive::kFloatToInt:
    case Primitive::kFormatString:
    case Primitive::kFail:
    case Primitive::kGetSome:
    case Primitive::kMapGet:
    case Primitive::kListGet:
    case Primitive::kListSet:
    case Primitive::kListTail:
    case Primitive::kListInit:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string Elaborator::PlaceText(Span span) const {
  SourceFile::Position at = sources_.PositionOf(span);
  return fmt::format("{}:{}:{}", sources_.file(span.file).name(), at.line, at.column);
}

ThingRef Elaborator::ValueThing(ExprRef value) {
  auto thing = std::make_shared<Thing>();
  thing->kind = Thing::Kind::kValue;
  thing->type = value->type;
  thing->value = std::move(value);
  return thing;
}

ThingRef Elaborator::StreamThing(Node node) {
  auto thing = std::make_shared<Thing>();
  thing->kind = Thing::Kind::kStream;
  thing->node = static_cast<uint32_t>(graph_.nodes.size());
  thing->type = MakeType(TypeKind::kEvents, {node.type});
  if (node.name.empty()) node.name = current_name_;
  node.span = UserSpan(node.span);
  if (node.kind == NodeKind::kDelay) node.place = PlaceText(node.span);
  graph_.nodes.push_back(std::move(node));
  return thing;
}

bool Elaborator::InLibrary(Span span) const {
  return span.file < sources_.size() && sources_.file(span.file).name().starts_with("<");
}

// For a place in the library, the call in the user's text that led there.
Span Elaborator::UserSpan(Span span) const {
  for (auto call = calls_.rbegin(); call != calls_.rend() && InLibrary(span); ++call) span = call->span;
  return span;
}

ThingRef Elaborator::FreshLocal(const TypeRef& type) { return ValueThing(LocalExpr(frame_->locals++, type)); }

ThingRef Elaborator::InFrame(Frame* frame, Region* region, const std::function<ThingRef()>& build) {
  Frame* saved_frame = std::exchange(frame_, frame);
  Region* saved_region = std::exchange(region_, region);
  ThingRef result = build();
  frame_ = saved_frame;
  region_ = saved_region;
  return result;
}

ThingRef Elaborator::InRegion(const std::function<ThingRef()>& build) {
  if (frame_ == nullptr) return build();
  Region* region = &regions_.emplace_back();
  Region* outer = region_;
  ThingRef result = InFrame(frame_, region, build);
  if (region->lets.empty()) return result;
  if (result->kind == Thing::Kind::kValue) return ValueThing(WithLets(*region, result->value, recursive_depth_ > 0));
  outer->lets.insert(outer->lets.end(), region->lets.begin(), region->lets.end());
  return result;
}

// Gives a value that is used by name a local, unless it is trivial. What may not end is only bound where it is
// evaluated in any case (`strict`): as the argument of a call.
ThingRef Elaborator::BindLocal(const ThingRef& thing, Region* region, bool strict) {
  if (thing->kind != Thing::Kind::kValue || region == nullptr || frame_ == nullptr) return thing;
  const ExprRef& value = thing->value;
  if (value->op == Op::kConst || value->op == Op::kLocal || ContainsOpaque(value)) return thing;
  if (!strict && ContainsCall(value)) return thing;
  ThingRef local = FreshLocal(value->type);
  region->lets.emplace_back(local->value->local, value);
  return local;
}

// The result of an operation on constants is a constant.
ExprRef Elaborator::Folded(std::shared_ptr<stream::Expr> expr) {
  bool constant = std::all_of(expr->args.begin(), expr->args.end(), IsConst);
  // Some(...) in a function stays visible: as the result of a lift it is never boxed.
  if (expr->op == Op::kSome && frame_ != nullptr) return expr;
  if (!constant || (expr->op == Op::kCall && expr->function->body == nullptr)) return expr;
  std::vector<Value> none;
  Value value = Evaluator().Run(expr, none);
  Locate(value, expr->place);
  return ConstExpr(std::move(value), expr->type);
}

ExprRef Elaborator::PrimitiveExpr(Primitive primitive, std::vector<ExprRef> args, TypeRef type) {
  auto expr = std::make_shared<stream::Expr>();
  expr->op = Op::kPrimitive;
  expr->primitive = primitive;
  expr->args = std::move(args);
  expr->type = std::move(type);
  if (MayFail(primitive)) expr->place = place_;
  return Folded(expr);
}

ExprRef Elaborator::RecordExpr(const std::vector<std::string>& names, std::vector<ExprRef> args) {
  std::vector<TypeRef> types;
  types.reserve(args.size());
  for (const ExprRef& arg : args) types.push_back(arg->type);
  auto expr = std::make_shared<stream::Expr>();
  expr->op = Op::kRecord;
  expr->type = RecordType(names, std::move(types));
  if (args.empty()) return ConstExpr(Value(), expr->type);
  expr->args = std::move(args);
  expr->shape = ShapeOf(names);
  return Folded(expr);
}

ExprRef Elaborator::ValueOf(const ThingRef& thing, Span span) {
  if (thing->kind == Thing::Kind::kValue) return thing->value;
  if (thing->kind != Thing::Kind::kPoison) {
    Report(span, fmt::format("a value is needed here, not {}",
                             thing->kind == Thing::Kind::kStream ? "a stream" : "a function or a module"));
  }
  return ConstExpr(Value(), SimpleType(TypeKind::kPoison));
}

// One slift node over the stream arguments; constants and functions go to `build` as they are.
ThingRef Elaborator::Lift(const std::vector<ThingRef>& args, Span span, bool filters, const Builder& build) {
  if (frame_ != nullptr) return Report(span, "a stream cannot be used inside a function of values");
  std::vector<ThingRef> inner;
  std::vector<uint32_t> streams;
  Frame* frame = &frames_.emplace_back();
  Region* region = &regions_.emplace_back();
  ThingRef result = InFrame(frame, region, [&] {
    for (const ThingRef& arg : args) {
      if (arg->kind == Thing::Kind::kPoison) return arg;
      if (arg->kind != Thing::Kind::kStream) {
        inner.push_back(arg);
        continue;
      }
      auto known = std::find(streams.begin(), streams.end(), arg->node);
      if (known != streams.end()) {
        auto at = static_cast<uint32_t>(known - streams.begin());
        inner.push_back(ValueThing(LocalExpr(at, graph_.nodes[arg->node].type)));
        continue;
      }
      streams.push_back(arg->node);
      inner.push_back(ValueThing(LocalExpr(static_cast<uint32_t>(streams.size()) - 1, graph_.nodes[arg->node].type)));
    }
    frame->locals = static_cast<uint32_t>(streams.size());
    return build(inner);
  });
  if (result->kind == Thing::Kind::kPoison) return result;
  auto function = std::make_shared<Function>();
  function->parameters = static_cast<uint32_t>(streams.size());
  function->body = WithLets(*region, ValueOf(result, span), recursive_depth_ > 0);
  function->locals = frame->locals;
  Node node;
  node.kind = NodeKind::kSlift;
  node.filters = filters;
  node.args = streams;
  node.type = filters ? Resolve(result->type)->args[0] : result->type;
  node.function = function;
  node.span = span;
  return StreamThing(std::move(node));
}

// lift and slift themselves: the function is given.
ThingRef Elaborator::LiftNode(NodeKind kind, bool filters, const std::vector<ThingRef>& streams,
                              const ThingRef& function, const TypeRef& result, Span span) {
  if (frame_ != nullptr) return Report(span, "a stream cannot be used inside a function of values");
  Frame* frame = &frames_.emplace_back();
  Region* region = &regions_.emplace_back();
  std::vector<uint32_t> args;
  std::vector<Span> spans;
  ThingRef body = InFrame(frame, region, [&] {
    std::vector<ThingRef> locals;
    for (const ThingRef& stream : streams) {
      if (stream->kind != Thing::Kind::kStream) return stream;
      args.push_back(stream->node);
      spans.push_back(span);
      TypeRef type = graph_.nodes[stream->node].type;
      locals.push_back(FreshLocal(kind == NodeKind::kLift ? MakeType(TypeKind::kOption, {type}) : type));
    }
    ThingRef value = CallFunction(function, locals, spans, span);
    TypeRef element = Resolve(result)->args[0];
    return Coerce(value, filters ? MakeType(TypeKind::kOption, {element}) : element, span, "the result");
  });
  if (body->kind == Thing::Kind::kPoison) return body;
  auto code = std::make_shared<Function>();
  code->parameters = static_cast<uint32_t>(args.size());
  code->body = WithLets(*region, ValueOf(body, span), recursive_depth_ > 0);
  code->locals = frame->locals;
  Node node;
  node.kind = kind;
  node.filters = filters;
  node.args = std::move(args);
  node.type = Resolve(result)->args[0];
  node.function = code;
  node.span = span;
  return StreamThing(std::move(node));
}

}  // namespace heddle::stream
