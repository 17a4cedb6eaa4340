// Replicated processes, renaming and links: what takes pairs or generators.
#include <fmt/format.h>

#include "csp/eval/for_each.h"

namespace heddle::csp {
namespace {

// In a link every event has one partner.
void CheckLinks(Evaluator& evaluator, std::span<const Value> pairs, Span span) {
  std::vector<Value> suffix;
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (size_t j = i + 2; j < pairs.size(); j += 2) {
      bool twice = evaluator.Suffix(pairs[i], pairs[j], suffix) || evaluator.Suffix(pairs[j], pairs[i], suffix);
      if (twice) evaluator.Fail(span, fmt::format("`{}` is linked twice", evaluator.Show(pairs[j])));
    }
  }
}

}  // namespace

Value Evaluator::EvalReplicated(const Expr* e, Value* env) {
  std::vector<Value> bodies;
  std::vector<Value> alphabets;
  ForEach(e->stmts, 0, env, [&] {
    CheckDepth(e->span);
    if (e->op == Op::kRepAlphaParallel) alphabets.push_back(EvalEventSet(e->kids[1], env));
    bool late = e->op == Op::kRepInt || e->op == Op::kRepSequence;
    bodies.push_back(late ? Late(e->kids[0], env) : EvalForced(e->kids[0], env));
  });
  switch (e->op) {
    case Op::kRepExt:
      if (bodies.size() == 1) return bodies[0];
      return bodies.empty() ? Process(ProcOp::kStop) : Process(ProcOp::kExt, bodies);
    case Op::kRepInt:
      if (bodies.empty()) Fail(e->span, "a replicated `|~|` over an empty set", "it needs at least one process");
      return bodies.size() == 1 ? Force(bodies[0]) : Process(ProcOp::kInt, bodies);
    case Op::kRepSequence: {
      if (bodies.empty()) return Process(ProcOp::kSkip);
      Value result = bodies.back();
      for (size_t i = bodies.size() - 1; i-- > 0;) result = Process(ProcOp::kSequence, {bodies[i], result});
      return Force(result);
    }
    case Op::kRepSyncExt: {
      if (bodies.empty()) return e->number == 1 ? BuiltinConstant(Builtin::kTStop) : Process(ProcOp::kStop);
      Value set = EvalEventSet(e->kids[1], env);
      Value result = bodies[0];
      for (size_t i = 1; i < bodies.size(); ++i) result = Process(ProcOp::kSyncExt, {result, set, bodies[i]});
      return result;
    }
    case Op::kRepInterleave:
    case Op::kRepGenParallel: {
      Value set = e->op == Op::kRepInterleave ? store_.EmptySet() : EvalEventSet(e->kids[1], env);
      if (bodies.empty()) return e->number == 1 ? BuiltinConstant(Builtin::kTSkip) : Process(ProcOp::kSkip);
      if (bodies.size() == 1) return bodies[0];
      bodies.insert(bodies.begin(), set);
      return Process(e->number == 1 ? ProcOp::kTimedParallel : ProcOp::kParallel, bodies);
    }
    case Op::kRepLink: {
      if (bodies.empty()) Fail(e->span, "a replicated link over an empty sequence", "it needs at least one process");
      Value result = bodies[0];
      std::vector<Value> pairs = EvalPairs(e, 1, env);
      CheckLinks(*this, pairs, e->span);
      for (size_t i = 1; i < bodies.size(); ++i) {
        std::vector<Value> kids{result, bodies[i]};
        kids.insert(kids.end(), pairs.begin(), pairs.end());
        result = Process(ProcOp::kLink, kids);
      }
      return result;
    }
    default: {
      if (bodies.empty()) return e->number == 1 ? BuiltinConstant(Builtin::kTSkip) : Process(ProcOp::kSkip);
      std::vector<Value> kids;
      for (size_t i = 0; i < bodies.size(); ++i) {
        kids.push_back(alphabets[i]);
        kids.push_back(bodies[i]);
      }
      return Process(e->number == 1 ? ProcOp::kTimedAlphabet : ProcOp::kAlphabet, kids);
    }
  }
}

// The pairs from kid `first` on, without repetition, in the order of values.
std::vector<Value> Evaluator::EvalPairs(const Expr* e, size_t first, Value* env) {
  std::vector<Value> pairs;
  for (size_t i = first; i < e->kids.size(); i += 2) {
    Value pair[2] = {Eval(e->kids[i], env), Eval(e->kids[i + 1], env)};
    pairs.push_back(store_.Tuple(pair));
  }
  std::vector<Value> flat;
  for (Value pair : store_.Set(std::move(pairs))->kids()) {
    flat.push_back(pair->kid(0));
    flat.push_back(pair->kid(1));
  }
  return flat;
}

Value Evaluator::EvalRename(const Expr* e, Value* env) {
  size_t first = e->op == Op::kRename ? 1 : 2;
  std::vector<Value> kids;
  for (size_t i = 0; i < first; ++i) kids.push_back(EvalForced(e->kids[i], env));
  std::vector<Value> pairs;
  ForEach(e->stmts, 0, env, [&] {
    for (size_t i = first; i < e->kids.size(); i += 2) {
      Value pair[2] = {Eval(e->kids[i], env), Eval(e->kids[i + 1], env)};
      pairs.push_back(store_.Tuple(pair));
    }
  });
  Value set = store_.Set(std::move(pairs));
  if (e->op == Op::kRename) {
    // The pairs identify the renaming whatever process it is applied to.
    if (!set->kids().empty()) relations_[set].span = e->kids[1]->span;
    kids.push_back(set);
    return Process(ProcOp::kRename, kids);
  }
  for (Value pair : set->kids()) {
    kids.push_back(pair->kid(0));
    kids.push_back(pair->kid(1));
  }
  CheckLinks(*this, std::span<const Value>(kids).subspan(first), e->span);
  return Process(ProcOp::kLink, kids);
}

}  // namespace heddle::csp
