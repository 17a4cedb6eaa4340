// The timed forms of the operators, as trees of the untimed ones (Roscoe, "Understanding Concurrent Systems",
// chapter 15: tock-CSP as a timed section writes it).
//
// A prefix waits for its event while time passes, and after it lets its time pass: it gets a third kid, the pair of the
// timing function and tock. Parallel operators synchronise on tock and their sides terminate together, choices and
// interrupts let it pass without being resolved, STOP and SKIP become TSTOP and TSKIP, `b & P` becomes an `if` with
// TSTOP. Everything else stays.
#include "csp/syntax/timed.h"

#include <utility>

namespace heddle::csp {
namespace {

class Rewriter {
 public:
  Rewriter(Ast& ast, std::string timing) : ast_(ast), timing_(std::move(timing)) {}

  void Declaration(Decl* decl) {
    for (Clause& clause : decl->clauses) Visit(clause.body);
  }
  Untimed unsupported() const { return unsupported_; }

 private:
  Expr* Name(const std::string& text, Span span) {
    Expr* e = ast_.NewExpr(Op::kName, span);
    e->text = text;
    return e;
  }

  // Not what the script may have declared under this name.
  Expr* Builtin(const std::string& name, Span span) { return Name(kBuiltinMark + name, span); }

  Expr* Make(Op op, Span span, std::vector<Expr*> kids) {
    Expr* e = ast_.NewExpr(op, span);
    e->kids = std::move(kids);
    return e;
  }

  Expr* OnlyTock(Span span) { return Make(Op::kSet, span, {Name("tock", span)}); }
  Expr* WithTock(Expr* set) {
    return Make(Op::kApply, set->span, {Builtin("union", set->span), set, OnlyTock(set->span)});
  }

  void Become(Expr* e, Op op) {
    e->op = op;
    e->kids.insert(e->kids.begin() + 1, OnlyTock(e->span));
  }

  void Visit(Expr* e) {
    for (Stmt& stmt : e->stmts) Visit(stmt.value);
    for (Field& field : e->fields) {
      if (field.kind == '!' || field.kind == '.') Visit(field.expr);
    }
    for (Decl* decl : e->decls) Declaration(decl);
    size_t patterns = e->op == Op::kLambda ? e->kids.size() - 1 : 0;
    for (size_t i = patterns; i < e->kids.size(); ++i) Visit(e->kids[i]);
    Rewrite(e);
  }

  void Refuse(const Expr* e, bool choice) {
    if (unsupported_.span.end == 0) unsupported_ = {e->span, choice};
  }

  void Rewrite(Expr* e) {
    switch (e->op) {
      case Op::kName:
        if (e->text == "STOP" || e->text == "SKIP") e->text = kBuiltinMark + ("T" + e->text);
        return;
      case Op::kPrefix:
        // When the value is chosen, before time passes or with the event, is not said.
        for (const Field& field : e->fields) {
          if (field.kind == '$') Refuse(e, true);
        }
        e->kids.push_back(Make(Op::kTuple, e->span, {Name(timing_, e->span), Name("tock", e->span)}));
        return;
      case Op::kGuard:
        e->op = Op::kIf;
        e->kids.push_back(Builtin("TSTOP", e->span));
        return;
      case Op::kExtChoice:
        return Become(e, Op::kSyncExt);
      case Op::kInterrupt:
        return Become(e, Op::kSyncInterrupt);
      case Op::kInterleave:
        e->number = 1;
        return Become(e, Op::kGenParallel);
      case Op::kRepExt:
        e->number = 1;
        return Become(e, Op::kRepSyncExt);
      case Op::kRepInterleave:
        e->number = 1;
        return Become(e, Op::kRepGenParallel);
      case Op::kSyncExt:
      case Op::kSyncInterrupt:
        e->kids[1] = WithTock(e->kids[1]);
        return;
      case Op::kGenParallel:
      case Op::kRepGenParallel:
      case Op::kRepSyncExt:
      case Op::kRepAlphaParallel:
        e->number = 1;
        e->kids[1] = WithTock(e->kids[1]);
        return;
      case Op::kAlphaParallel:
        e->number = 1;
        e->kids[1] = WithTock(e->kids[1]);
        e->kids[2] = WithTock(e->kids[2]);
        return;
      case Op::kLinkParallel:
      case Op::kRepLink:
        return Refuse(e, false);
      default:
        return;
    }
  }

  Ast& ast_;
  std::string timing_;
  Untimed unsupported_;
};

}  // namespace

Untimed RewriteTimed(Ast& ast, const std::vector<Decl*>& decls, const std::string& timing) {
  Rewriter rewriter(ast, timing);
  for (Decl* decl : decls) rewriter.Declaration(decl);
  return rewriter.unsupported();
}

}  // namespace heddle::csp
