#include "csp/syntax/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "base/near.h"

namespace heddle::csp {
namespace {

constexpr int kMaxDepth = 50;          // instances inside instances
constexpr size_t kMaxScopes = 10'000;  // modules and instances

// What a module (or the top level) declares.
struct Scope {
  Scope* outer = nullptr;
  std::string prefix;                        // "M::"; empty at the top
  const Decl* module = nullptr;              // null at the top
  std::vector<Decl*> decls;                  // its own, copied for an instance
  std::map<std::string, std::string> names;  // as written to as expanded
  std::set<std::string> exported;            // as written
  std::map<std::string, Scope*> modules;     // by name, instances too
  bool open = false;                         // a module with parameters is only opened by an instance
};

class Expander {
 public:
  Expander(Ast& ast, std::vector<Diagnostic>& diagnostics, bool for_check)
      : ast_(ast), diagnostics_(diagnostics), for_check_(for_check) {}

  void Run() {
    Scope* top = NewScope(nullptr, "");
    top->decls = std::move(ast_.top);
    top->open = true;
    ast_.top.clear();
    Open(top);
    Emit(top);
  }

 private:
  Scope* NewScope(Scope* outer, std::string prefix) {
    Scope& scope = scopes_.emplace_back();
    scope.outer = outer;
    scope.prefix = std::move(prefix);
    return &scope;
  }

  void Report(Span span, std::string message, std::string help = {}) {
    Diagnostic diagnostic;
    diagnostic.span = span;
    diagnostic.message = std::move(message);
    diagnostic.help = std::move(help);
    diagnostics_.push_back(std::move(diagnostic));
  }

  // Copies: an instance has nodes of its own, which later passes fill in.
  Expr* Copy(const Expr* from) {
    if (from == nullptr) return nullptr;
    Expr* to = ast_.NewExpr(from->op, from->span);
    *to = *from;
    for (Expr*& kid : to->kids) kid = Copy(kid);
    for (Stmt& stmt : to->stmts) stmt = {Copy(stmt.pattern), Copy(stmt.value)};
    for (Field& field : to->fields) field = {field.kind, Copy(field.expr), Copy(field.set)};
    for (Decl*& decl : to->decls) decl = Copy(decl);
    return to;
  }
  Decl* Copy(const Decl* from) {
    Decl* to = ast_.NewDecl(from->kind, from->span);
    *to = *from;
    to->pattern = Copy(to->pattern);
    to->type = Copy(to->type);
    to->expr = Copy(to->expr);
    for (Clause& clause : to->clauses) {
      for (auto& list : clause.params) {
        for (Expr*& param : list) param = Copy(param);
      }
      clause.body = Copy(clause.body);
    }
    for (Constructor& constructor : to->constructors) constructor.type = Copy(constructor.type);
    to->assertion.left = Copy(to->assertion.left);
    to->assertion.right = Copy(to->assertion.right);
    to->assertion.tau_priority = Copy(to->assertion.tau_priority);
    for (Expr*& type : to->assertion.symmetries) type = Copy(type);
    for (Expr*& argument : to->arguments) argument = Copy(argument);
    for (Decl*& decl : to->inner) decl = Copy(decl);
    for (Decl*& decl : to->exports) decl = Copy(decl);
    return to;
  }

  // Learns what a scope declares: constants first, because they decide what a pattern binds; instances last, because
  // they need the modules.
  void Open(Scope* scope) {
    for (Decl* decl : scope->decls) {
      if (decl->kind == DeclKind::kModule) DeclareModule(scope, decl);
      if (decl->kind == DeclKind::kChannel || decl->kind == DeclKind::kDatatype) DeclareNames(scope, decl);
    }
    for (Decl* decl : scope->decls) {
      if (decl->kind != DeclKind::kChannel && decl->kind != DeclKind::kDatatype) DeclareNames(scope, decl);
    }
    // What stands in a module may name those that come later.
    for (const Decl* decl : scope->decls) {
      if (decl->kind == DeclKind::kModule) OpenModule(scope->modules[decl->names[0]], decl);
    }
    for (Decl* decl : scope->decls) {
      if (decl->kind == DeclKind::kInstance) DeclareInstance(scope, decl);
    }
    for (const Decl* decl : scope->decls) {
      bool module = decl->kind == DeclKind::kModule || decl->kind == DeclKind::kInstance;
      if (!module || !scope->names.contains(decl->names[0])) continue;
      Report(decl->name_spans[0], fmt::format("`{}` is the name of a module and of something else", decl->names[0]));
    }
    if (scope->module == nullptr) return;
    for (const Decl* decl : scope->module->exports) {
      for (const std::string& name : NamesOf(scope, decl)) scope->exported.insert(name);
      // A builtin function that a module declares can be named through it.
      if (decl->kind != DeclKind::kTransparent && decl->kind != DeclKind::kExternal) continue;
      for (const std::string& name : decl->names) {
        scope->exported.insert(name);
        scope->names.emplace(name, name);
      }
    }
  }

  void DeclareModule(Scope* scope, const Decl* decl) {
    Scope* inner = NewScope(scope, scope->prefix + decl->names[0] + "::");
    inner->module = decl;
    AddModule(scope, decl, inner);
    inner->open = decl->arguments.empty() || for_check_;
  }

  void OpenModule(Scope* inner, const Decl* decl) {
    if (!inner->open || inner->module != decl) return;
    for (const Expr* name : decl->arguments) inner->decls.push_back(Unknown(name));
    if (!decl->arguments.empty()) {
      // Its instances copy the declarations as they were written.
      for (const Decl* part : decl->inner) inner->decls.push_back(Copy(part));
      for (const Decl* part : decl->exports) inner->decls.push_back(Copy(part));
      Open(inner);
      return;
    }
    inner->decls = decl->inner;
    inner->decls.insert(inner->decls.end(), decl->exports.begin(), decl->exports.end());
    Open(inner);
  }

  void DeclareInstance(Scope* scope, const Decl* decl) {
    Scope* pattern = too_many_ ? nullptr : FindModule(scope, decl->expr);
    if (pattern == nullptr) return;
    size_t wanted = pattern->module->arguments.size();
    if (wanted != decl->arguments.size()) {
      Report(decl->span, fmt::format("module `{}` has {} parameter{}, not {}", decl->expr->text, wanted,
                                     wanted == 1 ? "" : "s", decl->arguments.size()));
      return;
    }
    if (depth_ >= kMaxDepth || scopes_.size() > kMaxScopes) {
      if (!too_many_) {
        Report(decl->span, "there are too many instances here: a module seems to contain an instance of itself");
      }
      too_many_ = true;
      return;
    }
    ++depth_;
    Scope* inner = NewScope(pattern->outer, scope->prefix + decl->names[0] + "::");
    inner->module = pattern->module;
    inner->open = true;
    for (size_t i = 0; i < wanted; ++i) inner->decls.push_back(Parameter(pattern->module->arguments[i]));
    for (const Decl* part : pattern->module->inner) inner->decls.push_back(Copy(part));
    for (const Decl* part : pattern->module->exports) inner->decls.push_back(Copy(part));
    AddModule(scope, decl, inner);
    instances_[decl] = inner;
    Open(inner);
    --depth_;
  }

  // `p = argument`; the argument is filled in when the instance is emitted, in its own scope.
  Decl* Parameter(const Expr* name) {
    Decl* decl = ast_.NewDecl(DeclKind::kBinding, name->span);
    decl->names = {name->text};
    decl->name_spans = {name->span};
    return decl;
  }

  Decl* Unknown(const Expr* name) {
    Decl* decl = Parameter(name);
    Clause clause;
    clause.body = ast_.NewExpr(Op::kName, name->span);
    clause.body->text = kUnknownArgument;
    clause.span = name->span;
    decl->clauses.push_back(std::move(clause));
    return decl;
  }

  void AddModule(Scope* scope, const Decl* decl, Scope* inner) {
    if (!scope->modules.emplace(decl->names[0], inner).second) {
      Report(decl->name_spans[0], fmt::format("there are two modules `{}` here", decl->names[0]));
    }
  }

  bool IsConstant(const Scope* scope, const std::string& name) const {
    const std::string* expanded = Lookup(scope, name);
    return expanded != nullptr && constants_.contains(*expanded);
  }

  void PatternNames(const Scope* scope, const Expr* pattern, std::vector<std::string>& out) const {
    if (pattern->op == Op::kName && !IsConstant(scope, pattern->text)) out.push_back(pattern->text);
    for (const Expr* kid : pattern->kids) PatternNames(scope, kid, out);
  }

  std::vector<std::string> NamesOf(const Scope* scope, const Decl* decl) const {
    std::vector<std::string> names;
    switch (decl->kind) {
      case DeclKind::kBinding:
      case DeclKind::kChannel:
      case DeclKind::kDatatype:
      case DeclKind::kSubtype:
      case DeclKind::kNametype:
      case DeclKind::kModule:
      case DeclKind::kInstance:
        names = decl->names;
        break;
      default:
        return names;
    }
    if (decl->pattern != nullptr) PatternNames(scope, decl->pattern, names);
    if (decl->kind != DeclKind::kDatatype) return names;
    for (const Constructor& constructor : decl->constructors) names.push_back(constructor.name);
    return names;
  }

  void DeclareNames(Scope* scope, const Decl* decl) {
    if (decl->kind == DeclKind::kModule || decl->kind == DeclKind::kInstance) return;
    bool constant = decl->kind == DeclKind::kChannel || decl->kind == DeclKind::kDatatype;
    for (const std::string& name : NamesOf(scope, decl)) {
      scope->names[name] = scope->prefix + name;
      // The type itself is no constant, its constructors are.
      if (constant && !(decl->kind == DeclKind::kDatatype && name == decl->names[0])) {
        constants_.insert(scope->prefix + name);
      }
    }
  }

  const std::string* Lookup(const Scope* scope, const std::string& name) const {
    for (; scope != nullptr; scope = scope->outer) {
      auto found = scope->names.find(name);
      if (found != scope->names.end()) return &found->second;
    }
    return nullptr;
  }

  // Whether `scope` is `inner` or around it: then private names are seen.
  static bool Contains(const Scope* scope, const Scope* inner) {
    for (; inner != nullptr; inner = inner->outer) {
      if (inner == scope) return true;
    }
    return false;
  }

  Scope* FindFirst(Scope* from, const std::string& name) {
    for (Scope* scope = from; scope != nullptr; scope = scope->outer) {
      auto found = scope->modules.find(name);
      if (found != scope->modules.end()) return found->second;
    }
    return nullptr;
  }

  static std::vector<std::string> Parts(const std::string& text) {
    std::vector<std::string> parts;
    size_t at = 0;
    for (size_t colons = text.find("::"); colons != std::string::npos; colons = text.find("::", at)) {
      parts.push_back(text.substr(at, colons - at));
      at = colons + 2;
    }
    parts.push_back(text.substr(at));
    return parts;
  }

  // The module that the first `count` parts name, seen from `from`. Null after a report.
  Scope* Walk(Scope* from, const std::vector<std::string>& parts, size_t count, Span span) {
    Scope* scope = FindFirst(from, parts[0]);
    for (size_t i = 1; i < count && scope != nullptr; ++i) {
      if (!Visible(scope, from, parts[i], span)) return nullptr;
      auto found = scope->modules.find(parts[i]);
      scope = found == scope->modules.end() ? nullptr : found->second;
    }
    if (scope == nullptr) Report(span, fmt::format("there is no module `{}`", parts[count - 1]));
    return scope;
  }

  bool Visible(const Scope* scope, const Scope* from, const std::string& name, Span span) {
    if (Contains(scope, from) || scope->exported.contains(name)) return true;
    bool known = scope->names.contains(name) || scope->modules.contains(name);
    std::vector<std::string_view> all(scope->exported.begin(), scope->exported.end());
    std::string module = scope->prefix.substr(0, scope->prefix.size() - 2);
    if (known) {
      Report(span, fmt::format("`{}` is private to module `{}`", name, module), "declare it after `exports`");
    } else {
      Report(span, fmt::format("module `{}` has no `{}`", module, name), DidYouMean(name, all));
    }
    return false;
  }

  Scope* FindModule(Scope* from, const Expr* name) {
    std::vector<std::string> parts = Parts(name->text);
    return Walk(from, parts, parts.size(), name->span);
  }

  void Qualified(Expr* e) {
    std::vector<std::string> parts = Parts(e->text);
    Scope* scope = Walk(scope_, parts, parts.size() - 1, e->span);
    if (scope == nullptr) return;
    if (!scope->open) {
      Report(e->span, fmt::format("module `{}` has parameters", parts[parts.size() - 2]),
             fmt::format("name an instance of it: instance I = {}(...)", parts[parts.size() - 2]));
      return;
    }
    for (const Scope* s = scope_; s != nullptr; s = s->outer) {
      if (s == scope || s->module == nullptr || s->module != scope->module || Contains(scope, scope_)) continue;
      Report(e->span, fmt::format("module `{}` depends on an instance of itself", scope->module->names[0]));
      return;
    }
    if (!Visible(scope, scope_, parts.back(), e->span)) return;
    auto found = scope->names.find(parts.back());
    if (found != scope->names.end()) e->text = found->second;
  }

  void Name(Expr* e) {
    if (e->text.find("::") != std::string::npos) return Qualified(e);
    if (std::find(locals_.begin(), locals_.end(), e->text) != locals_.end()) return;
    for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
      if (scope->names.contains(e->text)) break;
      if (!scope->modules.contains(e->text)) continue;
      Report(e->span, fmt::format("`{}` is a module, not a value", e->text));
      return;
    }
    if (const std::string* expanded = Lookup(scope_, e->text)) e->text = *expanded;
  }

  void Bind(Expr* pattern) {
    if (pattern->op == Op::kName) {
      bool qualified = pattern->text.find("::") != std::string::npos;
      if (qualified || IsConstant(scope_, pattern->text)) return Name(pattern);
      locals_.push_back(pattern->text);
    }
    for (Expr* kid : pattern->kids) Bind(kid);
  }

  // The pattern of a top-level binding: its variables are declarations.
  void Rename(Expr* pattern) {
    if (pattern->op == Op::kName) Name(pattern);
    for (Expr* kid : pattern->kids) Rename(kid);
  }

  void VisitClause(Clause& clause) {
    size_t mark = locals_.size();
    for (auto& list : clause.params) {
      for (Expr* param : list) Bind(param);
    }
    if (clause.body != nullptr) Visit(clause.body);
    locals_.resize(mark);
  }

  void Let(Expr* e) {
    size_t mark = locals_.size();
    for (const Decl* decl : e->decls) {
      if (decl->kind == DeclKind::kBinding) locals_.insert(locals_.end(), decl->names.begin(), decl->names.end());
      if (decl->pattern != nullptr) PatternNames(scope_, decl->pattern, locals_);
    }
    for (Decl* decl : e->decls) {
      for (Clause& clause : decl->clauses) VisitClause(clause);
      if (decl->pattern != nullptr) Rename(decl->pattern);
      if (decl->type != nullptr) Visit(decl->type);
    }
    Visit(e->kids[0]);
    locals_.resize(mark);
  }

  void Prefix(Expr* e) {
    size_t mark = locals_.size();
    Visit(e->kids[0]);
    for (Field& field : e->fields) {
      if (field.set != nullptr) Visit(field.set);
      if (field.kind == '?' || field.kind == '$') {
        Bind(field.expr);
      } else {
        Visit(field.expr);
      }
    }
    Visit(e->kids[1]);
    locals_.resize(mark);
    if (e->kids.size() == 3) Visit(e->kids[2]);
  }

  void Visit(Expr* e) {
    if (e->op == Op::kName) return Name(e);
    if (e->op == Op::kLet) return Let(e);
    if (e->op == Op::kPrefix) return Prefix(e);
    size_t mark = locals_.size();
    // Written outside the scope of the statements, as Resolve has it: the process being renamed, shared alphabets.
    bool first_two = e->op == Op::kLinkParallel;
    auto outside = [&](size_t i) {
      bool alphabet = (e->op == Op::kRepGenParallel || e->op == Op::kRepSyncExt || e->op == Op::kRepLink) && i >= 1;
      return (e->op == Op::kRename && i == 0) || (first_two && i < 2) || alphabet;
    };
    for (size_t i = 0; i < e->kids.size(); ++i) {
      if (outside(i)) Visit(e->kids[i]);
    }
    for (Stmt& stmt : e->stmts) {
      Visit(stmt.value);
      if (stmt.pattern != nullptr) Bind(stmt.pattern);
    }
    for (size_t i = 0; i < e->kids.size(); ++i) {
      bool parameter = e->op == Op::kLambda && !in_type_ && i + 1 < e->kids.size();
      if (outside(i)) continue;
      if (parameter) {
        Bind(e->kids[i]);
      } else {
        Visit(e->kids[i]);
      }
    }
    locals_.resize(mark);
  }

  void Emit(Scope* scope) {
    Scope* outer = scope_;
    for (Decl* decl : scope->decls) {
      scope_ = scope;
      if (decl->kind == DeclKind::kModule) {
        Scope* inner = scope->modules[decl->names[0]];
        if (inner->open) Emit(inner);
      } else if (decl->kind == DeclKind::kInstance) {
        if (auto found = instances_.find(decl); found != instances_.end()) EmitInstance(decl, found->second);
      } else {
        EmitDecl(decl);
      }
    }
    scope_ = outer;
  }

  void EmitInstance(const Decl* decl, Scope* inner) {
    for (size_t i = 0; i < decl->arguments.size(); ++i) {
      Decl* parameter = inner->decls[i];
      Clause clause;
      clause.body = decl->arguments[i];
      clause.span = clause.body->span;
      Visit(clause.body);  // where the instance stands
      parameter->clauses.push_back(std::move(clause));
      parameter->names[0] = inner->prefix + parameter->names[0];
      ast_.top.push_back(parameter);
    }
    inner->decls.erase(inner->decls.begin(),
                       inner->decls.begin() + static_cast<std::ptrdiff_t>(decl->arguments.size()));
    Emit(inner);
  }

  void EmitDecl(Decl* decl) {
    bool listed = decl->kind == DeclKind::kTransparent || decl->kind == DeclKind::kExternal;
    if (!listed) {
      for (std::string& name : decl->names) name = scope_->prefix + name;
    }
    for (Constructor& constructor : decl->constructors) {
      const std::string* expanded = Lookup(scope_, constructor.name);
      if (expanded != nullptr) constructor.name = *expanded;  // a subtype names those of its type
      if (constructor.type != nullptr) Visit(constructor.type);
    }
    if (decl->pattern != nullptr) Rename(decl->pattern);
    for (Clause& clause : decl->clauses) VisitClause(clause);
    in_type_ = decl->kind == DeclKind::kAnnotation;
    if (decl->type != nullptr) Visit(decl->type);
    in_type_ = false;
    if (decl->expr != nullptr) Visit(decl->expr);
    for (Expr* part : {decl->assertion.left, decl->assertion.right, decl->assertion.tau_priority}) {
      if (part != nullptr) Visit(part);
    }
    for (Expr* type : decl->assertion.symmetries) Visit(type);
    ast_.top.push_back(decl);
  }

  Ast& ast_;
  std::vector<Diagnostic>& diagnostics_;
  bool for_check_;
  std::deque<Scope> scopes_;
  std::map<const Decl*, Scope*> instances_;
  std::set<std::string> constants_;  // channels and constructors, expanded
  Scope* scope_ = nullptr;           // of what is being rewritten
  std::vector<std::string> locals_;  // variables that hide declarations there
  int depth_ = 0;
  bool too_many_ = false;
  bool in_type_ = false;  // a kLambda is then a function type
};

}  // namespace

void ExpandModules(Ast& ast, std::vector<Diagnostic>& diagnostics) {
  bool any = std::any_of(ast.top.begin(), ast.top.end(), [](const Decl* decl) {
    return decl->kind == DeclKind::kModule || decl->kind == DeclKind::kInstance;
  });
  if (any) Expander(ast, diagnostics, false).Run();
}

bool ExpandForCheck(Ast& ast, std::vector<Diagnostic>& diagnostics) {
  std::function<bool(const Decl*)> parameters = [&](const Decl* decl) {
    if (decl->kind != DeclKind::kModule) return false;
    return !decl->arguments.empty() || std::any_of(decl->inner.begin(), decl->inner.end(), parameters) ||
           std::any_of(decl->exports.begin(), decl->exports.end(), parameters);
  };
  if (!std::any_of(ast.top.begin(), ast.top.end(), parameters)) return false;
  Expander(ast, diagnostics, true).Run();
  return true;
}

}  // namespace heddle::csp
