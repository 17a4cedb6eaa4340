// Internal: the compiler of models. cat_compile.cpp resolves names and expressions, cat_compile_statements.cpp walks
// over the statements, cat_compile_kept.cpp finds out what may be kept and what coherence the model has.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "litmus/model/cat_compile.h"

namespace heddle::litmus {

class CatCompiler {
 public:
  explicit CatCompiler(const SourceMap& sources) : sources_(sources) {}
  Result<CatProgram> Run(const CatModel& model);

 private:
  struct Local {
    std::string name;
    int level;
  };

  Error Wrong(Span span, std::string message, std::string help = "") const;

  // Names.
  int AddNode(CatNode node);
  int AddSlot(CatSlot slot);
  int GlobalNode(int slot, Span span);
  Result<int> Name(const std::string& name, Span span);
  Error Undeclared(const std::string& name, Span span) const;
  int LocalNode(int depth, int level, Span span);
  int BaseSlot(const BaseName& base);

  // Expressions.
  int Finish(CatNode node);
  Result<int> Expr(const CatExpr& expr);
  Result<int> Try(const CatExpr& expr);
  Result<int> Plain(const CatExpr& expr);
  bool PartsClosed(const CatNode& node) const;
  Result<int> TagLiteral(const CatExpr& expr);
  int EnumTag(const std::string& name);
  Result<int> Function(const std::vector<std::string>& pattern, const CatExpr& body, Span span);
  Result<int> Curried(const CatBinding& binding, size_t from);
  Result<int> BindingValue(const CatBinding& binding);
  static std::vector<std::string> NamesOf(const CatBinding& binding);
  Result<int> Let(const CatExpr& expr);
  Result<int> Body(CatNode node, const CatExpr& expr, const std::vector<Local>& bound);
  Result<int> LetRec(const CatExpr& expr);
  Result<int> MatchTags(const CatExpr& expr);
  Result<int> MatchSet(const CatExpr& expr);

  // Statements; `inside`: of a forall.
  Status Statements(const std::vector<CatStatement>& statements, std::vector<CatStep>* inside);
  Status Statement(const CatStatement& statement, std::vector<CatStep>* inside);
  void Define(const std::vector<std::string>& names, int node);
  void Commit();
  Status TopLet(const CatStatement& statement);
  Status TopLetRec(const CatStatement& statement);
  void Raise(size_t first, const std::vector<int>& slots, int level);
  Status Check(const CatStatement& statement, std::vector<CatStep>* inside);
  std::vector<CatStep>& AtLevel(int level);
  Status Call(const CatStatement& statement, std::vector<CatStep>* inside);
  Status CallBody(const CatStatement& statement, const CatStatement& procedure, std::vector<CatStep>* inside);
  Result<int> Chosen(const CatStatement& statement);
  Status With(const CatStatement& statement, std::vector<CatStep>* inside);
  Status Forall(const CatStatement& statement, std::vector<CatStep>* inside);

  // What may be kept.
  void AddCaches();
  bool EndsInAccess(const CatNode& node) const;
  void UnionOf(int index, std::set<std::string>& names) const;
  int FindOwnCoherence() const;
  bool FindCoherent() const;

  const SourceMap& sources_;
  CatProgram program_;
  std::map<std::string, int, std::less<>> globals_;
  std::vector<std::pair<std::string, int>> pending_;
  std::map<std::string, const CatStatement*, std::less<>> procedures_;
  std::vector<Local> locals_;
  std::set<int> recursive_;
  int calls_ = 0;
};

}  // namespace heddle::litmus
