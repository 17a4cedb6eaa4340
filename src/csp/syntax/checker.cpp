#include "csp/syntax/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/near.h"
#include "csp/syntax/modules.h"
#include "csp/syntax/parser.h"

namespace heddle::csp {

using K = Type::Kind;

namespace {

constexpr int kGeneral = 1 << 30;  // the level of a variable that each use may choose anew

}  // namespace

void Checker::Report(Span span, std::string message, std::string help) {
  if (diagnostics_.size() >= kMaxDiagnostics) return;
  for (const Diagnostic& said : diagnostics_) {
    bool same = said.span.file == span.file && said.span.begin == span.begin && said.message == message;
    if (same) return;
  }
  Diagnostic d;
  d.span = span;
  d.message = std::move(message);
  d.help = std::move(help);
  diagnostics_.push_back(std::move(d));
}

void Checker::Push(const std::string& name, Type* type, bool constant) {
  scope_[name].push_back({name, type, constant});
  scope_order_.push_back(name);
}

void Checker::PopTo(size_t mark) {
  while (scope_order_.size() > mark) {
    scope_[scope_order_.back()].pop_back();
    scope_order_.pop_back();
  }
}

const Checker::Binding* Checker::Lookup(const std::string& name) const {
  auto it = scope_.find(name);
  return it == scope_.end() || it->second.empty() ? nullptr : &it->second.back();
}

Type* Checker::Instantiate(Type* t, std::unordered_map<Type*, Type*>& map) {
  if (types_.Spend()) return types_.any;
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind == K::kVar) {
    if (t->level != kGeneral) return t;
    Type*& fresh = map[t];
    if (fresh != nullptr) return fresh;
    Type* made = fresh = types_.Var(level_, t->classes);
    if (t->yields != nullptr) made->yields = Instantiate(t->yields, map);
    return made;
  }
  if (t->args.empty()) return t;
  std::vector<Type*> args;
  bool same = true;
  for (Type* arg : t->args) {
    args.push_back(Instantiate(arg, map));
    same &= args.back() == arg;
  }
  return same ? t : types_.Make(t->kind, std::move(args));
}

void Checker::Generalise(Type* t, int depth) {
  if (depth > 200 || types_.Spend()) return;
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind == K::kVar && t->level > level_ && t->level != kGeneral) {
    t->level = kGeneral;
    if (t->yields != nullptr) Generalise(t->yields, depth + 1);
  }
  for (Type* arg : t->args) Generalise(arg, depth + 1);
}

// The type of an annotation: all its variables are general.
void Checker::GeneraliseAll(Type* t) {
  --level_;
  Generalise(t, 0);
  ++level_;
}

void Checker::Require(Expr* e, Type* found, Type* expected) {
  types_.TakeMissingClass();
  if (types_.Unify(found, expected)) return;
  std::string missing = types_.TakeMissingClass();
  Type* f = types_.Prune(found);
  Type* x = types_.Prune(expected);
  std::string help;
  if (f->kind == K::kDotable && x->kind == K::kEvent) {
    help = fmt::format("it lacks {} field{}: {}", f->args.size() - 1, f->args.size() == 2 ? "" : "s", types_.Show(f));
  } else if (!missing.empty()) {
    Report(e->span, fmt::format("values of type {} {}", types_.Show(f), missing), "what this is used for needs it");
    return;
  } else if (f->kind == K::kFunction && x->kind != K::kFunction) {
    help = "it is a function and needs its arguments";
  } else if (e->op == Op::kName && Lookup(e->text) != nullptr && Lookup(e->text)->constant) {
    help = fmt::format("`{}` is the name of a channel or a constructor, in patterns too", e->text);
  }
  std::string wanted = types_.Show(x);
  Report(e->span, fmt::format("expected {}, found {}", wanted, types_.Show(f)), help);
}

// Demands classes of a type; `what` says for which purpose.
void Checker::Need(Span span, Type* type, TypeClasses classes, const char* what) {
  types_.TakeMissingClass();
  if (types_.Constrain(type, classes)) return;
  std::string missing = types_.TakeMissingClass();
  std::string help = missing == "have no equality"          ? "processes and functions have no equality"
                     : missing == "cannot be kept in a set" ? "functions cannot be kept in sets"
                     : missing == "have no order" ? "numbers, characters, sequences, sets, maps and tuples have one"
                                                  : "";
  Report(span, fmt::format("values of type {} {}", types_.Show(type), what), help);
}

// A name may stand only once in the patterns that are matched together. `True` would be a new variable that matches
// both, which nobody means.
void Checker::CheckDistinct(const std::vector<Expr*>& patterns) {
  std::set<std::string> seen;
  std::function<void(const Expr*)> visit = [&](const Expr* p) {
    if (p->op == Op::kName) {
      const Binding* known = Lookup(p->text);
      bool constant = known != nullptr && known->constant;
      if (!constant && (p->text == "True" || p->text == "False")) {
        Report(p->span,
               fmt::format("`{}` in a pattern is not the value but a new name that matches everything", p->text),
               fmt::format("write `{}` to match the value", p->text == "True" ? "true" : "false"));
      } else if (!constant && !seen.insert(p->text).second) {
        Report(p->span, fmt::format("`{}` is bound twice here", p->text),
               "give the two places different names and compare them");
      }
    }
    for (const Expr* kid : p->kids) visit(kid);
  };
  for (const Expr* pattern : patterns) visit(pattern);
}

void Checker::Want(Expr* e, Type* type) { Require(e, Of(e), type); }

Type* Checker::OfName(Expr* e) {
  if (e->text == kUnknownArgument) return types_.any;
  const Binding* binding = Lookup(e->text);
  std::unordered_map<Type*, Type*> map;
  if (binding != nullptr) return Instantiate(binding->type, map);
  auto builtin = builtins_.find(std::string(WithoutMark(e->text)));
  if (builtin != builtins_.end()) {
    char group = groups_[builtin->first];
    // Timed sections have this one without a declaration.
    bool needs = group != 'a' && e->text != "timed_priority";
    if (needs && allowed_.count(e->text) == 0) {
      Report(e->span, fmt::format("`{}` is used without being declared", e->text),
             fmt::format("write `{} {}` before it", group == 't' ? "transparent" : "external", e->text));
      allowed_.insert(e->text);
    }
    return Instantiate(builtin->second, map);
  }
  std::vector<std::string_view> names;
  for (const auto& [name, bindings] : scope_) {
    if (!bindings.empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const KnownName& known : known_) names.push_back(known.name);
  Report(e->span, fmt::format("undeclared name `{}`", e->text), DidYouMean(e->text, names));
  return types_.any;
}

Type* Checker::OfApply(Expr* e) {
  Type* function = types_.Prune(Of(e->kids[0]));
  std::vector<Type*> found;
  for (size_t i = 1; i < e->kids.size(); ++i) {
    found.push_back(Of(e->kids[i]));
    arguments_.emplace_back(e->kids[i], found.back());
  }
  if (function->kind == K::kAny) return types_.any;
  if (function->kind == K::kVar) {
    std::vector<Type*> args = found;
    Type* result = types_.Var(level_);
    args.push_back(result);
    if (!types_.Unify(function, types_.Make(K::kFunction, std::move(args)))) {
      Report(e->span, "this use of a function would need an infinite type");
    }
    return result;
  }
  if (function->kind != K::kFunction) {
    Report(e->kids[0]->span, fmt::format("this is not a function but {}", types_.Show(function)));
    return types_.any;
  }
  size_t expected = function->args.size() - 1;
  if (expected != found.size()) {
    Report(e->span, fmt::format("this function takes {} argument{}, not {}: {}", expected, expected == 1 ? "" : "s",
                                found.size(), types_.Show(function)));
    return function->args.back();
  }
  for (size_t i = 0; i < found.size(); ++i) Require(e->kids[i + 1], found[i], function->args[i]);
  return function->args.back();
}

Type* Checker::PatternType(Expr* p) {
  switch (p->op) {
    case Op::kWildcard:
      return types_.Var(level_);
    case Op::kName: {
      const Binding* binding = Lookup(p->text);
      if (binding != nullptr && binding->constant) {
        std::unordered_map<Type*, Type*> map;
        return Instantiate(binding->type, map);
      }
      Type* t = types_.Var(level_);
      Push(p->text, t);
      return t;
    }
    case Op::kTuple: {
      std::vector<Type*> parts;
      for (Expr* kid : p->kids) parts.push_back(PatternType(kid));
      return types_.Make(K::kTuple, std::move(parts));
    }
    case Op::kSeq:
    case Op::kSet: {
      Type* item = types_.Var(level_);
      for (Expr* kid : p->kids) Require(kid, PatternType(kid), item);
      if (p->op == Op::kSet && !p->kids.empty()) Need(p->span, item, kComparable, "cannot be compared");
      return p->op == Op::kSeq ? types_.Seq(item) : types_.Set(item);
    }
    case Op::kConcat: {
      Type* seq = types_.Seq(types_.Var(level_));
      for (Expr* kid : p->kids) Require(kid, PatternType(kid), seq);
      return seq;
    }
    case Op::kBothPatterns: {
      Type* t = PatternType(p->kids[0]);
      Require(p->kids[1], PatternType(p->kids[1]), t);
      return t;
    }
    case Op::kDot: {
      std::vector<Type*> parts;
      for (Expr* kid : p->kids) parts.push_back(PatternType(kid));
      // A variable cannot be the channel or the constructor of what is matched.
      for (size_t i = 0; i + 1 < parts.size(); ++i) {
        if (types_.Prune(parts[i])->kind == K::kVar) types_.Constrain(parts[i], kComplete);
      }
      Type* joined = types_.Join(parts, false);
      if (joined == nullptr) Report(p->span, "the parts of this pattern do not fit the type of its constructor");
      return joined == nullptr ? types_.any : joined;
    }
    default:
      return Of(p);
  }
}

Type* Checker::OfLambda(Expr* e) {
  size_t mark = scope_order_.size();
  CheckDistinct({e->kids.begin(), e->kids.end() - 1});
  std::vector<Type*> args;
  for (size_t i = 0; i + 1 < e->kids.size(); ++i) args.push_back(PatternType(e->kids[i]));
  args.push_back(Of(e->kids.back()));
  PopTo(mark);
  return types_.Make(K::kFunction, std::move(args));
}

Type* Checker::OfLet(Expr* e) {
  size_t mark = scope_order_.size();
  Group(e->decls, false);
  Type* result = Of(e->kids[0]);
  PopTo(mark);
  return result;
}

void Checker::Statements(std::vector<Stmt>& stmts, char wants) {
  std::vector<Expr*> patterns;
  for (const Stmt& stmt : stmts) {
    if (stmt.pattern != nullptr) patterns.push_back(stmt.pattern);
  }
  CheckDistinct(patterns);
  for (Stmt& stmt : stmts) {
    if (stmt.pattern == nullptr) {
      Want(stmt.value, types_.boolean);
      continue;
    }
    Type* source = types_.Prune(Of(stmt.value));
    Type* item = types_.Var(level_);
    Require(stmt.value, source, wants == 'q' ? types_.Seq(item) : types_.Set(item));
    Require(stmt.pattern, PatternType(stmt.pattern), item);
  }
}

Type* Checker::OfPrefix(Expr* e) {
  size_t mark = scope_order_.size();
  std::vector<Type*> parts{Of(e->kids[0])};
  std::vector<Expr*> patterns;
  for (const Field& field : e->fields) {
    if (field.kind == '?' || field.kind == '$') patterns.push_back(field.expr);
  }
  CheckDistinct(patterns);
  bool input = false;
  for (Field& field : e->fields) {
    if (field.kind == '!' || field.kind == '.') {
      parts.push_back(Of(field.expr));
      continue;
    }
    if (field.kind == '$' && input) {
      Report(field.expr->span, "`$` cannot stand after `?`", "what is chosen inside is chosen before the environment");
    }
    input |= field.kind == '?';
    Type* set = field.set == nullptr ? nullptr : SetElement(field.set);
    Type* pattern = PatternType(field.expr);
    if (set != nullptr) Require(field.expr, pattern, set);
    Need(field.expr->span, pattern, kComplete, "lack fields, and an input takes whole fields");
    parts.push_back(pattern);
  }
  Type* joined = types_.Join(parts, true);
  if (joined == nullptr) {
    Report(e->span, fmt::format("the fields do not fit the type of the channel, {}", types_.Show(parts[0])));
  } else if (!types_.Unify(joined, types_.event)) {
    Type* j = types_.Prune(joined);
    std::string help;
    if (j->kind == K::kDotable)
      help = fmt::format("it lacks {} field{}", j->args.size() - 1, j->args.size() == 2 ? "" : "s");
    if (j->kind == K::kDots) help = "it has too many fields, or does not begin with a channel";
    Report(e->span, fmt::format("expected an event before `->`, found {}", types_.Show(j)), help);
  }
  Want(e->kids[1], types_.process);
  PopTo(mark);
  if (e->kids.size() == 3) {
    Type* timing = types_.Make(K::kFunction, {types_.event, types_.integer});
    Want(e->kids[2], types_.Make(K::kTuple, {timing, types_.event}));
  }
  return types_.process;
}

Type* Checker::OfCompare(Expr* e) {
  Type* left = Of(e->kids[0]);
  Require(e->kids[1], Of(e->kids[1]), left);
  if (e->op == Op::kEq || e->op == Op::kNe) {
    Need(e->span, left, kComparable, "cannot be compared");
  } else {
    Need(e->span, left, kOrdered, "have no order");
  }
  return types_.boolean;
}

// Two channels or parts of events that lack the same fields: the sides of a renaming or a link.
void Checker::Yields(Expr* old_event, Expr* new_event) {
  Type* found[2] = {Of(old_event), Of(new_event)};
  bool events = true;
  for (int i = 0; i < 2; ++i) {
    types_.TakeMissingClass();
    if (types_.Extend(found[i], types_.event, level_)) continue;
    events = false;
    Report((i == 0 ? old_event : new_event)->span, fmt::format("expected Event, found {}", types_.Show(found[i])));
  }
  if (events && !types_.Unify(found[0], found[1])) {
    std::string first = types_.Show(found[0]);
    Report(Span::Join(old_event->span, new_event->span),
           fmt::format("these lack different fields: {} and {}", first, types_.Show(found[1])));
  }
}

Type* Checker::OfChannels(Expr* e) {
  size_t mark = scope_order_.size();
  Statements(e->stmts, 's');
  Type* result = types_.Var(level_, kYieldable);
  for (Expr* kid : e->kids) {
    Type* t = types_.Prune(Of(kid));
    types_.TakeMissingClass();
    if (types_.Extend(t, result, level_)) continue;
    Type* known = types_.Prune(result);
    bool yieldable = known->kind == K::kEvent || known->kind == K::kData;
    std::string wanted = yieldable ? types_.Show(known) : "a channel or a constructor";
    Report(kid->span, fmt::format("expected {}, found {}", wanted, types_.Show(t)));
  }
  PopTo(mark);
  return types_.Set(result);
}

Type* Checker::Elements(Expr* e, Type* (Types::*wrap)(Type*), bool need_eq) {
  Type* item = types_.Var(level_);
  for (Expr* kid : e->kids) Require(kid, Of(kid), item);
  if (need_eq) Need(e->span, item, kSettable, "cannot be kept in a set");
  return (types_.*wrap)(item);
}

Type* Checker::Of(Expr* e) {
  switch (e->op) {
    case Op::kInt:
      return types_.integer;
    case Op::kBool:
      return types_.boolean;
    case Op::kChar:
      return types_.character;
    case Op::kString:
      return types_.Seq(types_.character);
    case Op::kName:
      return OfName(e);
    case Op::kWildcard:
      Report(e->span, "`_` is only allowed in patterns");
      return types_.any;
    case Op::kBothPatterns:
      Report(e->span, "`@@` is only allowed in patterns");
      return types_.any;
    case Op::kTuple: {
      std::vector<Type*> parts;
      for (Expr* kid : e->kids) parts.push_back(Of(kid));
      return types_.Make(K::kTuple, std::move(parts));
    }
    case Op::kSeq:
      return Elements(e, &Types::Seq, false);
    case Op::kSet:
      return Elements(e, &Types::Set, true);
    case Op::kSeqFrom:
    case Op::kSetFrom:
      for (Expr* kid : e->kids) Want(kid, types_.integer);
      return e->op == Op::kSeqFrom ? types_.Seq(types_.integer) : types_.Set(types_.integer);
    case Op::kSeqComp:
    case Op::kSetComp: {
      size_t mark = scope_order_.size();
      Statements(e->stmts, e->op == Op::kSeqComp ? 'q' : 's');
      if (e->number == 1) {
        Type* range = Of(e->kids[0]);
        PopTo(mark);
        return range;
      }
      Type* result = Elements(e, e->op == Op::kSeqComp ? &Types::Seq : &Types::Set, e->op == Op::kSetComp);
      PopTo(mark);
      return result;
    }
    case Op::kChanSet:
    case Op::kChanComp:
      return OfChannels(e);
    case Op::kMap: {
      Type* key = types_.Var(level_);
      Type* value = types_.Var(level_);
      for (size_t i = 0; i < e->kids.size(); ++i) Require(e->kids[i], Of(e->kids[i]), i % 2 == 0 ? key : value);
      Need(e->span, key, kSettable, "cannot be the keys of a map");
      return types_.Make(K::kMap, {key, value});
    }
    case Op::kApply:
      return OfApply(e);
    case Op::kLambda:
      return OfLambda(e);
    case Op::kLet:
      return OfLet(e);
    case Op::kIf: {
      Want(e->kids[0], types_.boolean);
      Type* result = Of(e->kids[1]);
      Require(e->kids[2], Of(e->kids[2]), result);
      return result;
    }
    case Op::kNeg:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMod:
      for (Expr* kid : e->kids) Want(kid, types_.integer);
      return types_.integer;
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
      for (Expr* kid : e->kids) Want(kid, types_.boolean);
      return types_.boolean;
    case Op::kLength:
      Want(e->kids[0], types_.Seq(types_.Var(level_)));
      return types_.integer;
    case Op::kConcat: {
      Type* result = types_.Seq(types_.Var(level_));
      for (Expr* kid : e->kids) Want(kid, result);
      return result;
    }
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kGt:
    case Op::kLe:
    case Op::kGe:
      return OfCompare(e);
    case Op::kDot: {
      std::vector<Type*> parts;
      for (Expr* kid : e->kids) parts.push_back(Of(kid));
      Type* joined = types_.Join(parts, false);
      if (joined == nullptr) {
        Report(e->span, fmt::format("these fields do not fit {}", types_.Show(parts[0])));
        return types_.any;
      }
      return joined;
    }
    case Op::kPrefix:
      return OfPrefix(e);
    default:
      return OfProcess(e);
  }
}

Type* Checker::OfProcess(Expr* e) {
  Type* events = types_.Set(types_.event);
  size_t mark = scope_order_.size();
  switch (e->op) {
    case Op::kGuard:
      Want(e->kids[0], types_.boolean);
      Want(e->kids[1], types_.process);
      break;
    case Op::kGenParallel:
    case Op::kException:
    case Op::kSyncExt:
    case Op::kSyncInterrupt:
      Want(e->kids[0], types_.process);
      Want(e->kids[1], events);
      Want(e->kids[2], types_.process);
      break;
    case Op::kAlphaParallel:
      Want(e->kids[0], types_.process);
      Want(e->kids[1], events);
      Want(e->kids[2], events);
      Want(e->kids[3], types_.process);
      break;
    case Op::kHide:
    case Op::kProject:
      Want(e->kids[0], types_.process);
      Want(e->kids[1], events);
      break;
    case Op::kRename:
    case Op::kLinkParallel: {
      size_t first = e->op == Op::kRename ? 1 : 2;
      for (size_t i = 0; i < first; ++i) Want(e->kids[i], types_.process);
      Statements(e->stmts, 's');
      for (size_t i = first; i + 1 < e->kids.size(); i += 2) Yields(e->kids[i], e->kids[i + 1]);
      break;
    }
    case Op::kRepLink:
      for (size_t i = 1; i + 1 < e->kids.size(); i += 2) Yields(e->kids[i], e->kids[i + 1]);
      Statements(e->stmts, 'q');
      Want(e->kids[0], types_.process);
      break;
    case Op::kRepGenParallel:
    case Op::kRepSyncExt:
      Want(e->kids[1], events);
      [[fallthrough]];
    case Op::kRepExt:
    case Op::kRepInt:
    case Op::kRepInterleave:
    case Op::kRepSequence:
      Statements(e->stmts, e->op == Op::kRepSequence ? 'q' : 's');
      Want(e->kids[0], types_.process);
      break;
    case Op::kRepAlphaParallel:
      Statements(e->stmts, 's');
      Want(e->kids[1], events);
      Want(e->kids[0], types_.process);
      break;
    default:
      for (Expr* kid : e->kids) Want(kid, types_.process);
  }
  PopTo(mark);
  return types_.process;
}

void Checker::Finish() {
  for (auto& [expr, type] : arguments_) expr->is_process = types_.Prune(type)->kind == K::kProc;
}

}  // namespace heddle::csp
