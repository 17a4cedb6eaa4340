// Declarations: groups of mutual dependence, assertions. Annotations are in checker_annotation.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/near.h"
#include "csp/syntax/checker.h"
#include "csp/syntax/parser.h"
#include "csp/syntax/timed.h"

namespace heddle::csp {

using K = Type::Kind;

namespace {

// The names that a declaration takes from around it. Where a part of an expression may or may not be inside the scope
// of a generator, its names count as taken: at worst that makes a group larger than needed.
class FreeNames {
 public:
  FreeNames(const std::set<std::string>& constants, std::set<std::string>& out) : constants_(constants), out_(out) {}

  void Of(const Decl* decl) {
    for (const Clause& clause : decl->clauses) {
      size_t mark = bound_.size();
      for (const auto& list : clause.params) {
        for (const Expr* param : list) Pattern(param);
      }
      Of(clause.body);
      bound_.resize(mark);
    }
    if (decl->pattern != nullptr) {
      size_t mark = bound_.size();
      Pattern(decl->pattern);
      bound_.resize(mark);
    }
    if (decl->type != nullptr && decl->kind != DeclKind::kAnnotation) Of(decl->type);
    for (const Constructor& c : decl->constructors) {
      if (decl->kind == DeclKind::kSubtype) out_.insert(c.name);
      if (c.type != nullptr) Of(c.type);
    }
  }

 private:
  void Pattern(const Expr* p) {
    if (p->op == Op::kName && constants_.contains(p->text)) {
      out_.insert(p->text);
    } else if (p->op == Op::kName) {
      bound_.push_back(p->text);
    }
    for (const Expr* kid : p->kids) Pattern(kid);
  }

  void Of(const Expr* e) {
    size_t mark = bound_.size();
    while (true) {
      if (e->op == Op::kName && std::find(bound_.begin(), bound_.end(), e->text) == bound_.end()) out_.insert(e->text);
      size_t first = Enter(e);
      if (first >= e->kids.size()) break;
      for (size_t i = first; i + 1 < e->kids.size(); ++i) Of(e->kids[i]);
      e = e->kids.back();
    }
    bound_.resize(mark);
  }

  // Binds what `e` binds for its kids from the returned one on; those before it are done.
  size_t Enter(const Expr* e) {
    size_t first = 0;
    if (e->op == Op::kLambda) {
      for (; first + 1 < e->kids.size(); ++first) Pattern(e->kids[first]);
    }
    if (e->op == Op::kPrefix || (e->op == Op::kRename && !e->stmts.empty())) Of(e->kids[first++]);
    if (!e->stmts.empty() && e->op != Op::kRename) {
      for (size_t i = 1; i < e->kids.size(); ++i) Of(e->kids[i]);
    }
    for (const Decl* decl : e->decls) {
      if (decl->kind != DeclKind::kBinding) continue;
      for (const std::string& name : decl->names) bound_.push_back(name);
      if (decl->pattern != nullptr) Pattern(decl->pattern);
    }
    for (const Decl* decl : e->decls) Of(decl);
    for (const Stmt& stmt : e->stmts) {
      Of(stmt.value);
      if (stmt.pattern != nullptr) Pattern(stmt.pattern);
    }
    for (const Field& field : e->fields) {
      bool input = field.kind == '?' || field.kind == '$';
      if (field.set != nullptr) Of(field.set);
      if (input) {
        Pattern(field.expr);
      } else {
        Of(field.expr);
      }
    }
    return first;
  }

  const std::set<std::string>& constants_;
  std::set<std::string>& out_;
  std::vector<std::string> bound_;
};

}  // namespace

void PatternNames(const Expr* p, std::vector<std::string>& out) {
  if (p->op == Op::kName) out.push_back(p->text);
  for (const Expr* kid : p->kids) PatternNames(kid, out);
}

bool Binds(const Decl* decl) {
  return decl->kind == DeclKind::kBinding || decl->kind == DeclKind::kChannel || decl->kind == DeclKind::kDatatype ||
         decl->kind == DeclKind::kSubtype || decl->kind == DeclKind::kNametype;
}

Checker::Checker(const std::vector<KnownName>& known, std::vector<Diagnostic>& diagnostics)
    : known_(known), diagnostics_(diagnostics) {
  SourceMap sources;
  std::vector<Diagnostic> none;
  level_ = 1;
  for (const KnownName& name : known) {
    Expr* type = ParseType(sources, sources.Add("builtin", std::string(name.type)), annotation_ast_, none);
    builtins_[std::string(name.name)] = FromScheme(type, false);
    groups_[std::string(name.name)] = name.group;
  }
  level_ = 0;
  for (auto& [name, type] : builtins_) Generalise(type, 0);
  level_ = 1;
}

// Strongly connected components of "mentions", dependencies first (Tarjan).
std::vector<std::vector<Decl*>> Checker::Components(const std::vector<Decl*>& decls) {
  std::unordered_map<std::string, size_t> owner;
  for (size_t i = 0; i < decls.size(); ++i) {
    if (!Binds(decls[i])) continue;
    std::vector<std::string> names = decls[i]->names;
    if (decls[i]->pattern != nullptr) PatternNames(decls[i]->pattern, names);
    if (decls[i]->kind == DeclKind::kDatatype) {
      for (const Constructor& c : decls[i]->constructors) names.push_back(c.name);
    }
    for (const std::string& name : names) owner.emplace(name, i);
  }
  struct State {
    int index = -1;
    int low = 0;
    bool on_stack = false;
  };
  std::vector<State> state(decls.size());
  std::vector<size_t> stack;
  std::vector<std::vector<Decl*>> out;
  int next = 0;
  std::function<void(size_t)> visit = [&](size_t v) {
    state[v].index = state[v].low = next++;
    state[v].on_stack = true;
    stack.push_back(v);
    std::set<std::string> names;
    FreeNames(constants_, names).Of(decls[v]);
    for (const std::string& name : names) {
      auto it = owner.find(name);
      if (it == owner.end()) continue;
      size_t w = it->second;
      if (state[w].index < 0) {
        visit(w);
        state[v].low = std::min(state[v].low, state[w].low);
      } else if (state[w].on_stack) {
        state[v].low = std::min(state[v].low, state[w].index);
      }
    }
    if (state[v].low != state[v].index) return;
    std::vector<Decl*> component;
    while (true) {
      size_t w = stack.back();
      stack.pop_back();
      state[w].on_stack = false;
      component.push_back(decls[w]);
      if (w == v) break;
    }
    std::reverse(component.begin(), component.end());
    out.push_back(std::move(component));
  };
  for (size_t i = 0; i < decls.size(); ++i) {
    if (Binds(decls[i]) && state[i].index < 0) visit(i);
  }
  return out;
}

void Checker::Declare(Decl* decl) {
  if (decl->kind == DeclKind::kChannel) {
    for (const std::string& name : decl->names) Push(name, types_.Var(level_), true);
  } else if (decl->kind == DeclKind::kDatatype) {
    for (const Constructor& c : decl->constructors) Push(c.name, types_.Var(level_), true);
    Push(decl->names[0], types_.Set(types_.Data(decl)));
  } else if (decl->pattern == nullptr) {
    auto annotation = annotations_.find(decl->names[0]);
    bool annotated = annotation != annotations_.end() && decl->kind == DeclKind::kBinding;
    Push(decl->names[0], annotated ? FromScheme(annotation->second->type, false) : types_.Var(level_));
    if (annotated) GeneraliseAll(Lookup(decl->names[0])->type);
  } else {
    std::vector<std::string> names;
    PatternNames(decl->pattern, names);
    for (const std::string& name : names) {
      const Binding* known = Lookup(name);
      if (known == nullptr || !known->constant) Push(name, types_.Var(level_));
    }
  }
}

Type* Checker::SetElement(Expr* e) {
  Type* item = types_.Var(level_);
  Type* found = types_.Prune(Of(e));
  if (found->kind == K::kSet && types_.Prune(found->args[0])->kind == K::kAny) return types_.any;
  Require(e, found, types_.Set(item));
  return item;
}

// The fields of a channel or constructor; a dotted nametype counts as several.
void Checker::InferFields(Expr* e, std::vector<Type*>& out) {
  if (e->op == Op::kDot) {
    for (Expr* kid : e->kids) InferFields(kid, out);
  } else if (e->op == Op::kTuple && !e->kids.empty()) {
    std::vector<Type*> parts;
    for (Expr* kid : e->kids) {
      std::vector<Type*> inner;
      InferFields(kid, inner);
      parts.push_back(inner.size() == 1 ? inner[0] : types_.Make(K::kDots, inner));
    }
    out.push_back(types_.Make(K::kTuple, std::move(parts)));
  } else {
    Type* item = types_.Prune(SetElement(e));
    if (item->kind == K::kDots) {
      out.insert(out.end(), item->args.begin(), item->args.end());
    } else {
      out.push_back(item);
    }
  }
}

void Checker::Infer(Decl* decl) {
  switch (decl->kind) {
    case DeclKind::kChannel: {
      std::vector<Type*> fields;
      if (decl->type != nullptr) InferFields(decl->type, fields);
      for (const std::string& name : decl->names) {
        types_.Unify(Lookup(name)->type, types_.Dotable(fields, types_.event));
        UseAnnotation(name);
      }
      for (Type* field : fields) {
        Need(decl->type->span, field, kComplete, "lack fields, and a channel carries whole ones");
        Need(decl->type->span, field, kComparable, "cannot be sent over a channel");
      }
      break;
    }
    case DeclKind::kDatatype: {
      std::vector<Type*> all;
      for (const Constructor& c : decl->constructors) {
        std::vector<Type*> fields;
        if (c.type != nullptr) InferFields(c.type, fields);
        types_.Unify(Lookup(c.name)->type, types_.Dotable(fields, types_.Data(decl)));
        UseAnnotation(c.name);
        for (Type* field : fields) {
          Need(c.type->span, field, kComplete, "lack fields, and a constructor takes whole ones");
        }
        all.insert(all.end(), fields.begin(), fields.end());
      }
      types_.SetFields(decl, std::move(all));
      break;
    }
    case DeclKind::kSubtype: {
      Type* result = types_.Var(level_);
      for (const Constructor& c : decl->constructors) {
        const Binding* known = Lookup(c.name);
        std::vector<Type*> fields;
        if (c.type != nullptr) InferFields(c.type, fields);
        if (known == nullptr || !known->constant) {
          Report(c.span, fmt::format("`{}` is not a constructor of a datatype", c.name));
          continue;
        }
        Type* t = types_.Prune(known->type);
        bool fits = fields.empty() ? types_.Unify(t->kind == K::kDotable ? t->args.back() : t, result)
                                   : types_.Unify(t, types_.Dotable(fields, result));
        if (!fits) Report(c.span, fmt::format("`{}` does not have these fields: {}", c.name, types_.Show(t)));
      }
      types_.Unify(Lookup(decl->names[0])->type, types_.Set(result));
      break;
    }
    case DeclKind::kNametype: {
      std::vector<Type*> fields;
      InferFields(decl->type, fields);
      for (Type* field : fields) Need(decl->type->span, field, kComplete, "lack fields, and a type has whole values");
      Type* item = fields.size() == 1 ? fields[0] : types_.Make(K::kDots, fields);
      types_.Unify(Lookup(decl->names[0])->type, types_.Set(item));
      break;
    }
    default:
      InferFunction(decl);
  }
}

// What an annotation says of a channel or constructor; whether it fits is said later.
void Checker::UseAnnotation(const std::string& name) {
  auto annotation = annotations_.find(name);
  if (annotation == annotations_.end()) return;
  types_.Unify(Lookup(name)->type, FromScheme(annotation->second->type, true));
}

// A field whose type nothing decides, as in `channel c : {}`.
void Checker::CheckKnownFields(const Decl* decl) {
  auto check = [&](const std::string& name, const Expr* type) {
    if (type == nullptr || !types_.HasUnknown(Lookup(name)->type, level_)) return;
    Report(
        type->span, fmt::format("the type of the fields of `{}` cannot be told from this", name),
        fmt::format("declare it: {} :: Int => {}", name, decl->kind == DeclKind::kChannel ? "Event" : decl->names[0]));
  };
  if (partial_ || !diagnostics_.empty()) return;
  if (decl->kind == DeclKind::kChannel) check(decl->names[0], decl->type);
  if (decl->kind != DeclKind::kDatatype) return;
  for (const Constructor& c : decl->constructors) check(c.name, c.type);
}

void Checker::InferFunction(Decl* decl) {
  auto annotation = decl->pattern == nullptr ? annotations_.find(decl->names[0]) : annotations_.end();
  Type* wanted = nullptr;
  std::map<std::string, Type*> outer_types = type_scope_;
  if (annotation != annotations_.end()) {
    // Inside, the variables of the annotation are known types.
    wanted = FromScheme(annotation->second->type, true);
    type_scope_.insert(scheme_vars_.begin(), scheme_vars_.end());
  }
  for (Clause& clause : decl->clauses) {
    if (clause.params.size() != decl->clauses[0].params.size()) {
      Report(clause.span, "the clauses of a function take the same number of parameter lists");
      continue;
    }
    size_t mark = scope_order_.size();
    std::vector<Expr*> patterns;
    for (auto& list : clause.params) patterns.insert(patterns.end(), list.begin(), list.end());
    CheckDistinct(patterns);
    std::vector<std::vector<Type*>> lists;
    Type* result = wanted;
    for (auto& list : clause.params) {
      lists.emplace_back();
      for (Expr* param : list) lists.back().push_back(PatternType(param));
      result = UseParameterTypes(lists.back(), result);
    }
    Type* type = Of(clause.body);
    PopTo(mark);
    for (size_t i = lists.size(); i-- > 0;) {
      lists[i].push_back(type);
      type = types_.Make(K::kFunction, lists[i]);
    }
    if (decl->pattern != nullptr) {
      PatternBinding(decl, type);
    } else {
      NamedBinding(decl, clause, type, wanted);
    }
  }
  type_scope_ = std::move(outer_types);
}

// How many fields a parameter lacks cannot be found out from its uses alone, so an annotation that says it is used
// before the body is looked at. Returns the annotated type of what follows these parameters.
Type* Checker::UseParameterTypes(const std::vector<Type*>& parameters, Type* annotated) {
  if (annotated == nullptr) return nullptr;
  annotated = types_.Prune(annotated);
  if (annotated->kind != K::kFunction || annotated->args.size() != parameters.size() + 1) return nullptr;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (types_.LacksFields(annotated->args[i])) types_.Unify(parameters[i], annotated->args[i]);
  }
  return annotated->args.back();
}

// Matches the pattern's names with the types that were declared for them.
void Checker::PatternBinding(Decl* decl, Type* type) {
  std::vector<std::string> names;
  PatternNames(decl->pattern, names);
  CheckDistinct({decl->pattern});
  std::map<std::string, Type*> declared;
  for (const std::string& name : names) declared[name] = Lookup(name)->type;
  size_t inner = scope_order_.size();
  Require(decl->pattern, PatternType(decl->pattern), type);
  for (const std::string& name : names) {
    if (!Lookup(name)->constant) types_.Unify(declared[name], Lookup(name)->type);
  }
  PopTo(inner);
}

void Checker::NamedBinding(Decl* decl, const Clause& clause, Type* type, Type* wanted) {
  types_.TakeMissingClass();
  if (wanted == nullptr) {
    Type* declared = Lookup(decl->names[0])->type;
    if (types_.Unify(declared, type)) return;
    std::string missing = types_.TakeMissingClass();
    std::string of_clause = types_.Show(type);
    Report(clause.span,
           fmt::format("this clause of `{}` has the type {}, but it is used or declared as {}", decl->names[0],
                       of_clause, types_.Show(declared)),
           missing.empty() ? "" : fmt::format("values that it takes {}", missing));
    return;
  }
  std::string shown = types_.Show(type);
  if (types_.Unify(type, wanted)) return;
  std::string missing = types_.TakeMissingClass();
  Report(annotations_.find(decl->names[0])->second->type->span,
         fmt::format("`{}` has the type {}, not the one declared here", decl->names[0], shown),
         missing.empty() ? "" : fmt::format("values that it takes {}", missing));
}

// Names of one `let` are distinct; those of the top level are checked when they are collected.
void Checker::CheckLetNames(const std::vector<Decl*>& decls) {
  std::set<std::string> seen;
  for (const Decl* decl : decls) {
    if (decl->kind != DeclKind::kBinding) continue;
    std::vector<std::string> names = decl->names;
    if (decl->pattern != nullptr) PatternNames(decl->pattern, names);
    for (const std::string& name : names) {
      const Binding* known = Lookup(name);
      if ((known != nullptr && known->constant) || seen.insert(name).second) continue;
      Report(decl->pattern != nullptr ? decl->pattern->span : decl->name_spans[0],
             fmt::format("`{}` is declared twice", name));
    }
  }
}

void Checker::Group(const std::vector<Decl*>& decls, bool top) {
  for (const Decl* decl : decls) {
    if (decl->kind == DeclKind::kTransparent || decl->kind == DeclKind::kExternal) DeclareTransparent(decl);
    bool belongs = top || decl->kind == DeclKind::kBinding || decl->kind == DeclKind::kAnnotation ||
                   decl->kind == DeclKind::kTransparent || decl->kind == DeclKind::kExternal;
    if (!belongs) Report(decl->span, "a `let` can only declare functions and values");
  }
  if (!top) CheckLetNames(decls);
  std::map<std::string, const Decl*> outer = annotations_;
  std::map<std::string, const Decl*> annotations;
  CollectAnnotations(decls, annotations);
  for (std::vector<Decl*>& component : Components(decls)) {
    ++level_;
    std::vector<std::pair<std::string, Type*>> declared;
    size_t mark = scope_order_.size();
    // Types before values: whether a name in a pattern is a constant depends on them.
    for (bool values : {false, true}) {
      for (Decl* decl : component) {
        annotations_ = annotations;  // a `let` inside has its own
        if ((decl->kind == DeclKind::kBinding) == values) Declare(decl);
      }
    }
    for (size_t i = mark; i < scope_order_.size(); ++i)
      declared.emplace_back(scope_order_[i], Lookup(scope_order_[i])->type);
    for (bool values : {false, true}) {
      for (Decl* decl : component) {
        annotations_ = annotations;
        if ((decl->kind == DeclKind::kBinding) == values) Infer(decl);
      }
    }
    --level_;
    // An empty nametype fits any type.
    for (const Decl* decl : component) {
      if (decl->kind == DeclKind::kNametype) types_.Forget(Lookup(decl->names[0])->type, level_);
    }
    for (const Decl* decl : component) CheckKnownFields(decl);
    // What a `let` declares has one type, unless an annotation says more.
    if (!top) continue;
    for (auto& [name, type] : declared) Generalise(type, 0);
  }
  Annotate(decls);
  annotations_ = std::move(outer);
}

void Checker::DeclareTransparent(const Decl* decl) {
  for (size_t i = 0; i < decl->names.size(); ++i) {
    auto group = groups_.find(decl->names[i]);
    if (group != groups_.end() && group->second != 'a') {
      allowed_.insert(decl->names[i]);
      continue;
    }
    std::vector<std::string_view> names;
    for (const KnownName& known : known_) {
      if (known.group != 'a') names.push_back(known.name);
    }
    Report(decl->name_spans[i],
           fmt::format("unknown {} function `{}`", decl->kind == DeclKind::kTransparent ? "transparent" : "external",
                       decl->names[i]),
           DidYouMean(decl->names[i], names));
    // Give it a type so that its uses are not reported again.
    builtins_[decl->names[i]] = types_.any;
    groups_[decl->names[i]] = 'a';
  }
}

void Checker::CheckAssertion(const Assertion& assertion) {
  Want(assertion.left, types_.process);
  if (assertion.property == Property::kHasTrace) {
    Want(assertion.right, types_.Seq(types_.event));
  } else if (assertion.right != nullptr) {
    Want(assertion.right, types_.process);
  }
  for (Expr* type : assertion.symmetries) SetElement(type);
  if (assertion.tau_priority != nullptr) Want(assertion.tau_priority, types_.Set(types_.event));
}

// The event of passing time, where there is a timed section.
void Checker::CheckTock(Span section) {
  const Binding* tock = Lookup("tock");
  if (tock == nullptr || types_.Prune(tock->type)->kind == K::kEvent) return;
  Report(section, fmt::format("a timed section needs `channel tock`, but `tock` is {}", types_.Show(tock->type)));
}

void Checker::Script(Ast& ast, Expr* extra) {
  for (const Decl* decl : ast.top) {
    if (decl->kind == DeclKind::kDatatype) data_types_[decl->names[0]] = decl;
    if (decl->kind == DeclKind::kChannel) constants_.insert(decl->names.begin(), decl->names.end());
    for (const Constructor& c : decl->constructors) constants_.insert(c.name);
  }
  Group(ast.top, true);
  for (Decl* decl : ast.top) {
    bool timed = decl->kind == DeclKind::kBinding && !decl->names.empty() && decl->names[0].starts_with(kTimingPrefix);
    if (timed) CheckTock(decl->span);
    if (decl->kind == DeclKind::kAssert) CheckAssertion(decl->assertion);
    if (decl->kind == DeclKind::kPrint) Of(decl->expr);
  }
  if (extra != nullptr) Want(extra, types_.process);
  if (types_.TooLarge() && !ast.top.empty()) {
    Report(ast.top.front()->span, "the types of this script are too large",
           "a value of tuples of tuples, or a function that makes them, grows with each use");
  }
  Finish();
}

void TypeCheck(Ast& ast, const std::vector<KnownName>& known, Expr* extra, std::vector<Diagnostic>& diagnostics,
               bool partial) {
  Checker checker(known, diagnostics);
  checker.set_partial(partial);
  checker.Script(ast, extra);
}

}  // namespace heddle::csp
