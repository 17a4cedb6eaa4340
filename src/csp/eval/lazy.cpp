// Sequences that are computed as far as they are needed.
//
// Evaluation is strict, which is fast and lets equal values be one object; CSP_M is lazy, and scripts use that for
// endless sequences: `<x | x <- <0..>, prime(x)>`, `from(n) = <n>^from(n+1)`. So the right side of `^` is evaluated at
// once, but only to a depth of kEager right sides inside each other: a sequence that recursion builds and that is
// longer than that (or has no end) becomes its first items and a closure. A comprehension over a sequence without a
// known end takes one item at a time. `head`, `tail`, `null`, `elem`, `^`, comprehensions and patterns `<x>^s` look no
// further than they must. Wherever a sequence becomes part of another value, is compared or counted, it is computed to
// its end (Finite); a process takes those that end soon as plain sequences, so that its states are found again
// (Settle).
//
// Differs from FDR: a sequence inside a tuple or a set is computed to its end. Tested by tests/csp/right/lazy.txt.
#include <fmt/format.h>

#include "csp/eval/activation.h"
#include "csp/eval/for_each.h"

namespace heddle::csp {
namespace {

constexpr size_t kEager = 256;
constexpr size_t kSettled = 4096;

LazyKind LazyOf(Value v) { return static_cast<LazyKind>(v->number); }

bool IsSequence(Value v) { return v->kind == Kind::kSeq || v->kind == Kind::kSeqFrom || v->kind == Kind::kLazySeq; }

}  // namespace

Value Evaluator::JoinSequences(Value left, Value right, Span span) {
  if (!IsSequence(left) || !IsSequence(right)) Fail(span, "`^` joins two sequences");
  auto lazy = [&](LazyKind kind) {
    return store_.Make(Kind::kLazySeq, static_cast<int64_t>(kind), nullptr, {left, right});
  };
  if (left->kind == Kind::kSeqFrom) return left;
  if (left->kind == Kind::kLazySeq) return lazy(LazyKind::kAppend);
  if (left->count == 0) return right;
  if (right->kind != Kind::kSeq) return lazy(LazyKind::kFront);
  CheckLimits(1 + (left->count + right->count) / 64);
  if (left->count + right->count > kMaxSet) Fail(span, fmt::format("a sequence of more than {} items", kMaxSet));
  std::vector<Value> items(left->kids().begin(), left->kids().end());
  items.insert(items.end(), right->kids().begin(), right->kids().end());
  return store_.Seq(items);
}

Value Evaluator::EvalConcat(const Expr* e, Value* env) {
  Value left = Eval(e->kids[0], env);
  const Unit& unit = *e->unit;
  if (eager_ >= kEager) {
    std::vector<Value> captured;
    for (const Capture& capture : unit.captures) captured.push_back(env[capture.from]);
    Value late = store_.Make(Kind::kLazySeq, static_cast<int64_t>(LazyKind::kLate), &unit, captured);
    return JoinSequences(left, late, e->span);
  }
  struct Depth {
    explicit Depth(size_t& counter) : counter_(counter) { ++counter_; }
    ~Depth() { --counter_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    size_t& counter_;
  } depth(eager_);
  Activation activation(*this, unit.slots, e->span);
  for (const Capture& capture : unit.captures) activation.slots()[capture.to] = env[capture.from];
  return JoinSequences(left, Eval(unit.body, activation.slots()), e->span);
}

Value Evaluator::LazyOver(const Expr* e, Value source, std::span<const Value> captured) {
  std::vector<Value> kids{source};
  kids.insert(kids.end(), captured.begin(), captured.end());
  return store_.Make(Kind::kLazySeq, static_cast<int64_t>(LazyKind::kOver), e, kids);
}

// A sequence comprehension: `env` is where it stands.
Value Evaluator::EvalSequenceOf(const Expr* e, Value* env) {
  std::vector<Value> captured;
  for (const Capture& capture : e->unit->captures) captured.push_back(env[capture.from]);
  Activation activation(*this, e->unit->slots, e->span);
  activation.Load(*e->unit, captured);
  env = activation.slots();
  size_t at = 0;  // conditions before the first generator do not depend on it
  for (; at < e->stmts.size() && e->stmts[at].pattern == nullptr; ++at) {
    if (!EvalBool(e->stmts[at].value, env)) return store_.Seq({});
  }
  if (at == e->stmts.size() || e->number == 1) return EvalComprehension(e, env);
  Value source = Eval(e->stmts[at].value, env);
  if (source->kind == Kind::kSeqFrom || source->kind == Kind::kLazySeq) return LazyOver(e, source, captured);
  std::vector<Value> items;
  for (Value item : Finite(source, e->stmts[at].value->span)->kids()) {
    if (Match(e->stmts[at].pattern, item, env)) AddItems(e, at + 1, env, items);
  }
  return store_.Seq(items);
}

void Evaluator::AddItems(const Expr* e, size_t at, Value* env, std::vector<Value>& items) {
  ForEach(e->stmts, at, env, [&] {
    CheckDepth(e->span);
    if (items.size() > kMaxSet) Fail(e->span, "this comprehension has too many elements");
    for (const Expr* kid : e->kids) items.push_back(Strict(Eval(kid, env), kid->span));
  });
}

// The next items of a comprehension over a sequence without a known end, and then more of the same.
Value Evaluator::NextOfComprehension(Value lazy) {
  const Expr* e = static_cast<const Expr*>(lazy->ptr);
  size_t generator = 0;
  while (e->stmts[generator].pattern == nullptr) ++generator;
  Activation activation(*this, e->unit->slots, e->span);
  activation.Load(*e->unit, lazy->kids().subspan(1));
  Value* env = activation.slots();
  Value rest = lazy->kid(0);
  Value item = nullptr;
  std::vector<Value> items;
  while (TakeFirst(rest, item, rest)) {
    CheckLimits();
    if (!Match(e->stmts[generator].pattern, item, env)) continue;
    AddItems(e, generator + 1, env, items);
    if (!items.empty()) return JoinSequences(store_.Seq(items), LazyOver(e, rest, lazy->kids().subspan(1)), e->span);
  }
  return store_.Seq({});
}

// The same sequence as a kSeq, a kSeqFrom, or a kFront.
Value Evaluator::Reveal(Value v) {
  while (v->kind == Kind::kLazySeq && LazyOf(v) != LazyKind::kFront) {
    if (v->memo != nullptr) {
      v = static_cast<Value>(v->memo);
      continue;
    }
    size_t outer = std::exchange(eager_, 0);
    Value next = nullptr;
    if (LazyOf(v) == LazyKind::kLate) {
      const Unit& unit = *static_cast<const Unit*>(v->ptr);
      CheckDepth(unit.body->span);
      Activation activation(*this, unit.slots, unit.body->span);
      activation.Load(unit, v->kids());
      next = Eval(unit.body, activation.slots());
    } else if (LazyOf(v) == LazyKind::kOver) {
      next = NextOfComprehension(v);
    } else {
      Value head = nullptr;
      Value tail = nullptr;
      next = v->kid(1);
      if (TakeFirst(v->kid(0), head, tail)) {
        next = JoinSequences(store_.Seq(std::span<const Value>(&head, 1)), JoinSequences(tail, next, {}), {});
      }
    }
    eager_ = outer;
    v->memo = const_cast<Node*>(next);
    v = next;
  }
  return v;
}

bool Evaluator::TakeFirst(Value sequence, Value& head, Value& tail) {
  Value v = Reveal(sequence);
  if (v->kind == Kind::kSeqFrom) {
    head = store_.Int(v->number);
    tail = store_.Make(Kind::kSeqFrom, v->number + 1, nullptr, {});
    return true;
  }
  bool front = v->kind == Kind::kLazySeq;
  std::span<const Value> items = front ? v->kid(0)->kids() : v->kids();
  if (items.empty()) return false;
  head = items[0];
  Value left = store_.Seq(items.subspan(1));
  tail = front ? JoinSequences(left, v->kid(1), {}) : left;
  return true;
}

Value Evaluator::Finite(Value sequence, Span span) {
  if (sequence->kind == Kind::kSeq) return sequence;
  if (!IsSequence(sequence)) Fail(span, fmt::format("expected a sequence, found `{}`", Show(sequence)));
  std::vector<Value> items;
  Value v = Reveal(sequence);
  while (v->kind == Kind::kLazySeq) {
    CheckLimits();
    items.insert(items.end(), v->kid(0)->kids().begin(), v->kid(0)->kids().end());
    if (items.size() > kMaxSet) Fail(span, fmt::format("a sequence of more than {} items", kMaxSet));
    v = Reveal(v->kid(1));
  }
  if (v->kind == Kind::kSeqFrom) Fail(span, fmt::format("the sequence `{}` is infinite", Show(v)));
  items.insert(items.end(), v->kids().begin(), v->kids().end());
  return store_.Seq(items);
}

// A plain sequence when it ends soon, else as it is.
Value Evaluator::Settle(Value sequence) {
  std::vector<Value> items;
  Value v = Reveal(sequence);
  while (v->kind == Kind::kLazySeq && items.size() <= kSettled) {
    items.insert(items.end(), v->kid(0)->kids().begin(), v->kid(0)->kids().end());
    v = Reveal(v->kid(1));
  }
  if (v->kind != Kind::kSeq) return sequence;
  items.insert(items.end(), v->kids().begin(), v->kids().end());
  return store_.Seq(items);
}

}  // namespace heddle::csp
