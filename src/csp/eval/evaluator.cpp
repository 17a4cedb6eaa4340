#include "csp/eval/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "csp/eval/activation.h"
#include "csp/eval/for_each.h"
#include "csp/large_stack.h"

namespace heddle::csp {
namespace {

constexpr size_t kChainShown = 8;

}  // namespace

Evaluator::Evaluator(const SourceMap& sources, const Globals& globals)
    : sources_(sources),
      globals_(globals),
      events_(kFirstEvent, nullptr),
      stack_(std::make_unique_for_overwrite<Value[]>(kSlots)) {
  root_frame_ = store_.Make(Kind::kFrame, 0, this, {});
}

Evaluator::~Evaluator() = default;

ScriptError Evaluator::Failure(Span span, std::string message, std::string help) {
  ScriptError error;
  error.diagnostic.span = span;
  error.diagnostic.message = std::move(message);
  error.diagnostic.help = std::move(help);
  size_t shown = 0;
  for (size_t i = calls_.size(); i-- > 0;) {
    Diagnostic note;
    note.severity = Severity::kNote;
    note.span = calls_[i].span;
    if (shown++ == kChainShown) {
      note.message = fmt::format("and {} calls more", i + 1);
      error.diagnostic.notes.push_back(note);
      break;
    }
    std::string args;
    for (Value list : calls_[i].args) args += Show(list);
    if (args.size() > 80) args = args.substr(0, 77) + "...";
    note.message =
        fmt::format("in `{}{}`", calls_[i].decl->names.empty() ? "a pattern" : calls_[i].decl->names[0], args);
    error.diagnostic.notes.push_back(note);
  }
  AboutToThrow();
  return error;
}

void Evaluator::Fail(Span span, std::string message, std::string help) {
  throw Failure(span, std::move(message), std::move(help));
}

void Evaluator::FailTooDeep(Span span, std::string message) { throw TooDeep{Failure(span, std::move(message), {})}; }

void Evaluator::CheckDepth(Span span) {
  // Not the address of a local: the address sanitizer may keep locals elsewhere.
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  if (stack_base_ == nullptr) stack_base_ = here;
  size_t used = static_cast<size_t>(std::abs(stack_base_ - here));
  if (used > kUsableStack) FailTooDeep(span, "infinite recursion: the stack is full");
  CheckLimits();
}

void Evaluator::CheckLimits(size_t work) {
  uint64_t before = ticks_ >> 10;
  ticks_ += work;
  if (ticks_ >> 10 != before && interrupt_) interrupt_();
}

Value Evaluator::EvalClosed(const Expr* expr) {
  stack_base_ = static_cast<const char*>(__builtin_frame_address(0));
  calls_.clear();
  stack_top_ = 0;
  eager_ = 0;
  Activation activation(*this, expr->late_unit->slots, expr->span);
  return Strict(Eval(expr, activation.slots()), expr->span);
}

Value Evaluator::EvalProcess(const Expr* expr) { return Force(EvalClosed(expr)); }

Value Evaluator::Close(Unit* unit, Kind kind, int64_t number, Value* env) {
  Value small[16];
  std::vector<Value> large;
  Value* kids = small;
  if (unit->captures.size() > 16) {
    large.resize(unit->captures.size());
    kids = large.data();
  }
  for (size_t i = 0; i < unit->captures.size(); ++i) {
    kids[i] = env[unit->captures[i].from];
    // Two states are one when their values are: what has an end is brought to it.
    if (kind == Kind::kProcess && kids[i]->kind == Kind::kLazySeq) kids[i] = Settle(kids[i]);
  }
  return store_.Make(kind, number, unit, std::span<const Value>(kids, unit->captures.size()));
}

Value Evaluator::Late(const Expr* e, Value* env) {
  // A constant needs no closure: it evaluates to the same thing now, and cannot fail or loop.
  if (e->op == Op::kName && e->ref == Ref::kBuiltin) return Eval(e, env);
  if (e->op == Op::kName && e->ref == Ref::kLocal) {
    // Its own slot is one of the closure; here the variable is where the closure captures it from.
    Value value = env[e->late_unit->captures[0].from];
    if (value->kind == Kind::kProcess) return value;
  }
  return Close(e->late_unit, Kind::kProcess, static_cast<int64_t>(ProcOp::kLate), env);
}

bool Evaluator::EvalBool(const Expr* e, Value* env) {
  Value v = Eval(e, env);
  if (v->kind != Kind::kBool) Fail(e->span, fmt::format("expected a Bool, found `{}`", Show(v)));
  return v->number != 0;
}

int64_t Evaluator::EvalInt(const Expr* e, Value* env) {
  Value v = Eval(e, env);
  if (v->kind != Kind::kInt) Fail(e->span, fmt::format("expected an Int, found `{}`", Show(v)));
  return v->number;
}

Value Evaluator::EvalSet(const Expr* e, Value* env) {
  Value v = Eval(e, env);
  if (!IsSet(v)) Fail(e->span, fmt::format("expected a set, found `{}`", Show(v)));
  return v;
}

Value Evaluator::Eval(const Expr* e, Value* env) {
  switch (e->op) {
    case Op::kInt:
      return store_.Int(e->number);
    case Op::kBool:
      return store_.Bool(e->number != 0);
    case Op::kChar:
      return store_.Char(e->number);
    case Op::kString:
      return store_.String(e->text);
    case Op::kName:
      return EvalName(e, env);
    case Op::kWildcard:
      Fail(e->span, "`_` is only allowed in patterns");
    case Op::kApply:
      return EvalApply(e, env);
    case Op::kIf:
      return Eval(EvalBool(e->kids[0], env) ? e->kids[1] : e->kids[2], env);
    case Op::kLet:
      return EvalLet(e, env);
    case Op::kLambda:
      return Close(e->unit, Kind::kLambda, reinterpret_cast<intptr_t>(e), env);
    case Op::kAnd:
      return store_.Bool(EvalBool(e->kids[0], env) && EvalBool(e->kids[1], env));
    case Op::kOr:
      return store_.Bool(EvalBool(e->kids[0], env) || EvalBool(e->kids[1], env));
    case Op::kNot:
      return store_.Bool(!EvalBool(e->kids[0], env));
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kGt:
    case Op::kLe:
    case Op::kGe:
      return EvalCompare(e, env);
    case Op::kNeg:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMod:
      return EvalArithmetic(e, env);
    case Op::kSeqFrom:
    case Op::kSetFrom:
      return EvalRange(e, env);
    case Op::kConcat:
      return EvalConcat(e, env);
    case Op::kSeqComp:
      return EvalSequenceOf(e, env);
    case Op::kSetComp:
    case Op::kChanComp:
      return EvalComprehension(e, env);
    case Op::kBothPatterns:
      Fail(e->span, "`@@` is only allowed in patterns");
    default:
      break;
  }
  if (e->op >= Op::kPrefix) return EvalProcessOp(e, env);
  std::vector<Value> parts;
  parts.reserve(e->kids.size());
  for (const Expr* kid : e->kids) parts.push_back(Strict(Eval(kid, env), kid->span));
  switch (e->op) {
    case Op::kTuple:
      return store_.Tuple(parts);
    case Op::kSeq:
      return store_.Seq(parts);
    case Op::kSet:
      return store_.Set(std::move(parts));
    case Op::kChanSet:
      return store_.Symbolic(SetKind::kProductions, store_.Set(std::move(parts))->kids());
    case Op::kDot: {
      Value value = store_.Dot(parts);
      if (Atoms(value)[0]->kind != Kind::kGlobal || value->tag != 0) return value;
      // A whole event or value must be one of its channel's or constructor's. An event gets no number here: those
      // follow the order of first use.
      std::vector<Value> missing;
      bool whole = Missing(Atoms(value), missing) && missing.empty();
      if (whole && !IsInside(value)) FailOutside(value, e->span);
      return value;
    }
    case Op::kMap: {
      std::vector<std::pair<Value, Value>> entries;
      for (size_t i = 0; i < parts.size(); i += 2) entries.emplace_back(parts[i], parts[i + 1]);
      return store_.Map(std::move(entries));
    }
    case Op::kLength:
      if (parts[0]->kind != Kind::kSeq) Fail(e->span, "`#` takes a sequence");
      return store_.Int(parts[0]->count);
    default:
      Fail(e->span, "this cannot be evaluated");
  }
}

Value Evaluator::EvalName(const Expr* e, Value* env) {
  switch (e->ref) {
    case Ref::kLocal:
      return Needed(env[e->slot]);
    case Ref::kLetBound:
      return FrameLookup(env[e->slot], e->index, e->span);
    case Ref::kGlobal:
      return GlobalValue(e->index, e->span);
    case Ref::kConstant:
      return store_.Make(Kind::kGlobal, e->index, nullptr, {});
    case Ref::kBuiltin:
      return BuiltinConstant(static_cast<Builtin>(e->index));
    default:
      Fail(e->span, fmt::format("`{}` has no value here", e->text));
  }
}

Value Evaluator::EvalApply(const Expr* e, Value* env) {
  Value function = Eval(e->kids[0], env);
  std::vector<Value> args;
  args.reserve(e->kids.size() - 1);
  for (size_t i = 1; i < e->kids.size(); ++i) {
    const Expr* kid = e->kids[i];
    bool lazy = function->kind == Kind::kFunction || function->kind == Kind::kLambda;
    args.push_back(kid->is_process ? Late(kid, env) : lazy ? Argument(kid, env) : Eval(kid, env));
  }
  return Call(function, args, e->span);
}

// In CSP_M an argument that is not needed may be without a value: its error waits until somebody looks at it.
Value Evaluator::Argument(const Expr* e, Value* env) {
  size_t eager = eager_;
  try {
    return Eval(e, env);
  } catch (const TooDeep&) {
    throw;  // Trying the arguments beside it could take for ever.
  } catch (const ScriptError& error) {
    eager_ = eager;
    auto same = [&](const ScriptError& other) {
      return other.diagnostic.span.begin == error.diagnostic.span.begin &&
             other.diagnostic.message == error.diagnostic.message;
    };
    auto known = std::find_if(failures_.begin(), failures_.end(), same);
    int64_t number = known - failures_.begin();
    if (known == failures_.end()) failures_.push_back(error);
    return store_.Make(Kind::kFailed, number, e, {});
  }
}

void Evaluator::FailLate(Value failed) {
  AboutToThrow();
  throw failures_[static_cast<size_t>(failed->number)];
}

Value Evaluator::EvalArithmetic(const Expr* e, Value* env) {
  int64_t a = EvalInt(e->kids[0], env);
  int64_t r = 0;
  bool overflow = false;
  if (e->op == Op::kNeg) {
    overflow = __builtin_sub_overflow(int64_t{0}, a, &r);
  } else {
    int64_t b = EvalInt(e->kids[1], env);
    switch (e->op) {
      case Op::kAdd:
        overflow = __builtin_add_overflow(a, b, &r);
        break;
      case Op::kSub:
        overflow = __builtin_sub_overflow(a, b, &r);
        break;
      case Op::kMul:
        overflow = __builtin_mul_overflow(a, b, &r);
        break;
      default: {
        if (b == 0) Fail(e->span, "division by zero");
        if (b == -1) {
          overflow = __builtin_sub_overflow(int64_t{0}, a, &r);
          if (e->op == Op::kMod) r = 0;
        } else {
          // Division rounds down, so that (a / b) * b + a % b == a and a % b has the sign of b.
          int64_t q = a / b;
          int64_t m = a % b;
          if (m != 0 && ((m < 0) != (b < 0))) {
            --q;
            m += b;
          }
          r = e->op == Op::kDiv ? q : m;
        }
      }
    }
  }
  if (overflow) Fail(e->span, "this number does not fit in 64 bits");
  return store_.Int(r);
}

Value Evaluator::EvalCompare(const Expr* e, Value* env) {
  Value a = Strict(Eval(e->kids[0], env), e->kids[0]->span);
  Value b = Strict(Eval(e->kids[1], env), e->kids[1]->span);
  if (e->op == Op::kEq || e->op == Op::kNe) {
    if (a->kind == Kind::kProcess || b->kind == Kind::kProcess) Fail(e->span, "processes cannot be compared");
    bool symbolic = a->kind == Kind::kSymbolicSet || b->kind == Kind::kSymbolicSet;
    bool same = symbolic && IsSet(a) && IsSet(b) ? SameSet(a, b, e->span) : a == b;
    return store_.Bool(same == (e->op == Op::kEq));
  }
  switch (e->op) {
    case Op::kLe:
      return store_.Bool(LessOrEqual(a, b, e->span));
    case Op::kGe:
      return store_.Bool(LessOrEqual(b, a, e->span));
    case Op::kLt:
      return store_.Bool(a != b && LessOrEqual(a, b, e->span));
    default:
      return store_.Bool(a != b && LessOrEqual(b, a, e->span));
  }
}

// Numbers by value, sequences by prefix, sets by inclusion, tuples by their first difference, maps by inclusion.
bool Evaluator::LessOrEqual(Value a, Value b, Span span) {
  if (IsSet(a) && IsSet(b)) {
    if (a == b) return true;
    bool numbers =
        a->kind == Kind::kSymbolicSet && b->kind == Kind::kSymbolicSet && SymbolicKind(a) == SetKind::kIntsFrom;
    if (numbers && SymbolicKind(b) == SetKind::kInts) return true;
    if (numbers && SymbolicKind(b) == SetKind::kIntsFrom) return a->kid(0)->number >= b->kid(0)->number;
    if (!IsFinite(a) && IsFinite(b)) return false;
    for (Value item : Elements(a, span)) {
      if (!Contains(b, item)) return false;
    }
    return true;
  }
  if (a->kind != b->kind) Fail(span, fmt::format("`{}` and `{}` cannot be ordered", Show(a), Show(b)));
  switch (a->kind) {
    case Kind::kInt:
    case Kind::kChar:
      return a->number <= b->number;
    case Kind::kSeq:
      return a->count <= b->count && std::equal(a->kids().begin(), a->kids().end(), b->kids().begin());
    case Kind::kTuple:
      for (size_t i = 0; i < a->count && i < b->count; ++i) {
        if (a->kid(i) != b->kid(i)) return LessOrEqual(a->kid(i), b->kid(i), span);
      }
      return true;
    case Kind::kMap:
      for (size_t i = 0; i < a->count; i += 2) {
        bool found = false;
        for (size_t j = 0; j < b->count; j += 2) {
          if (b->kid(j) == a->kid(i)) found = LessOrEqual(a->kid(i + 1), b->kid(j + 1), span);
        }
        if (!found) return false;
      }
      return true;
    default:
      Fail(span, fmt::format("`{}` and `{}` cannot be ordered", Show(a), Show(b)));
  }
}

Value Evaluator::EvalLet(const Expr* e, Value* env) {
  std::vector<Value> captured;
  for (const Capture& capture : e->unit->captures) captured.push_back(env[capture.from]);
  Value frame = store_.Make(Kind::kFrame, 0, e, captured);
  env[e->slot] = frame;
  return Eval(e->kids[0], env);
}

Value Evaluator::EvalRange(const Expr* e, Value* env) {
  int64_t from = EvalInt(e->kids[0], env);
  if (e->kids.size() == 1) {
    if (e->op == Op::kSeqFrom) return store_.Make(Kind::kSeqFrom, from, nullptr, {});
    Value start = store_.Int(from);
    return store_.Symbolic(SetKind::kIntsFrom, std::span<const Value>(&start, 1));
  }
  int64_t to = EvalInt(e->kids[1], env);
  if (to >= from && static_cast<uint64_t>(to) - static_cast<uint64_t>(from) >= kMaxSet) {
    Fail(e->span, fmt::format("a range of more than {} numbers", kMaxSet));
  }
  std::vector<Value> items;
  for (int64_t i = from; i <= to; ++i) items.push_back(store_.Int(i));
  return e->op == Op::kSeqFrom ? store_.Seq(items) : store_.SortedSet(items);
}

// `{x.. | x <- S}` is the numbers from the least x on; `<x.. | x <- s>` never gets beyond the first.
Value Evaluator::EvalOpenRanges(const Expr* e, Value* env) {
  Value found = nullptr;
  ForEach(e->stmts, 0, env, [&] {
    Value range = Eval(e->kids[0], env);
    bool better = found == nullptr || (e->op == Op::kSetComp && range->kid(0)->number < found->kid(0)->number);
    if (better) found = range;
  });
  if (found != nullptr) return found;
  return e->op == Op::kSetComp ? store_.EmptySet() : store_.Seq({});
}

Value Evaluator::EvalComprehension(const Expr* e, Value* env) {
  if (e->number == 1 && e->kids[0]->kids.size() == 1) return EvalOpenRanges(e, env);
  std::vector<Value> items;
  ForEach(e->stmts, 0, env, [&] {
    CheckDepth(e->span);
    if (items.size() > kMaxSet) Fail(e->span, "this comprehension has too many elements");
    for (const Expr* kid : e->kids) items.push_back(Eval(kid, env));
    if (e->number != 1) return;
    Value range = items.back();
    items.pop_back();
    std::vector<Value> members = range->kind == Kind::kSeq
                                     ? std::vector<Value>(range->kids().begin(), range->kids().end())
                                     : Elements(range, e->span);
    items.insert(items.end(), members.begin(), members.end());
  });
  if (e->op == Op::kSeqComp) return store_.Seq(items);
  Value set = store_.Set(std::move(items));
  return e->op == Op::kSetComp ? set : store_.Symbolic(SetKind::kProductions, set->kids());
}

}  // namespace heddle::csp
