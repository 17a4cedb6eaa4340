// Declarations: groups of mutual dependence, annotations, assertions.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/near.h"
#include "csp/syntax/checker.h"
#include "csp/syntax/parser.h"

namespace heddle::csp {

using K = Type::Kind;

namespace {

void NamesIn(const Expr* e, std::set<std::string>& out);

void NamesIn(const Decl* decl, std::set<std::string>& out) {
  for (const Clause& clause : decl->clauses) {
    for (const auto& list : clause.params) {
      for (const Expr* param : list) NamesIn(param, out);
    }
    NamesIn(clause.body, out);
  }
  if (decl->pattern != nullptr) NamesIn(decl->pattern, out);
  if (decl->type != nullptr && decl->kind != DeclKind::kAnnotation) NamesIn(decl->type, out);
  for (const Constructor& c : decl->constructors) {
    if (decl->kind == DeclKind::kSubtype) out.insert(c.name);
    if (c.type != nullptr) NamesIn(c.type, out);
  }
}

// Every name that occurs; locally bound ones too, which at worst makes a group larger than needed.
void NamesIn(const Expr* e, std::set<std::string>& out) {
  while (true) {
    if (e->op == Op::kName) out.insert(e->text);
    for (const Stmt& stmt : e->stmts) {
      if (stmt.pattern != nullptr) NamesIn(stmt.pattern, out);
      NamesIn(stmt.value, out);
    }
    for (const Field& field : e->fields) {
      NamesIn(field.expr, out);
      if (field.set != nullptr) NamesIn(field.set, out);
    }
    for (const Decl* decl : e->decls) NamesIn(decl, out);
    if (e->kids.empty()) return;
    for (size_t i = 0; i + 1 < e->kids.size(); ++i) NamesIn(e->kids[i], out);
    e = e->kids.back();
  }
}

void PatternNames(const Expr* p, std::vector<std::string>& out) {
  if (p->op == Op::kName) out.push_back(p->text);
  for (const Expr* kid : p->kids) PatternNames(kid, out);
}

bool Binds(const Decl* decl) {
  return decl->kind == DeclKind::kBinding || decl->kind == DeclKind::kChannel || decl->kind == DeclKind::kDatatype ||
         decl->kind == DeclKind::kSubtype || decl->kind == DeclKind::kNametype;
}

}  // namespace

Checker::Checker(const std::vector<KnownName>& known, std::vector<Diagnostic>& diagnostics)
    : known_(known), diagnostics_(diagnostics) {
  SourceMap sources;
  std::vector<Diagnostic> none;
  level_ = 1;
  for (const KnownName& name : known) {
    Expr* type = ParseType(sources, sources.Add("builtin", std::string(name.type)), annotation_ast_, none);
    std::map<std::string, Type*> vars;
    builtins_[std::string(name.name)] = FromAnnotation(type, vars);
    groups_[std::string(name.name)] = name.group;
  }
  level_ = 0;
  for (auto& [name, type] : builtins_) Generalise(type, 0);
  level_ = 1;
}

Type* Checker::FromAnnotation(const Expr* e, std::map<std::string, Type*>& vars) {
  std::vector<Type*> kids;
  for (const Expr* kid : e->kids) kids.push_back(FromAnnotation(kid, vars));
  switch (e->op) {
    case Op::kName: {
      if (e->text == "Int") return types_.integer;
      if (e->text == "Bool") return types_.boolean;
      if (e->text == "Char") return types_.character;
      if (e->text == "Proc") return types_.process;
      if (e->text == "Event") return types_.event;
      auto data = data_types_.find(e->text);
      if (data != data_types_.end()) return types_.Data(data->second);
      if (e->text[0] >= 'A' && e->text[0] <= 'Z') {
        std::vector<std::string_view> names = {"Int", "Bool", "Char", "Proc", "Event"};
        for (const auto& [name, decl] : data_types_) names.push_back(name);
        Report(e->span, fmt::format("unknown type `{}`", e->text), DidYouMean(e->text, names));
        return types_.any;
      }
      Type*& var = vars[e->text];
      if (var == nullptr) var = types_.Var(level_);
      return var;
    }
    case Op::kSeq:
      return types_.Seq(kids[0]);
    case Op::kSet:
      return types_.Set(kids[0]);
    case Op::kMap:
      return types_.Make(K::kMap, kids);
    case Op::kTuple:
      return types_.Make(K::kTuple, kids);
    case Op::kLambda:
      return types_.Make(K::kFunction, kids);
    case Op::kDot:
      return types_.Make(K::kDots, kids);
    default: {
      // `A => B`: one more field in front of what B takes.
      Type* rest = types_.Prune(kids[1]);
      std::vector<Type*> fields{kids[0]};
      if (rest->kind == K::kDotable) {
        fields.insert(fields.end(), rest->args.begin(), rest->args.end());
      } else {
        fields.push_back(rest);
      }
      return types_.Make(K::kDotable, std::move(fields));
    }
  }
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
    NamesIn(decls[v], names);
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

Type* Checker::Dotable(const std::vector<Type*>& fields, Type* result) {
  if (fields.empty()) return result;
  std::vector<Type*> args = fields;
  args.push_back(result);
  return types_.Make(K::kDotable, std::move(args));
}

void Checker::Declare(Decl* decl) {
  if (decl->kind == DeclKind::kChannel) {
    for (const std::string& name : decl->names) Push(name, types_.Var(level_), true);
  } else if (decl->kind == DeclKind::kDatatype) {
    for (const Constructor& c : decl->constructors) Push(c.name, types_.Var(level_), true);
    Push(decl->names[0], types_.Set(types_.Data(decl)));
  } else if (decl->pattern == nullptr) {
    Push(decl->names[0], types_.Var(level_));
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
  Want(e, types_.Set(item));
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
      for (const std::string& name : decl->names) types_.Unify(Lookup(name)->type, Dotable(fields, types_.event));
      break;
    }
    case DeclKind::kDatatype:
      for (const Constructor& c : decl->constructors) {
        std::vector<Type*> fields;
        if (c.type != nullptr) InferFields(c.type, fields);
        types_.Unify(Lookup(c.name)->type, Dotable(fields, types_.Data(decl)));
      }
      break;
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
                                   : types_.Unify(t, Dotable(fields, result));
        if (!fits) Report(c.span, fmt::format("`{}` does not have these fields: {}", c.name, types_.Show(t)));
      }
      types_.Unify(Lookup(decl->names[0])->type, types_.Set(result));
      break;
    }
    case DeclKind::kNametype: {
      std::vector<Type*> fields;
      InferFields(decl->type, fields);
      Type* item = fields.size() == 1 ? fields[0] : types_.Make(K::kDots, fields);
      types_.Unify(Lookup(decl->names[0])->type, types_.Set(item));
      break;
    }
    default:
      InferFunction(decl);
  }
}

void Checker::InferFunction(Decl* decl) {
  for (Clause& clause : decl->clauses) {
    if (clause.params.size() != decl->clauses[0].params.size()) {
      Report(clause.span, "the clauses of a function take the same number of parameter lists");
      continue;
    }
    size_t mark = scope_order_.size();
    std::vector<std::vector<Type*>> lists;
    for (auto& list : clause.params) {
      lists.emplace_back();
      for (Expr* param : list) lists.back().push_back(PatternType(param));
    }
    Type* type = Of(clause.body);
    PopTo(mark);
    for (size_t i = lists.size(); i-- > 0;) {
      lists[i].push_back(type);
      type = types_.Make(K::kFunction, lists[i]);
    }
    if (decl->pattern != nullptr) {
      // Match the pattern's names with the types that were declared for them.
      std::vector<std::string> names;
      PatternNames(decl->pattern, names);
      std::map<std::string, Type*> declared;
      for (const std::string& name : names) declared[name] = Lookup(name)->type;
      size_t inner = scope_order_.size();
      Require(decl->pattern, PatternType(decl->pattern), type);
      for (const std::string& name : names) {
        if (!Lookup(name)->constant) types_.Unify(declared[name], Lookup(name)->type);
      }
      PopTo(inner);
    } else if (!types_.Unify(Lookup(decl->names[0])->type, type)) {
      Report(clause.span, fmt::format("this clause of `{}` has the type {}, but it is used or declared as {}",
                                      decl->names[0], types_.Show(type), types_.Show(Lookup(decl->names[0])->type)));
    }
  }
}

void Checker::Annotate(const std::vector<Decl*>& decls) {
  for (const Decl* decl : decls) {
    if (decl->kind != DeclKind::kAnnotation) continue;
    const Binding* binding = Lookup(decl->names[0]);
    if (binding == nullptr) {
      Report(decl->name_spans[0], fmt::format("`{}` has a type but no declaration", decl->names[0]));
      continue;
    }
    std::map<std::string, Type*> vars;
    Type* wanted = FromAnnotation(decl->type, vars);
    std::unordered_map<Type*, Type*> map;
    Type* inferred = Instantiate(binding->type, map);
    std::string shown = types_.Show(inferred);
    if (!types_.Unify(inferred, wanted)) {
      Report(decl->type->span, fmt::format("`{}` has the type {}, not the one declared here", decl->names[0], shown));
    }
  }
}

void Checker::Group(const std::vector<Decl*>& decls, bool top) {
  for (const Decl* decl : decls) {
    if (decl->kind == DeclKind::kTransparent || decl->kind == DeclKind::kExternal) DeclareTransparent(decl);
    bool belongs = top || decl->kind == DeclKind::kBinding || decl->kind == DeclKind::kAnnotation;
    if (!belongs) Report(decl->span, "a `let` can only declare functions and values");
  }
  for (std::vector<Decl*>& component : Components(decls)) {
    ++level_;
    std::vector<std::pair<std::string, Type*>> declared;
    size_t mark = scope_order_.size();
    // Types before values: whether a name in a pattern is a constant depends on them.
    for (bool values : {false, true}) {
      for (Decl* decl : component) {
        if ((decl->kind == DeclKind::kBinding) == values) Declare(decl);
      }
    }
    for (size_t i = mark; i < scope_order_.size(); ++i)
      declared.emplace_back(scope_order_[i], Lookup(scope_order_[i])->type);
    for (bool values : {false, true}) {
      for (Decl* decl : component) {
        if ((decl->kind == DeclKind::kBinding) == values) Infer(decl);
      }
    }
    --level_;
    for (auto& [name, type] : declared) Generalise(type, 0);
  }
  Annotate(decls);
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
  if (assertion.tau_priority != nullptr) Want(assertion.tau_priority, types_.Set(types_.event));
}

void Checker::Script(Ast& ast, Expr* extra) {
  for (const Decl* decl : ast.top) {
    if (decl->kind == DeclKind::kDatatype) data_types_[decl->names[0]] = decl;
  }
  Group(ast.top, true);
  for (Decl* decl : ast.top) {
    if (decl->kind == DeclKind::kAssert) CheckAssertion(decl->assertion);
    if (decl->kind == DeclKind::kPrint) Of(decl->expr);
  }
  if (extra != nullptr) Want(extra, types_.process);
  Finish();
}

void TypeCheck(Ast& ast, const std::vector<KnownName>& known, Expr* extra, std::vector<Diagnostic>& diagnostics) {
  Checker(known, diagnostics).Script(ast, extra);
}

}  // namespace heddle::csp
