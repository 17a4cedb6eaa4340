#include "csp/syntax/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near.h"
#include "csp/syntax/parser.h"

namespace heddle::csp {

using K = Type::Kind;

namespace {

constexpr int kGeneral = 1 << 30;  // the level of a variable that each use may choose anew

}  // namespace

void Checker::Report(Span span, std::string message, std::string help) {
  if (diagnostics_.size() >= kMaxDiagnostics) return;
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
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind == K::kVar) {
    if (t->level != kGeneral) return t;
    Type*& fresh = map[t];
    if (fresh == nullptr) fresh = types_.Var(level_);
    return fresh;
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
  if (depth > 200) return;
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind == K::kVar && t->level > level_) t->level = kGeneral;
  for (Type* arg : t->args) Generalise(arg, depth + 1);
}

void Checker::Require(Expr* e, Type* found, Type* expected) {
  if (types_.Unify(found, expected)) return;
  Type* f = types_.Prune(found);
  Type* x = types_.Prune(expected);
  std::string help;
  if (f->kind == K::kDotable && x->kind == K::kEvent) {
    help = fmt::format("it lacks {} field{}: {}", f->args.size() - 1, f->args.size() == 2 ? "" : "s", types_.Show(f));
  } else if (f->kind == K::kFunction && x->kind != K::kFunction) {
    help = "it is a function and needs its arguments";
  } else if (e->op == Op::kName && Lookup(e->text) != nullptr && Lookup(e->text)->constant) {
    help = fmt::format("`{}` is the name of a channel or a constructor, in patterns too", e->text);
  }
  Report(e->span, fmt::format("expected {}, found {}", types_.Show(x), types_.Show(f)), help);
}

void Checker::Want(Expr* e, Type* type) { Require(e, Of(e), type); }

Type* Checker::OfName(Expr* e) {
  const Binding* binding = Lookup(e->text);
  std::unordered_map<Type*, Type*> map;
  if (binding != nullptr) return Instantiate(binding->type, map);
  auto builtin = builtins_.find(e->text);
  if (builtin != builtins_.end()) {
    char group = groups_[e->text];
    if (group != 'a' && allowed_.count(e->text) == 0) {
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
    types_.Unify(function, types_.Make(K::kFunction, std::move(args)));
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
      Type* joined = types_.Join(parts, true);
      if (joined == nullptr) Report(p->span, "the parts of this pattern do not fit the type of its constructor");
      return joined == nullptr ? types_.any : joined;
    }
    default:
      return Of(p);
  }
}

Type* Checker::OfLambda(Expr* e) {
  size_t mark = scope_order_.size();
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
  for (Stmt& stmt : stmts) {
    if (stmt.pattern == nullptr) {
      Want(stmt.value, types_.boolean);
      continue;
    }
    Type* source = types_.Prune(Of(stmt.value));
    Type* item = types_.Var(level_);
    bool sequence = wants == 'q' || (wants == 'r' && source->kind == K::kSeq);
    Require(stmt.value, source, sequence ? types_.Seq(item) : types_.Set(item));
    Require(stmt.pattern, PatternType(stmt.pattern), item);
  }
}

Type* Checker::OfPrefix(Expr* e) {
  size_t mark = scope_order_.size();
  std::vector<Type*> parts{Of(e->kids[0])};
  for (Field& field : e->fields) {
    if (field.kind == '!' || field.kind == '.') {
      parts.push_back(Of(field.expr));
      continue;
    }
    Type* set = field.set == nullptr ? nullptr : SetElement(field.set);
    Type* pattern = PatternType(field.expr);
    if (set != nullptr) Require(field.expr, pattern, set);
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
  return types_.process;
}

Type* Checker::OfCompare(Expr* e) {
  Type* left = Of(e->kids[0]);
  Require(e->kids[1], Of(e->kids[1]), left);
  if (e->op == Op::kEq || e->op == Op::kNe) {
    NeedEquality(e->span, left, "compared");
  } else {
    NeedOrder(e->span, left);
  }
  return types_.boolean;
}

// A channel, part of an event, or an event: whatever dotting more fields on makes an event of.
void Checker::Yields(Expr* e) {
  Type* t = types_.Prune(Of(e));
  if (t->kind == K::kDotable) t = types_.Prune(t->args.back());
  if (t->kind == K::kVar || t->kind == K::kDots) return;
  Require(e, t, types_.event);
}

Type* Checker::OfChannels(Expr* e) {
  size_t mark = scope_order_.size();
  Statements(e->stmts, 's');
  Type* result = types_.Var(level_);
  for (Expr* kid : e->kids) {
    Type* t = types_.Prune(Of(kid));
    if (t->kind == K::kDotable) t = types_.Prune(t->args.back());
    if (t->kind == K::kVar || t->kind == K::kDots || t->kind == K::kAny) continue;
    if (t->kind != K::kEvent && t->kind != K::kData) {
      Report(kid->span, fmt::format("expected a channel or a constructor, found {}", types_.Show(t)));
      continue;
    }
    Require(kid, t, result);
  }
  PopTo(mark);
  return types_.Set(result);
}

Type* Checker::Elements(Expr* e, Type* (Types::*wrap)(Type*), bool need_eq) {
  Type* item = types_.Var(level_);
  for (Expr* kid : e->kids) Require(kid, Of(kid), item);
  if (need_eq) NeedEquality(e->span, item, "kept in a set");
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
      NeedEquality(e->span, key, "a key of a map");
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
      for (size_t i = first; i < e->kids.size(); ++i) Yields(e->kids[i]);
      break;
    }
    case Op::kRepLink:
      for (size_t i = 1; i < e->kids.size(); ++i) Yields(e->kids[i]);
      Statements(e->stmts, 'q');
      Want(e->kids[0], types_.process);
      break;
    case Op::kRepGenParallel:
      Want(e->kids[1], events);
      [[fallthrough]];
    case Op::kRepExt:
    case Op::kRepInt:
    case Op::kRepInterleave:
    case Op::kRepSequence:
      Statements(e->stmts, e->op == Op::kRepSequence ? 'q' : 'r');
      Want(e->kids[0], types_.process);
      break;
    case Op::kRepAlphaParallel:
      Statements(e->stmts, 'r');
      Want(e->kids[1], events);
      Want(e->kids[0], types_.process);
      break;
    default:
      for (Expr* kid : e->kids) Want(kid, types_.process);
  }
  PopTo(mark);
  return types_.process;
}

bool Checker::HasNoEquality(Type* t, int depth) {
  t = types_.Prune(t);
  if (t->kind == K::kProc || t->kind == K::kFunction) return true;
  if (depth > 20 || t->kind == K::kDotable) return false;
  return std::any_of(t->args.begin(), t->args.end(), [&](Type* a) { return HasNoEquality(a, depth + 1); });
}

void Checker::Finish() {
  for (auto& [expr, type] : arguments_) expr->is_process = types_.Prune(type)->kind == K::kProc;
  for (const Need& need : equality_) {
    if (HasNoEquality(need.type, 0)) {
      Report(need.span, fmt::format("values of type {} cannot be {}", types_.Show(need.type), need.what),
             "processes and functions have no equality");
    }
  }
  for (const Need& need : order_) {
    K kind = types_.Prune(need.type)->kind;
    bool bad = kind == K::kBool || kind == K::kProc || kind == K::kEvent || kind == K::kData || kind == K::kFunction ||
               kind == K::kDotable;
    if (bad) {
      Report(need.span, fmt::format("values of type {} have no order", types_.Show(need.type)),
             "numbers, characters, sequences, sets, maps and tuples have one");
    }
  }
}

}  // namespace heddle::csp
