// Scopes, definitions, inputs and outputs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/near.h"
#include "stream/elaborate/elaborator.h"

namespace heddle::stream {

namespace {

constexpr int kMaxDepth = 1200;  // nested evaluations before a specification counts as infinite
constexpr size_t kMaxChain = 8;  // calls that a message shows
constexpr size_t kMaxNodes = 200'000;
constexpr uint64_t kMaxEvaluations = 2'000'000;

// Names in a scope and its parents, for spelling hints.
void CollectNames(const Scope* scope, std::vector<std::string_view>& names) {
  for (; scope != nullptr; scope = scope->parent) {
    for (const auto& [name, entries] : scope->names) names.push_back(name);
  }
}

}  // namespace

Elaborator::Elaborator(SourceMap& sources, const CompileOptions& options, std::vector<Diagnostic>& diagnostics)
    : sources_(sources), options_(options), diagnostics_(diagnostics) {
  top_ = NewScope(nullptr);
}

ThingRef Elaborator::Report(Span span, std::string message, std::string help) {
  span = UserSpan(span);
  Diagnostic diagnostic{Severity::kError, span, std::move(message), std::move(help), {}};
  size_t shown = 0;
  for (auto call = calls_.rbegin(); call != calls_.rend() && shown < kMaxChain; ++call, ++shown) {
    diagnostic.notes.push_back({Severity::kNote, call->span, fmt::format("in the call of `{}`", call->name), "", {}});
  }
  bool known = std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& d) {
    return d.span == diagnostic.span && d.message == diagnostic.message;
  });
  if (!known && !gave_up_) diagnostics_.push_back(std::move(diagnostic));
  auto poison = std::make_shared<Thing>();
  poison->type = SimpleType(TypeKind::kPoison);
  return poison;
}

ThingRef Elaborator::Mismatch(Span span, const TypeRef& wanted, const TypeRef& found, std::string_view what) {
  return Report(span, fmt::format("{} should be {}, but is {}", what, ToText(wanted), ToText(found)));
}

bool Elaborator::Enter(Span span) {
  bool big = graph_.nodes.size() >= kMaxNodes || ++evaluations_ > kMaxEvaluations;
  if (++depth_ <= kMaxDepth && !big && !gave_up_) return true;
  if (!gave_up_)
    Report(span, big ? "the specification is too large when it is expanded" : "Infinite recursion detected");
  gave_up_ = true;
  return false;
}

Scope* Elaborator::NewScope(Scope* parent) {
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.region = region_;
  scope.frame = frame_;
  return &scope;
}

void Elaborator::AddDefinition(const syntax::Definition& definition, Scope* scope) {
  auto& entries = scope->names[definition.name];
  for (const ScopeEntry& other : entries) {
    const syntax::Definition* old = other.definition;
    bool overload = paper_ && old != nullptr && old->parameters.size() != definition.parameters.size();
    if (overload) continue;
    Report(definition.name_span, fmt::format("Multiple definitions of \"{}\" in same scope", definition.name));
    if (old != nullptr && !diagnostics_.empty()) {
      diagnostics_.back().notes.push_back({Severity::kNote, old->name_span, "previous definition", "", {}});
    }
    return;
  }
  ScopeEntry entry;
  entry.definition = &definition;
  entries.push_back(std::move(entry));
}

// Modules may import each other, and what they import can be imported from them: until nothing new comes.
void Elaborator::AddEntries(const syntax::Entries& entries, Scope* scope) {
  DeclareEntries(entries, scope);
  while (ImportAll(entries, scope, false)) {
  }
  ImportAll(entries, scope, true);
}

void Elaborator::DeclareEntries(const syntax::Entries& entries, Scope* scope) {
  for (const auto& definition : entries.definitions) AddDefinition(*definition, scope);
  for (const auto& type : entries.types) scope->types[type->name].definition = type.get();
  for (const auto& module : entries.modules) {
    auto thing = std::make_shared<Thing>();
    thing->kind = Thing::Kind::kModule;
    thing->type = SimpleType(TypeKind::kPoison);
    thing->scope = NewScope(scope);
    DeclareEntries(module->entries, thing->scope);
    Bind(scope, module->name, thing);
  }
}

// Returns whether a name was added. `last`: a module that is not known by now is none.
bool Elaborator::ImportAll(const syntax::Entries& entries, Scope* scope, bool last) {
  bool added = false;
  for (const auto& module : entries.modules) {
    added |= ImportAll(module->entries, scope->names.find(module->name)->second[0].thing->scope, last);
  }
  for (const auto& [path, span] : entries.imports) added |= Import(path, span, scope, last);
  return added;
}

bool Elaborator::Import(const std::vector<std::string>& path, Span span, Scope* scope, bool last) {
  Scope* where = nullptr;
  ScopeEntry* entry = Find(path[0], scope, -1, &where);
  auto module_of = [](ScopeEntry* at) {
    while (at != nullptr && at->origin != nullptr) at = at->origin;
    return at == nullptr ? nullptr : at->thing;
  };
  ThingRef module = module_of(entry);
  for (size_t i = 1; i < path.size() && module != nullptr && module->kind == Thing::Kind::kModule; ++i) {
    auto found = module->scope->names.find(path[i]);
    module = found == module->scope->names.end() ? nullptr : module_of(&found->second[0]);
  }
  if (module == nullptr || module->kind != Thing::Kind::kModule) {
    if (last) Report(span, fmt::format("there is no module `{}`", fmt::join(path, ".")));
    return false;
  }
  bool added = false;
  for (auto& [name, found] : module->scope->names) {
    ScopeEntry* origin = &found[0];
    Scope* from = module->scope;
    for (; origin->origin != nullptr; origin = origin->origin) from = origin->origin_scope;
    auto here = scope->names.find(name);
    if (here == scope->names.end()) {
      // Evaluated where it is used: its module may need what is declared later, such as inputs.
      ScopeEntry imported;
      imported.origin = origin;
      imported.origin_scope = from;
      scope->names[name] = {std::move(imported)};
      added = true;
    } else if (here->second[0].origin != nullptr) {
      here->second[0].ambiguous |= here->second[0].origin != origin;
    }
  }
  for (const auto& [name, type] : module->scope->types) added |= scope->types.try_emplace(name, type).second;
  return added;
}

void Elaborator::Bind(Scope* scope, const std::string& name, ThingRef thing) {
  ScopeEntry entry;
  entry.state = ScopeEntry::State::kDone;
  entry.thing = std::move(thing);
  scope->names[name] = {std::move(entry)};
}

ScopeEntry* Elaborator::Find(std::string_view name, Scope* scope, int arity, Scope** where) {
  for (; scope != nullptr; scope = scope->parent) {
    auto found = scope->names.find(name);
    if (found == scope->names.end()) continue;
    *where = scope;
    for (ScopeEntry& entry : found->second) {
      const syntax::Definition* d = entry.definition;
      if (found->second.size() == 1 || arity < 0 || d == nullptr ||
          d->parameters.size() == static_cast<size_t>(arity)) {
        return &entry;
      }
    }
    // No overload with this arity: one that takes any number, else the first (and the call reports the count).
    for (ScopeEntry& entry : found->second) {
      const auto& parameters = entry.definition->parameters;
      if (parameters.size() == 1 && parameters[0].name == "variadic") return &entry;
    }
    return &found->second[0];
  }
  return nullptr;
}

ThingRef Elaborator::Lookup(const std::string& name, Span span, Scope* scope, int arity) {
  Scope* where = nullptr;
  if (ScopeEntry* entry = Find(name, scope, arity, &where)) {
    ThingRef thing = EntryThing(*entry, where, span);
    bool local = thing->kind == Thing::Kind::kValue && !IsConst(thing->value) && !ContainsOpaque(thing->value);
    if (local && where->frame != frame_) return FromOuterFrame(thing, where->frame, name, span);
    return thing;
  }
  std::vector<std::string_view> names;
  CollectNames(scope, names);
  return Report(span, fmt::format("`{}` is not defined", name), DidYouMean(name, names));
}

ThingRef Elaborator::EntryThing(ScopeEntry& entry, Scope* scope, Span span) {
  if (entry.ambiguous) return Report(span, "two imported modules define this name", "write the module before it");
  if (entry.origin != nullptr) return EntryThing(*entry.origin, entry.origin_scope, span);
  if (entry.state == ScopeEntry::State::kDone) return entry.thing;
  const syntax::Definition& definition = *entry.definition;
  if (definition.is_function || !definition.parameters.empty()) {
    auto thing = std::make_shared<Thing>();
    thing->kind = Thing::Kind::kFunction;
    thing->definition = &definition;
    thing->scope = scope;
    thing->type = SimpleType(TypeKind::kPoison);
    entry.state = ScopeEntry::State::kDone;
    return entry.thing = thing;
  }
  if (!definition.type_parameters.empty()) {
    Thing generic;
    generic.kind = Thing::Kind::kFunction;
    generic.definition = &definition;
    generic.scope = scope;
    return CallDefinition(generic, {}, {}, span);
  }
  if (entry.state == ScopeEntry::State::kRunning) return RunningEntry(entry, scope, span);
  entry.state = ScopeEntry::State::kRunning;
  running_ = &entry;
  ThingRef thing = InFrame(scope->frame, scope->region, [&] { return RunDefinition(definition, scope); });
  running_ = nullptr;
  entry.state = ScopeEntry::State::kDone;
  if (entry.placeholder >= 0) {
    auto placeholder = static_cast<uint32_t>(entry.placeholder);
    if (thing->kind == Thing::Kind::kStream) {
      graph_.nodes[placeholder].args = {thing->node};
      TypeRef wanted = graph_.nodes[placeholder].type;
      if (!Unify(wanted, graph_.nodes[thing->node].type)) {
        Mismatch(definition.span, wanted, graph_.nodes[thing->node].type, fmt::format("`{}`", definition.name));
      }
    } else if (thing->kind != Thing::Kind::kPoison) {
      Report(definition.span,
             fmt::format("Infinite recursion detected: `{}` is not a stream and needs itself", definition.name));
    }
  }
  if (thing->kind == Thing::Kind::kValue && scope->region != nullptr) thing = BindLocal(thing, scope->region, false);
  return entry.thing = thing;
}

ThingRef Elaborator::RunDefinition(const syntax::Definition& definition, Scope* scope) {
  if (!Enter(definition.span)) {
    Leave();
    return Report(definition.span, "Infinite recursion detected");
  }
  std::string saved = current_name_;
  if (!InLibrary(definition.span)) current_name_ = definition.name;
  TypeRef wanted = definition.result ? ResolveType(*definition.result, scope) : nullptr;
  ThingRef thing = Eval(*definition.body, scope, wanted);
  if (wanted) thing = Coerce(thing, wanted, definition.body->span, fmt::format("`{}`", definition.name));
  current_name_ = saved;
  Leave();
  return thing;
}

// A definition is needed while it is being evaluated: only streams can depend on themselves.
ThingRef Elaborator::RunningEntry(ScopeEntry& entry, Scope* scope, Span span) {
  const syntax::Definition& definition = *entry.definition;
  TypeRef element = FreshVariable();
  if (definition.result) {
    TypeRef wanted = Resolve(ResolveType(*definition.result, scope));
    if (wanted->kind != TypeKind::kEvents) {
      return Report(span, fmt::format("Infinite recursion detected: `{}` needs itself", definition.name));
    }
    element = wanted->args[0];
  } else if (scope->frame != nullptr) {
    return Report(span, fmt::format("Infinite recursion detected: `{}` needs itself", definition.name));
  }
  if (entry.placeholder < 0) {
    Node node;
    node.kind = NodeKind::kPlaceholder;
    node.type = element;
    node.span = definition.span;
    node.name = definition.name;
    graph_.nodes.push_back(std::move(node));
    entry.placeholder = static_cast<int64_t>(graph_.nodes.size()) - 1;
  }
  auto thing = std::make_shared<Thing>();
  thing->kind = Thing::Kind::kStream;
  thing->node = static_cast<uint32_t>(entry.placeholder);
  thing->type = MakeType(TypeKind::kEvents, {graph_.nodes[thing->node].type});
  return thing;
}

void Elaborator::AddLibrary(const syntax::Specification& library, bool older) {
  top_ = library_ = NewScope(top_);
  paper_ = older;
  AddEntries(library.entries, top_);
}

void Elaborator::AddInput(const syntax::Input& input) {
  TypeRef type = Resolve(ResolveType(*input.type, top_));
  if (type->kind != TypeKind::kEvents) {
    if (type->kind != TypeKind::kPoison) {
      Report(input.type->span, fmt::format("an input must be a stream, but `{}` is {}", input.name, ToText(type)),
             fmt::format("write Events[{}]", ToText(type)));
    }
    type = MakeType(TypeKind::kEvents, {SimpleType(TypeKind::kPoison)});
  } else if (!IsValueType(type->args[0])) {
    Report(input.type->span, fmt::format("events cannot carry {}", ToText(type->args[0])));
  }
  if (top_->names.contains(input.name)) {
    Report(input.span, fmt::format("Multiple definitions of \"{}\" in same scope", input.name));
    return;
  }
  Node node;
  node.kind = NodeKind::kInput;
  node.type = type->args[0];
  node.name = input.name;
  node.span = input.span;
  ThingRef thing = StreamThing(std::move(node));
  graph_.inputs.push_back(thing->node);
  Bind(top_, input.name, thing);
}

void Elaborator::EmitOutput(const std::string& name, const ThingRef& thing, const syntax::Output& output) {
  if (thing->kind == Thing::Kind::kPoison) return;
  if (thing->kind == Thing::Kind::kRecord) {
    for (size_t i = 0; i < thing->members.size(); ++i)
      EmitOutput(name + "." + thing->names[i], thing->members[i], output);
    return;
  }
  bool parameterless = thing->kind == Thing::Kind::kFunction && thing->definition != nullptr &&
                       thing->definition->parameters.empty() && thing->definition->type_parameters.empty();
  if (parameterless) return EmitOutput(name, CallDefinition(*thing, {}, {}, output.span), output);
  if (thing->kind != Thing::Kind::kStream && thing->kind != Thing::Kind::kValue) {
    Report(output.span, fmt::format("`{}` is not a stream", name));
    return;
  }
  ThingRef stream = ToStream(thing, output.span);
  if (stream->kind != Thing::Kind::kStream) return;
  Output result;
  result.name = name;
  result.node = stream->node;
  result.span = output.span;
  result.raw = output.print;
  for (const syntax::Annotation& annotation : output.annotations) {
    if (annotation.name == "raw") result.raw = true;
    if (annotation.name == "finding") {
      result.finding = annotation.arguments.empty() ? "property" : annotation.arguments[0];
      if (annotation.arguments.size() > 1) result.message = annotation.arguments[1];
    }
    if (annotation.name.starts_with("Vis")) result.style = annotation.name.substr(3);
  }
  graph_.outputs.push_back(std::move(result));
}

void Elaborator::AddOutput(const syntax::Output& output) {
  if (output.expr == nullptr) return AddAllOutputs(output);
  EmitOutput(output.name, Eval(*output.expr, top_), output);
}

// `out *`: every input and every top-level definition that is a stream.
void Elaborator::AddAllOutputs(const syntax::Output& output) {
  for (uint32_t node : graph_.inputs) {
    auto thing = std::make_shared<Thing>();
    thing->kind = Thing::Kind::kStream;
    thing->node = node;
    thing->type = MakeType(TypeKind::kEvents, {graph_.nodes[node].type});
    EmitOutput(graph_.nodes[node].name, thing, output);
  }
  for (auto& [name, entries] : top_->names) {
    const syntax::Definition* definition = entries[0].definition;
    if (definition == nullptr || definition->is_function || !definition->type_parameters.empty()) continue;
    ThingRef thing = EntryThing(entries[0], top_, output.span);
    if (thing->kind == Thing::Kind::kStream) EmitOutput(name, thing, output);
  }
}

// The type of an argument of an annotation; "" after a report that it is no constant.
std::string Elaborator::ConstantType(const syntax::Expr& expr) {
  ThingRef thing = Eval(expr, top_);
  if (thing->kind == Thing::Kind::kPoison) return "";
  if (thing->kind != Thing::Kind::kValue || !IsConst(thing->value)) {
    Report(expr.span, "the arguments of annotations are constants");
    return "";
  }
  return ToText(thing->type);
}

// Whether an annotation is used as it was defined.
void Elaborator::CheckAnnotation(const syntax::Annotation& used, const syntax::AnnotationDefinition& defined) {
  if (used.global != defined.global) {
    Report(used.span,
           fmt::format("`{}` is defined as {} annotation", used.name, defined.global ? "a global" : "no global"),
           fmt::format("write `{}{}`", defined.global ? "@@" : "@", used.name));
    return;
  }
  if (used.arguments.size() != defined.parameters.size()) {
    Report(used.span,
           fmt::format("the annotation `{}` takes {} argument{}, {} given", used.name, defined.parameters.size(),
                       defined.parameters.size() == 1 ? "" : "s", used.arguments.size()));
    return;
  }
  for (size_t i = 0; i < used.arguments.size(); ++i) {
    auto parameter = defined.parameters.begin() + static_cast<std::ptrdiff_t>(i);
    if (!used.names[i].empty()) {
      parameter = std::find_if(defined.parameters.begin(), defined.parameters.end(),
                               [&](const auto& p) { return p.first == used.names[i]; });
    }
    if (parameter == defined.parameters.end()) {
      Report(used.argument_spans[i], fmt::format("there is no parameter `{}`", used.names[i]));
      continue;
    }
    std::string type = used.types[i] == "?" ? ConstantType(*used.expressions[i]) : used.types[i];
    if (!type.empty() && !parameter->second.empty() && type != parameter->second) {
      Report(used.argument_spans[i],
             fmt::format("argument {} of `{}` should be {}, but is {}", i + 1, used.name, parameter->second, type));
    }
  }
}

// Annotations that nobody defined and that mean nothing here are ignored, with a note.
void Elaborator::CheckAnnotations(const syntax::Specification& specification) {
  static constexpr std::string_view kKnown[] = {"raw", "finding", "ThreadId", "liftable"};
  static constexpr std::string_view kFamilies[] = {"Vis", "Inst", "Global", "Local"};
  // Global annotations and those of streams have names of their own.
  std::map<std::pair<std::string, bool>, const syntax::AnnotationDefinition*> defined;
  for (const syntax::AnnotationDefinition& definition : specification.annotation_definitions) {
    if (defined.emplace(std::pair(definition.name, definition.global), &definition).second) continue;
    Report(definition.span, fmt::format("Multiple definitions of \"{}\" in same scope", definition.name));
  }
  auto check = [&](const syntax::Annotation& annotation) {
    const std::string& name = annotation.name;
    for (bool global : {annotation.global, !annotation.global}) {
      if (auto found = defined.find({name, global}); found != defined.end()) {
        return CheckAnnotation(annotation, *found->second);
      }
    }
    bool known = std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown) ||
                 std::any_of(std::begin(kFamilies), std::end(kFamilies),
                             [&](std::string_view family) { return name.starts_with(family); });
    if (known) return;
    diagnostics_.push_back({Severity::kNote,
                            annotation.span,
                            fmt::format("the annotation `@{}` means nothing here and is ignored", name),
                            "",
                            {}});
  };
  for (const syntax::Annotation& annotation : specification.annotations) check(annotation);
  for (const syntax::Input& input : specification.inputs)
    std::for_each(input.annotations.begin(), input.annotations.end(), check);
  for (const syntax::Output& output : specification.outputs)
    std::for_each(output.annotations.begin(), output.annotations.end(), check);
}

Graph Elaborator::Run(const syntax::Specification& specification, bool paper) {
  top_ = NewScope(top_);
  paper_ = paper;
  AddEntries(specification.entries, top_);
  for (const syntax::Input& input : specification.inputs) AddInput(input);
  for (const syntax::Output& output : specification.outputs) AddOutput(output);
  CheckUnused(specification.entries, top_, false);
  CheckAnnotations(specification);
  return std::move(graph_);
}

}  // namespace heddle::stream
