// Expressions other than calls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/near.h"
#include "stream/elaborate/elaborator.h"

namespace heddle::stream {

using Kind = syntax::Expr::Kind;

namespace {

bool AnyStream(const std::vector<ThingRef>& things) {
  for (const ThingRef& thing : things) {
    if (thing->kind == Thing::Kind::kStream) return true;
  }
  return false;
}

struct Unit {
  std::string_view name;
  int power;  // of ten, in femtoseconds
  int64_t factor;
};
// Each unit is factor * 10^power femtoseconds.
constexpr std::array<Unit, 10> kUnits = {{{"fs", 0, 1},
                                          {"ps", 3, 1},
                                          {"ns", 6, 1},
                                          {"us", 9, 1},
                                          {"µs", 9, 1},
                                          {"ms", 12, 1},
                                          {"s", 15, 1},
                                          {"min", 15, 60},
                                          {"h", 15, 3600},
                                          {"d", 15, 86400}}};

using Wide = __int128;

Wide Femtoseconds(const Unit& unit) {
  Wide value = unit.factor;
  for (int i = 0; i < unit.power; ++i) value *= 10;
  return value;
}

const Unit* FindUnit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// The conversions of printf that make sense for a type; Java's %b, %c and %t are not among them.
bool FormatFits(const std::string& format, const TypeRef& type) {
  if (format.size() < 2) return false;
  if (format.find_first_of("0123456789") != std::string::npos && format.size() > 12) return false;
  char conversion = format.back();
  if (conversion == 's' || conversion == 'S') return true;
  std::string_view allowed =
      KindOf(type) == TypeKind::kInt ? "dxXo" : (KindOf(type) == TypeKind::kFloat ? "eEfgGaA" : "");
  return allowed.find(conversion) != std::string_view::npos;
}

}  // namespace

ThingRef Elaborator::Eval(const Expr& expr, Scope* scope, const TypeRef& expected) {
  ThingRef result =
      Enter(expr.span) ? EvalKind(expr, scope, expected) : Report(expr.span, "Infinite recursion detected");
  Leave();
  return result;
}

ThingRef Elaborator::EvalKind(const Expr& expr, Scope* scope, const TypeRef& expected) {
  switch (expr.kind) {
    case Kind::kName:
      if (expr.name == "__root__") {
        auto root = std::make_shared<Thing>();
        root->kind = Thing::Kind::kModule;
        root->scope = top_;
        root->type = SimpleType(TypeKind::kPoison);
        return root;
      }
      return Lookup(expr.name, expr.span, scope, -1);
    case Kind::kInt:
      return ValueThing(ConstExpr(Value::Int(expr.integer), SimpleType(TypeKind::kInt)));
    case Kind::kFloat:
      return ValueThing(ConstExpr(Value::Float(expr.real), SimpleType(TypeKind::kFloat)));
    case Kind::kTime:
      return EvalTime(expr);
    case Kind::kString:
      return EvalString(expr, scope);
    case Kind::kCall:
      return EvalCall(expr, scope);
    case Kind::kInstantiate:
      return Instantiate(expr, scope);
    case Kind::kMember:
      return EvalMember(expr, scope);
    case Kind::kLambda: {
      auto lambda = std::make_shared<Thing>();
      lambda->kind = Thing::Kind::kFunction;
      lambda->lambda = &expr;
      lambda->scope = scope;
      lambda->type = SimpleType(TypeKind::kPoison);
      return lambda;
    }
    case Kind::kIf:
      return EvalIf(expr, scope, expected);
    case Kind::kStaticIf:
      return EvalStaticIf(expr, scope, expected);
    case Kind::kTuple: {
      std::vector<std::string> names;
      names.reserve(expr.args.size());
      for (size_t i = 0; i < expr.args.size(); ++i) names.push_back(fmt::format("_{}", i + 1));
      return EvalRecord(expr, scope, names);
    }
    case Kind::kRecord:
      return EvalRecord(expr, scope, expr.names);
    case Kind::kBlock:
      return EvalBlock(expr, scope, expected);
    case Kind::kExtern:
      if (!expr.args.empty()) return Eval(*expr.args[0], scope, expected);
      return CallExtern(expr.name, {}, expected ? expected : FreshVariable(), expr.span);
  }
  return Report(expr.span, "unexpected expression");
}

ThingRef Elaborator::EvalBlock(const Expr& expr, Scope* scope, const TypeRef& expected) {
  Scope* inner = NewScope(scope);
  for (const auto& definition : expr.definitions) AddDefinition(*definition, inner);
  if (expr.named_members && running_ != nullptr) running_->members = inner;
  running_ = nullptr;
  ThingRef result = Eval(*expr.args[0], inner, expected);
  // What the block defines but does not use is checked all the same.
  for (const auto& definition : expr.definitions) {
    Scope* where = nullptr;
    ScopeEntry* entry = definition->is_function ? nullptr : Find(definition->name, inner, 0, &where);
    if (entry != nullptr) EntryThing(*entry, where, definition->span);
  }
  return result;
}

namespace {

bool Mentions(const syntax::Expr& expr, std::string_view name) {
  if (expr.kind == Kind::kName && expr.name == name) return true;
  return std::any_of(expr.args.begin(), expr.args.end(), [&](const auto& arg) { return Mentions(*arg, name); }) ||
         std::any_of(expr.definitions.begin(), expr.definitions.end(),
                     [&](const auto& definition) { return Mentions(*definition->body, name); });
}

}  // namespace

// Before there was `static if`, an `if` whose condition is a constant ended the recursion of a macro over streams.
bool Elaborator::EndsRecursion(const Expr& expr, const ThingRef& condition) const {
  if (frame_ != nullptr || expr.args.size() < 3 || condition->kind != Thing::Kind::kValue) return false;
  if (!IsConst(condition->value) || condition->value->constant.is_error()) return false;
  if (KindOf(condition->type) != TypeKind::kBool) return false;
  return std::any_of(calls_.begin(), calls_.end(), [&](const CallSite& call) {
    return Mentions(*expr.args[1], call.name) || Mentions(*expr.args[2], call.name);
  });
}

ThingRef Elaborator::EvalIf(const Expr& expr, Scope* scope, const TypeRef& expected) {
  ThingRef condition = Eval(*expr.args[0], scope);
  if (EndsRecursion(expr, condition)) {
    return Eval(*expr.args[condition->value->constant.boolean() ? 1 : 2], scope, expected);
  }
  ThingRef yes = InRegion([&] { return Eval(*expr.args[1], scope, expected); });
  ThingRef no;
  if (expr.args.size() > 2) no = InRegion([&] { return Eval(*expr.args[2], scope, expected); });
  std::vector<ThingRef> parts = {condition, yes};
  if (no) parts.push_back(no);
  for (const ThingRef& part : parts) {
    if (part->kind == Thing::Kind::kPoison) return part;
    if (part->kind != Thing::Kind::kValue && part->kind != Thing::Kind::kStream) {
      return Report(expr.span, "`if` works on values and streams; use `static if` to choose among other things");
    }
  }
  TypeRef boolean = SimpleType(TypeKind::kBool);
  TypeRef condition_type =
      condition->kind == Thing::Kind::kStream ? Resolve(condition->type)->args[0] : condition->type;
  if (!Unify(condition_type, boolean)) return Mismatch(expr.args[0]->span, boolean, condition_type, "the condition");
  auto element = [](const ThingRef& t) { return IsStream(t->type) ? Resolve(t->type)->args[0] : t->type; };
  if (no && !Unify(element(yes), element(no))) {
    return Mismatch(expr.args[2]->span, element(yes), element(no), "the `else` branch");
  }
  if (!no && (!paper_ || frame_ != nullptr)) {
    return Report(expr.span, "`if` needs an `else`",
                  paper_ ? "" : "without it only in the dialect of the paper (`:=`)");
  }
  auto build = [&](const std::vector<ThingRef>& values) {
    auto choice = std::make_shared<stream::Expr>();
    choice->op = Op::kIf;
    if (no) {
      choice->type = values[1]->type;
      choice->args = {values[0]->value, values[1]->value, values[2]->value};
    } else {
      choice->type = MakeType(TypeKind::kOption, {values[1]->type});
      auto some = std::make_shared<stream::Expr>();
      some->op = Op::kSome;
      some->type = choice->type;
      some->args = {values[1]->value};
      choice->args = {values[0]->value, some, ConstExpr(Value::None(), choice->type)};
    }
    if (IsConst(choice->args[0]) && !choice->args[0]->constant.is_error()) {
      return ValueThing(choice->args[choice->args[0]->constant.boolean() ? 1 : 2]);
    }
    return ValueThing(choice);
  };
  if (AnyStream(parts) || !no) {
    if (!AnyStream(parts)) parts[0] = ToStream(condition, expr.span);
    return Lift(parts, expr.span, !no, build);
  }
  return build(parts);
}

ThingRef Elaborator::EvalStaticIf(const Expr& expr, Scope* scope, const TypeRef& expected) {
  if (expr.args.size() < 3) return Report(expr.span, "`static if` needs an `else`");
  ThingRef condition = Eval(*expr.args[0], scope);
  if (condition->kind == Thing::Kind::kPoison) return condition;
  if (condition->kind != Thing::Kind::kValue || !Unify(condition->type, SimpleType(TypeKind::kBool))) {
    return Mismatch(expr.args[0]->span, SimpleType(TypeKind::kBool), condition->type, "the condition");
  }
  if (!IsConst(condition->value)) {
    // Inside a function of values everything is decided when the function runs.
    if (frame_ != nullptr) return EvalIf(expr, scope, expected);
    if (!ContainsOpaque(condition->value)) {
      return Report(expr.args[0]->span, "the condition of `static if` must be known before any event");
    }
    // Only checking: both branches have to make sense.
    ++unknown_branches_;
    ThingRef result = Eval(*expr.args[2], scope, expected);
    if (result->kind != Thing::Kind::kPoison) result = Eval(*expr.args[1], scope, expected);
    --unknown_branches_;
    return result;
  }
  if (condition->value->constant.is_error()) {
    return Report(expr.args[0]->span, "the condition fails: " + condition->value->constant.text());
  }
  return Eval(*expr.args[condition->value->constant.boolean() ? 1 : 2], scope, expected);
}

// One piece of an interpolated string, as a string.
ThingRef Elaborator::EvalPart(const syntax::StringPart& part, Scope* scope) {
  TypeRef string = SimpleType(TypeKind::kString);
  if (part.expr == nullptr) return ValueThing(ConstExpr(Value::String(part.text), string));
  ThingRef thing = Eval(*part.expr, scope);
  if (thing->kind == Thing::Kind::kPoison) return thing;
  if (thing->kind != Thing::Kind::kValue && thing->kind != Thing::Kind::kStream) {
    return Report(part.expr->span, "only values and streams can be interpolated");
  }
  TypeRef type = thing->kind == Thing::Kind::kStream ? Resolve(thing->type)->args[0] : thing->type;
  if (!part.format.empty() && !FormatFits(part.format, type)) {
    return Report(part.expr->span, fmt::format("`{}` does not fit {}", part.format, ToText(type)),
                  "Int: %d %x %X %o; Float: %e %f %g; anything: %s");
  }
  auto build = [&](const std::vector<ThingRef>& values) {
    if (part.format.empty()) return ValueThing(PrimitiveExpr(Primitive::kToString, {values[0]->value}, string));
    ExprRef format = ConstExpr(Value::String(part.format), string);
    return ValueThing(PrimitiveExpr(Primitive::kFormat, {values[0]->value, format}, string));
  };
  if (thing->kind == Thing::Kind::kStream) return Lift({thing}, part.expr->span, false, build);
  return build({thing});
}

ThingRef Elaborator::EvalString(const Expr& expr, Scope* scope) {
  TypeRef string = SimpleType(TypeKind::kString);
  std::vector<ThingRef> parts;
  for (const syntax::StringPart& part : expr.parts) {
    parts.push_back(EvalPart(part, scope));
    if (parts.back()->kind == Thing::Kind::kPoison) return parts.back();
  }
  if (parts.empty()) return ValueThing(ConstExpr(Value::String(""), string));
  auto build = [&](const std::vector<ThingRef>& values) {
    ExprRef text = values[0]->value;
    for (size_t i = 1; i < values.size(); ++i)
      text = PrimitiveExpr(Primitive::kConcat, {text, values[i]->value}, string);
    return ValueThing(text);
  };
  return AnyStream(parts) ? Lift(parts, expr.span, false, build) : build(parts);
}

ThingRef Elaborator::EvalTime(const Expr& expr) {
  const Unit* unit = FindUnit(expr.name);
  if (unit == nullptr) return Report(expr.span, fmt::format("unknown time unit `{}`", expr.name));
  if (options_.base_time.empty()) {
    return Report(expr.span, "a time literal needs a base time",
                  "say what one unit of a timestamp is: --base-time 1ns");
  }
  const std::string& base = options_.base_time;
  int64_t count = 0;
  auto parsed = std::from_chars(base.data(), base.data() + base.size(), count);
  std::string_view rest(parsed.ptr, static_cast<size_t>(base.data() + base.size() - parsed.ptr));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const Unit* base_unit = FindUnit(rest);
  if (parsed.ec != std::errc() || count <= 0 || base_unit == nullptr) {
    return Report(expr.span, fmt::format("the base time `{}` is not a number and a unit", base));
  }
  if (Femtoseconds(*unit) < Femtoseconds(*base_unit)) {
    return Report(expr.span, fmt::format("Cannot convert from {} to {}", base_unit->name, unit->name));
  }
  Wide value = Wide{expr.integer} * Femtoseconds(*unit) / (Wide{count} * Femtoseconds(*base_unit));
  if (value == 0 && expr.integer != 0) {
    return Report(expr.span,
                  fmt::format("Cannot represent {} {} in terms of base time {}.", expr.integer, expr.name, base));
  }
  if (value > INT64_MAX) return Report(expr.span, "the time does not fit in 64 bits");
  return ValueThing(ConstExpr(Value::Int(static_cast<int64_t>(value)), SimpleType(TypeKind::kInt)));
}

ThingRef Elaborator::EvalRecord(const Expr& expr, Scope* scope, const std::vector<std::string>& names) {
  auto record = std::make_shared<Thing>();
  record->kind = Thing::Kind::kRecord;
  record->names = names;
  std::vector<ExprRef> values;
  std::vector<TypeRef> types;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (names[i] == names[j]) return Report(expr.args[i]->span, fmt::format("member `{}` is given twice", names[i]));
    }
    ThingRef member = Eval(*expr.args[i], scope);
    if (member->kind == Thing::Kind::kPoison) return member;
    if (member->kind == Thing::Kind::kValue) values.push_back(member->value);
    types.push_back(member->type);
    record->members.push_back(std::move(member));
  }
  if (values.size() == expr.args.size()) return ValueThing(RecordExpr(names, std::move(values)));
  record->type = RecordType(names, std::move(types));
  return record;
}

ThingRef Elaborator::EvalMember(const Expr& expr, Scope* scope) {
  const Expr& object = *expr.args[0];
  if (object.kind == Kind::kName && object.name == "__root__") {
    return Lookup(expr.name, expr.span, InLibrary(expr.span) ? library_ : top_, -1);
  }
  // A member of a record that is being evaluated: only that member is needed.
  Scope* where = nullptr;
  ScopeEntry* entry = object.kind == Kind::kName ? Find(object.name, scope, -1, &where) : nullptr;
  if (entry != nullptr && entry->state == ScopeEntry::State::kRunning && entry->members != nullptr) {
    auto found = entry->members->names.find(object.name + "." + expr.name);
    if (found != entry->members->names.end()) return EntryThing(found->second[0], entry->members, expr.span);
  }
  return MemberOf(Eval(*expr.args[0], scope), expr.name, expr.span);
}

ThingRef Elaborator::MemberOf(const ThingRef& thing, const std::string& name, Span span) {
  if (thing->kind == Thing::Kind::kPoison) return thing;
  if (thing->kind == Thing::Kind::kModule) {
    auto found = thing->scope->names.find(name);
    if (found != thing->scope->names.end()) return EntryThing(found->second[0], thing->scope, span);
    std::vector<std::string_view> names;
    names.reserve(thing->scope->names.size());
    for (const auto& [known, entries] : thing->scope->names) names.push_back(known);
    return Report(span, fmt::format("the module has no `{}`", name), DidYouMean(name, names));
  }
  if (thing->kind == Thing::Kind::kRecord) {
    for (size_t i = 0; i < thing->names.size(); ++i) {
      if (thing->names[i] == name) return thing->members[i];
    }
    return Report(span, fmt::format("there is no member `{}` in {}", name, ToText(thing->type)));
  }
  if (thing->kind == Thing::Kind::kStream) {
    return Lift({thing}, span, false, [&](const std::vector<ThingRef>& v) { return MemberOf(v[0], name, span); });
  }
  TypeRef type = Resolve(thing->type);
  if (type->kind != TypeKind::kRecord) return Report(span, fmt::format("{} has no member `{}`", ToText(type), name));
  for (size_t i = 0; i < type->names.size(); ++i) {
    if (type->names[i] != name) continue;
    auto member = std::make_shared<stream::Expr>();
    member->op = Op::kMember;
    member->local = static_cast<uint32_t>(i);
    member->args = {thing->value};
    member->type = type->args[i];
    return ValueThing(Folded(member));
  }
  return Report(span, fmt::format("there is no member `{}` in {}", name, ToText(type)));
}

}  // namespace heddle::stream
