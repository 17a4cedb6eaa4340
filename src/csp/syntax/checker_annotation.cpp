// Type annotations: what they say, and whether what they annotate fits.
#include <fmt/format.h>

#include <algorithm>

#include "base/near.h"
#include "csp/syntax/checker.h"
#include "csp/syntax/parser.h"

namespace heddle::csp {

using K = Type::Kind;

// A whole annotation: its classes are the root's `stmts`, a class and a variable each. With `rigid` its variables
// stand for types that nothing more is known of.
Type* Checker::FromScheme(const Expr* e, bool rigid) {
  std::map<std::string, TypeClasses> classes;
  for (const Stmt& stmt : e->stmts) {
    static const std::map<std::string, TypeClasses> known = {
        {"Eq", kComparable}, {"Ord", kOrdered}, {"Set", kSettable}, {"Complete", kComplete}, {"Yieldable", kYieldable}};
    auto it = known.find(stmt.pattern->text);
    if (it == known.end()) {
      Report(stmt.pattern->span, fmt::format("unknown class `{}`", stmt.pattern->text),
             "the classes are Complete, Eq, Ord, Set and Yieldable");
      continue;
    }
    classes[stmt.value->text] |= it->second;
  }
  std::map<std::string, Type*> vars;
  std::function<void(const Expr*)> prepare = [&](const Expr* part) {
    bool variable =
        part->op == Op::kName && part->text[0] >= 'a' && part->text[0] <= 'z' && data_types_.count(part->text) == 0;
    auto outer = type_scope_.find(part->text);
    if (variable && outer != type_scope_.end()) {
      vars[part->text] = outer->second;
    } else if (variable && vars.count(part->text) == 0) {
      TypeClasses of = classes.count(part->text) != 0 ? classes[part->text] : 0;
      vars[part->text] = rigid ? types_.Rigid(part->text, of) : types_.Var(level_, of);
    }
    for (const Expr* kid : part->kids) prepare(kid);
  };
  prepare(e);
  Type* type = FromAnnotation(e, vars);
  scheme_vars_ = std::move(vars);
  return type;
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
    case Op::kNeg:
      // `a =>* B`: any number of fields before B.
      if (kids[0]->kind != K::kVar && kids[0]->kind != K::kRigid) {
        Report(e->kids[0]->span, fmt::format("expected a type variable before `=>*`, found {}", types_.Show(kids[0])),
               "it stands for however many fields are missing");
      }
      return types_.Extendable(level_, kids[1]);
    default:
      // `A => B`: one more field in front of what B takes.
      return types_.Dotable({kids[0]}, kids[1]);
  }
}

void Checker::CollectAnnotations(const std::vector<Decl*>& decls, std::map<std::string, const Decl*>& out) {
  for (const Decl* decl : decls) {
    if (decl->kind != DeclKind::kAnnotation) continue;
    for (size_t i = 0; i < decl->names.size(); ++i) {
      if (out.emplace(decl->names[i], decl).second) continue;
      Report(decl->name_spans[i], fmt::format("the type of `{}` is declared twice", decl->names[i]));
    }
  }
}

// Annotations of what is not a function or a value with a name: they must fit.
void Checker::Annotate(const std::vector<Decl*>& decls) {
  std::set<std::string> named;
  std::set<std::string> here;
  std::set<std::string> together;  // channels that are declared with others
  for (const Decl* decl : decls) {
    if (decl->kind == DeclKind::kBinding && decl->pattern == nullptr) named.insert(decl->names[0]);
    if (decl->kind == DeclKind::kBinding && decl->pattern != nullptr) {
      std::vector<std::string> names;
      PatternNames(decl->pattern, names);
      here.insert(names.begin(), names.end());
    }
    if (decl->kind == DeclKind::kChannel && decl->names.size() > 1) {
      together.insert(decl->names.begin(), decl->names.end());
    }
    if (Binds(decl)) here.insert(decl->names.begin(), decl->names.end());
    for (const Constructor& c : decl->constructors) here.insert(c.name);
  }
  for (const Decl* decl : decls) {
    if (decl->kind != DeclKind::kAnnotation) continue;
    for (size_t i = 0; i < decl->names.size(); ++i) {
      const Binding* binding = Lookup(decl->names[i]);
      if (binding == nullptr || here.count(decl->names[i]) == 0) {
        Report(decl->name_spans[i], fmt::format("`{}` has a type but no declaration", decl->names[i]));
        continue;
      }
      if (named.count(decl->names[i]) != 0) continue;
      if (together.count(decl->names[i]) != 0) {
        Report(decl->name_spans[i], fmt::format("`{}` has a type and is declared together with others", decl->names[i]),
               "declare it by itself");
        continue;
      }
      std::unordered_map<Type*, Type*> map;
      Type* inferred = Instantiate(binding->type, map);
      std::string shown = types_.Show(inferred);
      if (types_.Unify(inferred, FromScheme(decl->type, true))) continue;
      Report(decl->type->span, fmt::format("`{}` has the type {}, not the one declared here", decl->names[i], shown));
    }
  }
}

}  // namespace heddle::csp
