// The type checker; private to src/csp/syntax. Declarations are taken in groups that depend on each other, the groups
// in order of dependence, so that a function is generalised before others use it.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "csp/syntax/typecheck.h"
#include "csp/syntax/types.h"

namespace heddle::csp {

// The names that a pattern binds, and whether a declaration binds its names.
void PatternNames(const Expr* p, std::vector<std::string>& out);
bool Binds(const Decl* decl);

class Checker {
 public:
  Checker(const std::vector<KnownName>& known, std::vector<Diagnostic>& diagnostics);
  void Script(Ast& ast, Expr* extra);
  void set_partial(bool partial) { partial_ = partial; }

 private:
  struct Binding {
    std::string name;
    Type* type;
    bool constant = false;  // a channel or constructor: in a pattern it stands for itself
  };

  // Declarations (checker_decl.cpp).
  void Group(const std::vector<Decl*>& decls, bool top);
  void CheckLetNames(const std::vector<Decl*>& decls);
  std::vector<std::vector<Decl*>> Components(const std::vector<Decl*>& decls);
  void Declare(Decl* decl);
  void Infer(Decl* decl);
  void InferFunction(Decl* decl);
  Type* UseParameterTypes(const std::vector<Type*>& parameters, Type* annotated);
  void PatternBinding(Decl* decl, Type* type);
  void NamedBinding(Decl* decl, const Clause& clause, Type* type, Type* wanted);
  void UseAnnotation(const std::string& name);
  void CheckKnownFields(const Decl* decl);
  void InferFields(Expr* type_expr, std::vector<Type*>& out);
  Type* SetElement(Expr* e);
  void CheckAssertion(const Assertion& assertion);
  void CheckTock(Span section);
  void Annotate(const std::vector<Decl*>& decls);
  Type* FromAnnotation(const Expr* e, std::map<std::string, Type*>& vars);
  Type* FromScheme(const Expr* e, bool rigid);
  void CollectAnnotations(const std::vector<Decl*>& decls, std::map<std::string, const Decl*>& out);
  void DeclareTransparent(const Decl* decl);

  // Expressions (checker.cpp).
  Type* Of(Expr* e);
  Type* OfName(Expr* e);
  Type* OfApply(Expr* e);
  Type* OfLambda(Expr* e);
  Type* OfLet(Expr* e);
  Type* OfPrefix(Expr* e);
  Type* OfCompare(Expr* e);
  Type* OfChannels(Expr* e);
  Type* OfProcess(Expr* e);
  Type* Elements(Expr* e, Type* (Types::*wrap)(Type*), bool need_eq);
  void Statements(std::vector<Stmt>& stmts, char wants);  // 's' sets, 'q' sequences
  Type* PatternType(Expr* p);
  void Yields(Expr* old_event, Expr* new_event);
  void CheckDistinct(const std::vector<Expr*>& patterns);
  void Want(Expr* e, Type* type);
  void Require(Expr* e, Type* found, Type* expected);

  Type* Instantiate(Type* t, std::unordered_map<Type*, Type*>& map);
  void Report(Span span, std::string message, std::string help = {});
  void Need(Span span, Type* type, TypeClasses classes, const char* what);
  void Finish();

  const std::vector<KnownName>& known_;
  std::vector<Diagnostic>& diagnostics_;
  Types types_;
  Ast annotation_ast_;
  std::unordered_map<std::string, std::vector<Binding>> scope_;  // innermost last
  std::vector<std::string> scope_order_;
  std::map<std::string, const Decl*> data_types_;
  std::set<std::string> constants_;  // all channels and constructors
  std::unordered_map<std::string, Type*> builtins_;
  std::unordered_map<std::string, char> groups_;
  std::set<std::string> allowed_;
  std::vector<std::pair<Expr*, Type*>> arguments_;
  std::map<std::string, Type*> type_scope_;   // the type variables of the annotations around
  std::map<std::string, Type*> scheme_vars_;  // those of the newest FromScheme
  bool partial_ = false;
  std::map<std::string, const Decl*> annotations_;  // of the declarations that are being checked
  int level_ = 1;

  void Push(const std::string& name, Type* type, bool constant = false);
  void PopTo(size_t mark);
  const Binding* Lookup(const std::string& name) const;
  void Generalise(Type* t, int depth);
  void GeneraliseAll(Type* t);
};

}  // namespace heddle::csp
