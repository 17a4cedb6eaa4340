// Type expressions, and making things fit the types that are wanted.
#include <fmt/format.h>

#include <map>

#include "base/near.h"
#include "stream/elaborate/elaborator.h"

namespace heddle::stream {
namespace {

struct BuiltinType {
  std::string_view name;
  TypeKind kind;
  size_t arity;
};
constexpr BuiltinType kBuiltins[] = {
    {"Int", TypeKind::kInt, 0},       {"Float", TypeKind::kFloat, 0}, {"Bool", TypeKind::kBool, 0},
    {"String", TypeKind::kString, 0}, {"Unit", TypeKind::kUnit, 0},   {"Option", TypeKind::kOption, 1},
    {"Set", TypeKind::kSet, 1},       {"Map", TypeKind::kMap, 2},     {"List", TypeKind::kList, 1},
    {"Events", TypeKind::kEvents, 1},
};

bool TakesStreams(const syntax::Definition& definition) {
  for (const syntax::Parameter& parameter : definition.parameters) {
    if (parameter.type && (parameter.type->name == "Events" || parameter.type->kind != syntax::TypeExpr::Kind::kName)) {
      return true;
    }
  }
  return definition.result && definition.result->name == "Events";
}

}  // namespace

bool ContainsOpaque(const ExprRef& expr) {
  if (expr->op == Op::kOpaque) return true;
  for (const ExprRef& arg : expr->args) {
    if (ContainsOpaque(arg)) return true;
  }
  return false;
}

TypeRef Elaborator::ResolveType(const syntax::TypeExpr& type, Scope* scope) {
  using Form = syntax::TypeExpr::Kind;
  if (type.kind == Form::kName) return NamedType(type, scope);
  std::vector<TypeRef> args;
  args.reserve(type.args.size());
  for (const auto& arg : type.args) args.push_back(ResolveType(*arg, scope));
  if (type.kind == Form::kFunction) return MakeType(TypeKind::kFunction, std::move(args));
  if (type.open) return FreshVariable();  // checked where the function is expanded
  return RecordType(type.names, std::move(args));
}

// The builtin behind a name: itself, or what `type N = extern("...")` says.
std::string_view Elaborator::ExternName(std::string_view name, Scope* scope) {
  for (; scope != nullptr; scope = scope->parent) {
    auto found = scope->types.find(name);
    if (found == scope->types.end()) continue;
    bool is_extern = found->second.definition != nullptr && found->second.definition->is_extern;
    return is_extern ? std::string_view(found->second.definition->type->name) : name;
  }
  return name;
}

TypeRef Elaborator::NamedType(const syntax::TypeExpr& type, Scope* scope) {
  std::vector<TypeRef> args;
  args.reserve(type.args.size());
  for (const auto& arg : type.args) args.push_back(ResolveType(*arg, scope));
  auto count_is_wrong = [&](size_t wanted) {
    if (args.size() == wanted) return false;
    Report(type.span, fmt::format("`{}` takes {} type arguments, {} given", type.name, wanted, args.size()));
    return true;
  };
  for (Scope* at = scope; at != nullptr; at = at->parent) {
    auto found = at->types.find(type.name);
    if (found == at->types.end()) continue;
    if (found->second.type) return count_is_wrong(0) ? SimpleType(TypeKind::kPoison) : found->second.type;
    const syntax::TypeDefinition& definition = *found->second.definition;
    if (definition.is_extern) break;  // type Int = extern("Int")
    if (count_is_wrong(definition.parameters.size())) return SimpleType(TypeKind::kPoison);
    Scope* inner = NewScope(at);
    for (size_t i = 0; i < args.size(); ++i) inner->types[definition.parameters[i]].type = args[i];
    TypeRef result = SimpleType(TypeKind::kPoison);
    if (Enter(type.span)) result = ResolveType(*definition.type, inner);
    Leave();
    return result;
  }
  std::vector<std::string_view> names;
  std::string_view wanted = ExternName(type.name, scope);
  for (const BuiltinType& builtin : kBuiltins) {
    if (builtin.name == wanted) {
      return count_is_wrong(builtin.arity) ? SimpleType(TypeKind::kPoison) : MakeType(builtin.kind, std::move(args));
    }
    names.push_back(builtin.name);
  }
  Report(type.span, fmt::format("there is no type `{}`", type.name), DidYouMean(type.name, names));
  return SimpleType(TypeKind::kPoison);
}

ThingRef Elaborator::Coerce(ThingRef thing, const TypeRef& want, Span span, std::string_view what) {
  if (thing->kind == Thing::Kind::kPoison) return thing;
  TypeRef wanted = Resolve(want);
  if (thing->kind == Thing::Kind::kModule) return Report(span, "a module is not a value");
  if (thing->kind == Thing::Kind::kFunction) {
    if (wanted->kind == TypeKind::kFunction) return CoerceFunction(thing, wanted, span, what);
    if (wanted->kind == TypeKind::kVariable) {
      Unify(wanted, FunctionType(thing));
      return thing;
    }
    if (wanted->kind == TypeKind::kPoison) return thing;
    return Report(span, fmt::format("{} should be {}, but is a function", what, ToText(wanted)));
  }
  if (wanted->kind == TypeKind::kEvents && thing->kind == Thing::Kind::kValue) {
    if (!Unify(wanted->args[0], thing->type)) return Mismatch(span, wanted, thing->type, what);
    return ToStream(thing, span);
  }
  if (thing->kind == Thing::Kind::kRecord && wanted->kind == TypeKind::kRecord && wanted->names == thing->names) {
    auto copy = std::make_shared<Thing>(*thing);
    for (size_t i = 0; i < copy->members.size(); ++i) {
      copy->members[i] = Coerce(copy->members[i], wanted->args[i], span, what);
    }
    copy->type = wanted;
    return copy;
  }
  if (thing->kind == Thing::Kind::kValue && wanted->kind == TypeKind::kRecord && !IsValueType(wanted) &&
      KindOf(thing->type) == TypeKind::kRecord && Resolve(thing->type)->names == wanted->names) {
    auto record = std::make_shared<Thing>();
    record->kind = Thing::Kind::kRecord;
    record->type = wanted;
    record->names = wanted->names;
    for (size_t i = 0; i < wanted->args.size(); ++i) {
      record->members.push_back(Coerce(MemberOf(thing, wanted->names[i], span), wanted->args[i], span, what));
    }
    return record;
  }
  if (!Unify(wanted, thing->type)) return Mismatch(span, wanted, thing->type, what);
  return thing;
}

// Checks a function against a function type by applying it to opaque arguments of the wanted types.
ThingRef Elaborator::CoerceFunction(const ThingRef& thing, const TypeRef& want, Span span, std::string_view what) {
  if (thing->definition == nullptr && thing->lambda == nullptr) {
    return Unify(thing->type, want) ? thing : Mismatch(span, want, thing->type, what);
  }
  size_t count = want->args.size() - 1;
  size_t parameters = ParametersOf(*thing)->size();
  if (parameters == 1 && (*ParametersOf(*thing))[0].name == "variadic") parameters = count;
  if (parameters != count) {
    return Report(span, fmt::format("{} should take {} arguments, but takes {}", what, count, parameters));
  }
  std::vector<TypeRef> wanted(want->args.begin(), want->args.end() - 1);
  auto copy = std::make_shared<Thing>(*thing);
  if (copy->lambda != nullptr) {
    for (size_t i = 0; i < count; ++i) {
      const syntax::Parameter& parameter = copy->lambda->parameters[i];
      TypeRef type = parameter.type ? ResolveType(*parameter.type, copy->scope) : wanted[i];
      if (!Unify(type, wanted[i])) return Mismatch(parameter.span, wanted[i], type, "parameter");
    }
    copy->types = wanted;
  }
  std::vector<ThingRef> args;
  std::vector<Span> spans;
  for (const TypeRef& type : wanted) {
    args.push_back(Opaque(type));
    spans.push_back(span);
  }
  if (!Enter(span)) {
    Leave();
    return Report(span, "Infinite recursion detected");
  }
  // A region of its own: the trial's bindings are thrown away.
  regions_.push_back({});
  Region* region = region_ == nullptr ? nullptr : &regions_.back();
  ThingRef result = InFrame(frame_, region, [&] { return CallFunction(copy, args, spans, span); });
  Leave();
  result = Coerce(result, want->args.back(), span, fmt::format("the result of {}", what));
  if (result->kind == Thing::Kind::kPoison) return result;
  return copy;
}

ExprRef Elaborator::ToConstant(const ThingRef& thing, Span span) {
  if (thing->kind == Thing::Kind::kPoison) return ConstExpr(Value(), thing->type);
  if (IsConst(thing->value)) return thing->value;
  if (frame_ == nullptr && ContainsOpaque(thing->value)) return ConstExpr(Value(), thing->type);
  Report(span, "the value of an event cannot define a stream", "use lift, slift or a liftable function");
  return ConstExpr(Value(), thing->type);
}

ThingRef Elaborator::ToStream(const ThingRef& thing, Span span) {
  if (thing->kind != Thing::Kind::kValue) return thing;
  Node nil;
  nil.kind = NodeKind::kNil;
  nil.type = thing->type;
  nil.span = span;
  Node node;
  node.kind = NodeKind::kDefault;
  node.constant = ToConstant(thing, span)->constant;
  node.args = {StreamThing(std::move(nil))->node};
  node.type = thing->type;
  node.span = span;
  return StreamThing(std::move(node));
}

TypeRef Elaborator::FunctionType(const ThingRef& thing) {
  if (thing->definition == nullptr && thing->lambda == nullptr) return thing->type;
  std::vector<TypeRef> args;
  for (const syntax::Parameter& parameter : *ParametersOf(*thing)) {
    bool generic = thing->definition != nullptr && !thing->definition->type_parameters.empty();
    args.push_back(parameter.type && !generic ? ResolveType(*parameter.type, thing->scope) : FreshVariable());
  }
  args.push_back(FreshVariable());
  return MakeType(TypeKind::kFunction, std::move(args));
}

ThingRef Elaborator::Opaque(const TypeRef& type) {
  TypeRef t = Resolve(type);
  auto thing = std::make_shared<Thing>();
  thing->type = t;
  if (t->kind == TypeKind::kEvents) {
    Node node;
    node.kind = NodeKind::kNil;
    node.type = t->args[0];
    return StreamThing(std::move(node));
  }
  if (t->kind == TypeKind::kFunction) {
    thing->kind = Thing::Kind::kFunction;
  } else if (t->kind == TypeKind::kRecord && !IsValueType(t) && !HasVariables(t)) {
    thing->kind = Thing::Kind::kRecord;
    thing->names = t->names;
    for (const TypeRef& arg : t->args) thing->members.push_back(Opaque(arg));
  } else if (t->kind != TypeKind::kPoison) {
    auto expr = std::make_shared<stream::Expr>();
    expr->op = Op::kOpaque;
    expr->type = t;
    thing->kind = Thing::Kind::kValue;
    thing->value = expr;
  }
  return thing;
}

// Functions that nobody calls still have to make sense.
void Elaborator::CheckUnused(const syntax::Entries& entries, Scope* scope, bool library) {
  for (const auto& definition : entries.definitions) {
    if (definition->in_library != library || definition->body->kind == syntax::Expr::Kind::kExtern) continue;
    if (!definition->is_function && definition->type_parameters.empty()) {
      Scope* where = nullptr;
      if (ScopeEntry* entry = Find(definition->name, scope, 0, &where)) EntryThing(*entry, where, definition->span);
      continue;
    }
    bool typed = true;
    bool open = false;
    for (const syntax::Parameter& parameter : definition->parameters) {
      typed = typed && parameter.type != nullptr;
      open = open || (parameter.type && parameter.type->open);
    }
    if (open) continue;
    if (!typed) {
      if (!paper_) Report(definition->name_span, fmt::format("a parameter of `{}` needs a type", definition->name));
      continue;
    }
    // A recursive macro only ends when its `static if` is known.
    if (definition->recursive && (TakesStreams(*definition) || HasStaticIf(*definition->body))) continue;
    auto function = std::make_shared<Thing>();
    function->kind = Thing::Kind::kFunction;
    function->definition = definition.get();
    function->scope = scope;
    Scope* types = NewScope(scope);
    for (const std::string& name : definition->type_parameters) {
      function->types.push_back(RigidType(name));
      types->types[name].type = function->types.back();
    }
    std::vector<ThingRef> args;
    std::vector<Span> spans;
    for (const syntax::Parameter& parameter : definition->parameters) {
      TypeRef type = ResolveType(*parameter.type, types);
      if (definition->liftable && IsStream(type)) {
        Report(parameter.span, fmt::format("`{}` is liftable and takes no streams", definition->name));
      }
      args.push_back(Opaque(type));
      spans.push_back(parameter.span);
    }
    ThingRef result =
        InFrame(nullptr, nullptr, [&] { return CallDefinition(*function, args, spans, definition->name_span); });
    if (definition->liftable && result->kind == Thing::Kind::kStream) {
      Report(definition->name_span, fmt::format("`{}` is liftable and its result is no stream", definition->name));
    }
  }
  for (const auto& module : entries.modules) {
    ThingRef thing = scope->names[module->name][0].thing;
    if (thing != nullptr && thing->scope != nullptr) CheckUnused(module->entries, thing->scope, library);
  }
}

}  // namespace heddle::stream
