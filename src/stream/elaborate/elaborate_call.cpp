// Calls: arguments, type inference, lifting, expansion, recursion.
#include <fmt/format.h>

#include <algorithm>

#include "stream/elaborate/elaborator.h"

namespace heddle::stream {

using Kind = syntax::Expr::Kind;

const std::vector<syntax::Parameter>* Elaborator::ParametersOf(const Thing& thing) {
  if (thing.definition != nullptr) return &thing.definition->parameters;
  return thing.lambda != nullptr ? &thing.lambda->parameters : nullptr;
}

std::string Elaborator::NameOfFunction(const Thing& thing) {
  return thing.definition != nullptr ? thing.definition->name : "function";
}

// Type arguments that somebody wrote: they stand for types of values.
std::vector<TypeRef> Elaborator::TypeArguments(const Expr& expr, Scope* scope) {
  std::vector<TypeRef> types;
  types.reserve(expr.type_args.size());
  for (const auto& type : expr.type_args) {
    types.push_back(ResolveType(*type, scope));
    TypeKind kind = Resolve(types.back())->kind;
    if (kind != TypeKind::kEvents && kind != TypeKind::kFunction) continue;
    Report(type->span, fmt::format("a type argument is a type of values, but this is {}", ToText(types.back())));
    types.back() = SimpleType(TypeKind::kPoison);
  }
  return types;
}

// f[T1, T2] without a call.
ThingRef Elaborator::Instantiate(const Expr& expr, Scope* scope) {
  const Expr& callee = *expr.args[0];
  std::vector<TypeRef> types = TypeArguments(expr, scope);
  auto with_types = [&](const Thing& function) -> ThingRef {
    auto copy = std::make_shared<Thing>(function);
    copy->types = types;
    if (copy->definition != nullptr && copy->definition->type_parameters.size() != types.size()) {
      return Report(expr.span, fmt::format("`{}` takes {} type arguments, {} given", copy->definition->name,
                                           copy->definition->type_parameters.size(), types.size()));
    }
    if (copy->definition != nullptr && !copy->definition->is_function) return CallDefinition(*copy, {}, {}, expr.span);
    return copy;
  };
  // A generic constant such as Set.empty would be evaluated by Eval, so its definition is looked up first.
  Scope* where = nullptr;
  ScopeEntry* entry = nullptr;
  if (callee.kind == Kind::kName) entry = Find(callee.name, scope, -1, &where);
  if (callee.kind == Kind::kMember) {
    ThingRef module = Eval(*callee.args[0], scope);
    if (module->kind == Thing::Kind::kModule) {
      auto found = module->scope->names.find(callee.name);
      if (found != module->scope->names.end()) entry = &found->second[0];
      where = module->scope;
    }
  }
  for (; entry != nullptr && entry->origin != nullptr; entry = entry->origin) where = entry->origin_scope;
  if (entry != nullptr && entry->definition != nullptr && !entry->definition->type_parameters.empty()) {
    Thing function;
    function.kind = Thing::Kind::kFunction;
    function.definition = entry->definition;
    function.scope = where;
    function.type = SimpleType(TypeKind::kPoison);
    return with_types(function);
  }
  ThingRef function = Eval(callee, scope);
  if (function->kind == Thing::Kind::kPoison) return function;
  return Report(expr.span, "only generic definitions take type arguments");
}

// Puts named arguments into their places.
bool Elaborator::ArrangeArguments(const Expr& call, const ThingRef& function, std::vector<const Expr*>& arranged) {
  size_t count = call.args.size() - 1;
  const auto* parameters = ParametersOf(*function);
  size_t wanted = parameters != nullptr ? parameters->size() : Resolve(function->type)->args.size() - 1;
  if (parameters != nullptr && wanted == 1 && (*parameters)[0].name == "variadic") wanted = count;
  if (count != wanted) {
    Report(call.span, fmt::format("`{}` takes {} argument{}, {} given", NameOfFunction(*function), wanted,
                                  wanted == 1 ? "" : "s", count));
    return false;
  }
  arranged.assign(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    size_t place = i;
    if (!call.names[i].empty()) {
      auto named = [&](const syntax::Parameter& p) { return p.name == call.names[i]; };
      auto found = parameters == nullptr ? decltype(parameters->begin()){}
                                         : std::find_if(parameters->begin(), parameters->end(), named);
      if (parameters == nullptr || found == parameters->end()) {
        Report(call.args[i + 1]->span, fmt::format("there is no parameter `{}`", call.names[i]));
        return false;
      }
      place = static_cast<size_t>(found - parameters->begin());
    }
    if (arranged[place] != nullptr) {
      Report(call.args[i + 1]->span, "the argument is given twice");
      return false;
    }
    arranged[place] = call.args[i + 1].get();
  }
  return true;
}

ThingRef Elaborator::EvalLogic(const Expr& expr, Scope* scope) {
  TypeRef boolean = SimpleType(TypeKind::kBool);
  std::vector<ThingRef> sides = {Eval(*expr.args[1], scope), InRegion([&] { return Eval(*expr.args[2], scope); })};
  bool streams = false;
  for (size_t i = 0; i < 2; ++i) {
    if (sides[i]->kind == Thing::Kind::kPoison) return sides[i];
    bool stream = sides[i]->kind == Thing::Kind::kStream;
    streams = streams || stream;
    TypeRef type = stream ? Resolve(sides[i]->type)->args[0] : sides[i]->type;
    if (sides[i]->kind == Thing::Kind::kFunction || !Unify(type, boolean)) {
      return Mismatch(expr.args[i + 1]->span, boolean, type, fmt::format("the operand of `{}`", expr.args[0]->name));
    }
  }
  auto build = [&](const std::vector<ThingRef>& values) {
    auto logic = std::make_shared<stream::Expr>();
    logic->op = expr.args[0]->name == "&&" ? Op::kAnd : Op::kOr;
    logic->type = boolean;
    logic->args = {values[0]->value, values[1]->value};
    return ValueThing(Folded(logic));
  };
  return streams ? Lift(sides, expr.span, false, build) : build(sides);
}

namespace {

bool Mentions(const syntax::TypeExpr* type, const std::string& name) {
  if (type == nullptr) return false;
  if (type->name == name) return true;
  return std::any_of(type->args.begin(), type->args.end(), [&](const auto& arg) { return Mentions(arg.get(), name); });
}

// A type parameter that neither a parameter nor the result mentions cannot be told from a call.
bool CanInferTypes(const syntax::Definition* definition) {
  if (definition == nullptr || definition->in_library) return true;
  const auto& names = definition->type_parameters;
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return Mentions(definition->result.get(), name) ||
           std::any_of(definition->parameters.begin(), definition->parameters.end(),
                       [&](const syntax::Parameter& p) { return Mentions(p.type.get(), name); });
  });
}

}  // namespace

ThingRef Elaborator::EvalCall(const Expr& expr, Scope* scope) {
  const Expr& callee = *expr.args[0];
  if (callee.kind == Kind::kName && (callee.name == "&&" || callee.name == "||")) return EvalLogic(expr, scope);
  ThingRef function;
  if (callee.kind == Kind::kName) {
    function = Lookup(callee.name, callee.span, scope, static_cast<int>(expr.args.size()) - 1);
  } else {
    function = Eval(callee, scope);
  }
  if (function->kind == Thing::Kind::kPoison) return function;
  if (function->kind != Thing::Kind::kFunction) {
    return Report(callee.span, fmt::format("`{}` is not a function", sources_.TextOf(callee.span)));
  }
  if (!expr.type_args.empty()) {
    auto copy = std::make_shared<Thing>(*function);
    copy->types = TypeArguments(expr, scope);
    if (copy->definition == nullptr || copy->definition->type_parameters.size() != copy->types.size()) {
      return Report(expr.span, "the number of type arguments is wrong");
    }
    function = copy;
  }
  if (expr.type_args.empty() && function->types.empty() && !CanInferTypes(function->definition)) {
    return Report(expr.span, fmt::format("Explicit type arguments needed for \"{}\"", function->definition->name));
  }
  std::vector<const Expr*> arranged;
  if (!ArrangeArguments(expr, function, arranged)) {
    auto poison = std::make_shared<Thing>();
    poison->type = SimpleType(TypeKind::kPoison);
    return poison;
  }
  const auto* parameters = ParametersOf(*function);
  std::vector<ThingRef> args;
  std::vector<Span> spans;
  for (size_t i = 0; i < arranged.size(); ++i) {
    bool lazy = parameters != nullptr && i < parameters->size() && (*parameters)[i].lazy;
    args.push_back(lazy ? InRegion([&] { return Eval(*arranged[i], scope); }) : Eval(*arranged[i], scope));
    spans.push_back(arranged[i]->span);
    if (args.back()->kind == Thing::Kind::kPoison) return args.back();
  }
  return CallFunction(function, std::move(args), spans, expr.span);
}

namespace {

// A function that is written for streams, not for their values.
bool IsOnStreams(const Thing& function) {
  if (function.kind != Thing::Kind::kFunction) return false;
  if (function.definition == nullptr && function.lambda == nullptr) {
    TypeRef type = Resolve(function.type);
    return type->kind == TypeKind::kFunction && IsStream(type->args[0]);
  }
  if (function.definition != nullptr && function.definition->liftable) return false;
  const auto& parameters = function.definition ? function.definition->parameters : function.lambda->parameters;
  return !parameters.empty() && parameters[0].type && parameters[0].type->name == "Events";
}

}  // namespace

// The library has a second form, `NAMEStreams__`, of what takes a function of values and one of streams.
ThingRef Elaborator::FormOf(const ThingRef& function, const std::vector<ThingRef>& args, Span span) {
  if (function->definition == nullptr || !function->definition->in_library) return function;
  if (std::none_of(args.begin(), args.end(), [](const ThingRef& arg) { return IsOnStreams(*arg); })) return function;
  Scope* where = nullptr;
  ScopeEntry* entry = Find(function->definition->name + "Streams__", function->scope, -1, &where);
  return entry == nullptr ? function : EntryThing(*entry, where, span);
}

ThingRef Elaborator::CallFunction(const ThingRef& called, std::vector<ThingRef> args, const std::vector<Span>& spans,
                                  Span span) {
  if (!Enter(span)) {
    Leave();
    return Report(span, "Infinite recursion detected");
  }
  ThingRef function = FormOf(called, args, span);
  ThingRef result;
  if (function->definition != nullptr) {
    result = CallDefinition(*function, std::move(args), spans, span);
  } else if (function->lambda != nullptr) {
    result = CallLambda(*function, args, spans, span);
  } else {
    result = CallOpaque(*function, args, spans);
  }
  Leave();
  return result;
}

ThingRef Elaborator::CallOpaque(const Thing& function, const std::vector<ThingRef>& args,
                                const std::vector<Span>& spans) {
  TypeRef type = Resolve(function.type);
  for (size_t i = 0; i < args.size() && type->kind == TypeKind::kFunction; ++i) {
    ThingRef arg = Coerce(args[i], type->args[i], spans[i], fmt::format("argument {}", i + 1));
    if (arg->kind == Thing::Kind::kPoison) return arg;
  }
  return Opaque(type->kind == TypeKind::kFunction ? type->args.back() : SimpleType(TypeKind::kPoison));
}

ThingRef Elaborator::CallLambda(const Thing& function, const std::vector<ThingRef>& args,
                                const std::vector<Span>& spans, Span span) {
  const auto& parameters = function.lambda->parameters;
  if (parameters.size() != args.size()) {
    return Report(span, fmt::format("the function takes {} arguments, {} given", parameters.size(), args.size()));
  }
  Scope* scope = NewScope(function.scope);
  for (size_t i = 0; i < args.size(); ++i) {
    ThingRef arg = args[i];
    TypeRef type = parameters[i].type ? ResolveType(*parameters[i].type, function.scope) : nullptr;
    if (!type && i < function.types.size()) type = function.types[i];
    if (type) arg = Coerce(arg, type, spans[i], fmt::format("argument {}", i + 1));
    if (arg->kind == Thing::Kind::kPoison) return arg;
    Bind(scope, parameters[i].name, BindLocal(arg, region_, true));
  }
  return Eval(*function.lambda->args[0], scope);
}

ThingRef Elaborator::LiftedCall(const Thing& function, const std::vector<ThingRef>& args,
                                const std::vector<Span>& spans, Span span) {
  return Lift(args, span, false,
              [&](const std::vector<ThingRef>& values) { return CallDefinition(function, values, spans, span); });
}

bool HasStaticIf(const syntax::Expr& expr) {
  if (expr.kind == Kind::kStaticIf) return true;
  return std::any_of(expr.args.begin(), expr.args.end(), [](const auto& arg) { return HasStaticIf(*arg); }) ||
         std::any_of(expr.definitions.begin(), expr.definitions.end(),
                     [](const auto& definition) { return HasStaticIf(*definition->body); });
}

namespace {

bool IsKnown(const ThingRef& thing) {
  return thing->kind == Thing::Kind::kFunction || (thing->kind == Thing::Kind::kValue && IsConst(thing->value));
}

}  // namespace

// Operators are shown as they were written.
std::string Elaborator::Shown(const syntax::Definition& definition, Span span) const {
  if (!definition.name.starts_with("__")) return definition.name;
  return std::string(sources_.TextOf(span));
}

ThingRef Elaborator::CallDefinition(const Thing& function, std::vector<ThingRef> args, const std::vector<Span>& spans,
                                    Span span) {
  const syntax::Definition& definition = *function.definition;
  Scope* scope = NewScope(function.scope);
  for (size_t i = 0; i < definition.type_parameters.size(); ++i) {
    scope->types[definition.type_parameters[i]].type = i < function.types.size() ? function.types[i] : FreshVariable();
  }
  std::vector<TypeRef> types;
  bool variadic = definition.parameters.size() == 1 && definition.parameters[0].name == "variadic";
  for (size_t i = 0; i < args.size(); ++i) {
    const syntax::Parameter& parameter = definition.parameters[variadic ? 0 : i];
    types.push_back(parameter.type ? ResolveType(*parameter.type, scope) : nullptr);
    bool stream = args[i]->kind == Thing::Kind::kStream;
    if (definition.liftable && stream && (!types[i] || KindOf(types[i]) != TypeKind::kEvents)) {
      return LiftedCall(function, args, spans, span);
    }
  }
  // Functions last: by then the types of the other arguments are known.
  for (bool functions : {false, true}) {
    for (size_t i = 0; i < args.size(); ++i) {
      if ((args[i]->kind == Thing::Kind::kFunction) != functions || !types[i]) continue;
      args[i] = Coerce(args[i], types[i], spans[i], fmt::format("argument {} of `{}`", i + 1, Shown(definition, span)));
      if (args[i]->kind == Thing::Kind::kPoison) return args[i];
    }
  }
  TypeRef result = definition.result ? ResolveType(*definition.result, scope) : nullptr;
  if (definition.body->kind == Kind::kExtern) {
    return CallExtern(definition.body->name, args, result ? result : FreshVariable(), span);
  }
  bool streams =
      std::any_of(args.begin(), args.end(), [](const ThingRef& t) { return t->kind == Thing::Kind::kStream; }) ||
      (result && IsStream(result));
  // In a function that is checked without a call, what ends the recursion is not known: the result is of its type.
  bool unknown = unknown_branches_ > 0 || std::any_of(args.begin(), args.end(), [](const ThingRef& t) {
                   return t->kind == Thing::Kind::kValue && ContainsOpaque(t->value);
                 });
  if (definition.recursive && streams && unknown && HasStaticIf(*definition.body)) {
    return Opaque(result ? result : SimpleType(TypeKind::kPoison));
  }
  // With constants, a `static if` ends the recursion while it is expanded.
  bool expands =
      definition.recursive && HasStaticIf(*definition.body) && std::all_of(args.begin(), args.end(), IsKnown);
  if (definition.recursive && !args.empty() && !streams && !expands) return CallRecursive(function, scope, args, span);
  calls_.push_back({definition.name, span});
  for (size_t i = 0; i < args.size(); ++i) {
    const syntax::Parameter& parameter = definition.parameters[i];
    Bind(scope, parameter.name, parameter.lazy ? args[i] : BindLocal(args[i], region_, true));
  }
  ThingRef thing = Eval(*definition.body, scope, result);
  if (result) thing = Coerce(thing, result, definition.body->span, fmt::format("the result of `{}`", definition.name));
  calls_.pop_back();
  return thing;
}

// A recursive function of values becomes a function of its own, one for each set of types and function arguments.
ThingRef Elaborator::CallRecursive(const Thing& function, Scope* scope, const std::vector<ThingRef>& args, Span span) {
  const syntax::Definition& definition = *function.definition;
  if (!definition.result) {
    return Report(definition.name_span, fmt::format("`{}` calls itself and needs a result type", definition.name));
  }
  TypeRef result = ResolveType(*definition.result, scope);
  std::string key = fmt::format("{} {}", fmt::ptr(&definition), fmt::ptr(function.scope));
  auto call = std::make_shared<stream::Expr>();
  call->op = Op::kCall;
  call->type = result;
  for (const ThingRef& arg : args) {
    if (arg->kind == Thing::Kind::kValue) {
      key += " " + ToText(arg->type);
      call->args.push_back(arg->value);
    } else if (arg->kind == Thing::Kind::kFunction) {
      key += fmt::format(" {}{}{}", fmt::ptr(arg->definition), fmt::ptr(arg->lambda), fmt::ptr(arg->scope));
    } else {
      return Report(span, "a recursive function takes values and functions only");
    }
  }
  auto [found, added] = functions_.try_emplace(key);
  if (added) {
    Frame* frame = found->second = &frames_.emplace_back();
    auto code = frame->function = std::make_shared<Function>();
    code->name = definition.name;
    graph_.recursive->Add(code);
    Region* region = &regions_.emplace_back();
    calls_.push_back({definition.name, span});
    ++recursive_depth_;
    open_functions_.push_back(frame);
    ThingRef body = InFrame(frame, region, [&] {
      Scope* inner = NewScope(scope);
      for (size_t i = 0; i < args.size(); ++i) {
        bool value = args[i]->kind == Thing::Kind::kValue;
        if (value) ++frame->declared;
        Bind(inner, definition.parameters[i].name, value ? FreshLocal(args[i]->type) : args[i]);
      }
      return InRegion([&] {
        ThingRef thing = Eval(*definition.body, inner, result);
        return Coerce(thing, result, definition.body->span, fmt::format("the result of `{}`", definition.name));
      });
    });
    --recursive_depth_;
    calls_.pop_back();
    if (body->kind == Thing::Kind::kPoison) {
      code->body = ConstExpr(Value(), result);
      return body;
    }
    code->body = ValueOf(body, span);
  }
  Frame* callee = functions_[key];
  call->function = callee->function;
  open_calls_.push_back({call, frame_, callee});
  PassCaptures(span);
  bool done = recursive_depth_ == 0;
  if (done) FinishRecursion(span);
  return ValueThing(done && callee->captures.empty() ? Folded(call) : ExprRef(call));
}

}  // namespace heddle::stream
