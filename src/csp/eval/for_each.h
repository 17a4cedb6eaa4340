// The generators and conditions of a comprehension or a replicated process; private to src/csp/eval.
#pragma once

#include "csp/eval/evaluator.h"

namespace heddle::csp {

template <typename Body>
void Evaluator::ForEach(const std::vector<Stmt>& stmts, size_t at, Value* env, const Body& body) {
  if (at == stmts.size()) return body();
  const Stmt& stmt = stmts[at];
  if (stmt.pattern == nullptr) {
    if (EvalBool(stmt.value, env)) ForEach(stmts, at + 1, env, body);
    return;
  }
  Value source = Eval(stmt.value, env);
  std::vector<Value> items;
  if (source->kind == Kind::kSeq) {
    items.assign(source->kids().begin(), source->kids().end());
  } else if (IsSet(source)) {
    items = Elements(source, stmt.value->span);
  } else {
    Value all = Finite(source, stmt.value->span);
    items.assign(all->kids().begin(), all->kids().end());
  }
  for (Value item : items) {
    CheckLimits();
    if (Match(stmt.pattern, item, env)) ForEach(stmts, at + 1, env, body);
  }
}

}  // namespace heddle::csp
