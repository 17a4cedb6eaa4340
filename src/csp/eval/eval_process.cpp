// Process expressions to terms, calls, and the events that a prefix offers.
#include <fmt/format.h>

#include "csp/eval/activation.h"
#include "csp/eval/evaluator.h"

namespace heddle::csp {

Value Evaluator::EvalForced(const Expr* e, Value* env) {
  Value v = Eval(e, env);
  if (v->kind != Kind::kProcess) Fail(e->span, fmt::format("expected a process, found `{}`", Show(v)));
  return Force(v);
}

Value Evaluator::EvalEventSet(const Expr* e, Value* env) {
  Value set = EvalSet(e, env);
  if (set->kind == Kind::kSet) {
    for (Value item : set->kids()) EventOf(item, e->span);
  }
  return set;
}

Value Evaluator::EvalProcessOp(const Expr* e, Value* env) {
  CheckDepth(e->span);
  const std::vector<Expr*>& k = e->kids;
  switch (e->op) {
    case Op::kPrefix:
      return Close(e->unit, Kind::kProcess, static_cast<int64_t>(ProcOp::kPrefix), env);
    case Op::kGuard:
      return EvalBool(k[0], env) ? EvalForced(k[1], env) : Process(ProcOp::kStop);
    case Op::kExtChoice: {
      // A chain of choices is one choice.
      Value left = EvalForced(k[0], env);
      Value right = EvalForced(k[1], env);
      std::vector<Value> kids;
      for (Value side : {left, right}) {
        if (OpOf(side) == ProcOp::kExt) {
          kids.insert(kids.end(), side->kids().begin(), side->kids().end());
        } else {
          kids.push_back(side);
        }
      }
      return Process(ProcOp::kExt, kids);
    }
    case Op::kIntChoice:
      return Process(ProcOp::kInt, {Late(k[0], env), Late(k[1], env)});
    case Op::kInterleave:
      return Process(ProcOp::kParallel, {store_.EmptySet(), EvalForced(k[0], env), EvalForced(k[1], env)});
    case Op::kSequence:
      return Process(ProcOp::kSequence, {EvalForced(k[0], env), Late(k[1], env)});
    case Op::kInterrupt:
      return Process(ProcOp::kInterrupt, {EvalForced(k[0], env), EvalForced(k[1], env)});
    case Op::kSlide:
      return Process(ProcOp::kSlide, {EvalForced(k[0], env), Late(k[1], env)});
    case Op::kGenParallel: {
      Value set = EvalEventSet(k[1], env);
      ProcOp op = e->number == 1 ? ProcOp::kTimedParallel : ProcOp::kParallel;
      return Process(op, {set, EvalForced(k[0], env), EvalForced(k[2], env)});
    }
    case Op::kException:
      return Process(ProcOp::kException, {EvalForced(k[0], env), EvalEventSet(k[1], env), Late(k[2], env)});
    case Op::kSyncExt:
      return Process(ProcOp::kSyncExt, {EvalForced(k[0], env), EvalEventSet(k[1], env), EvalForced(k[2], env)});
    case Op::kSyncInterrupt:
      return Process(ProcOp::kSyncInterrupt, {EvalForced(k[0], env), EvalEventSet(k[1], env), EvalForced(k[2], env)});
    case Op::kAlphaParallel: {
      Value left = EvalEventSet(k[1], env);
      Value right = EvalEventSet(k[2], env);
      ProcOp op = e->number == 1 ? ProcOp::kTimedAlphabet : ProcOp::kAlphabet;
      return Process(op, {left, EvalForced(k[0], env), right, EvalForced(k[3], env)});
    }
    case Op::kHide:
      return Process(ProcOp::kHide, {EvalForced(k[0], env), EvalEventSet(k[1], env)});
    case Op::kProject:
      return Process(ProcOp::kProject, {EvalForced(k[0], env), EvalEventSet(k[1], env)});
    case Op::kRename:
    case Op::kLinkParallel:
      return EvalRename(e, env);
    default:
      return EvalReplicated(e, env);
  }
}

Value Evaluator::Force(Value term) {
  if (term->kind != Kind::kProcess) Fail({}, fmt::format("expected a process, found `{}`", Show(term)));
  if (OpOf(term) == ProcOp::kLate) {
    if (term->memo != nullptr) return static_cast<Value>(term->memo);
    const Unit& unit = *static_cast<const Unit*>(term->ptr);
    if (stack_base_ == nullptr || stack_top_ == 0) {
      stack_base_ = static_cast<const char*>(__builtin_frame_address(0));
    }
    CheckDepth(unit.body->span);
    Activation activation(*this, unit.slots, unit.body->span);
    activation.Load(unit, term->kids());
    Value result = EvalForced(unit.body, activation.slots());
    term->memo = const_cast<Node*>(result);
    return result;
  }
  // The first operand of a sequence built from late parts.
  if (OpOf(term) == ProcOp::kSequence && OpOf(term->kid(0)) == ProcOp::kLate) {
    return Process(ProcOp::kSequence, {Force(term->kid(0)), term->kid(1)});
  }
  return term;
}

Value Evaluator::Call(Value function, std::span<const Value> args, Span span) {
  CheckDepth(span);
  if (function->kind == Kind::kBuiltin) {
    if (function->count == 0) return CallBuiltin(static_cast<Builtin>(function->number), args, span);
    std::vector<Value> all(function->kids().begin(), function->kids().end());
    all.insert(all.end(), args.begin(), args.end());
    return CallBuiltin(static_cast<Builtin>(function->number), all, span);
  }
  if (function->kind == Kind::kLambda) {
    const Expr* lambda = reinterpret_cast<const Expr*>(static_cast<intptr_t>(function->number));
    const Unit& unit = *static_cast<const Unit*>(function->ptr);
    if (args.size() + 1 != lambda->kids.size()) {
      Fail(span, fmt::format("this function takes {} arguments, not {}", lambda->kids.size() - 1, args.size()));
    }
    Activation activation(*this, unit.slots, span);
    activation.Load(unit, function->kids());
    for (size_t i = 0; i < args.size(); ++i) {
      if (!Match(lambda->kids[i], args[i], activation.slots())) {
        Fail(lambda->kids[i]->span, fmt::format("the argument `{}` does not match this pattern", Show(args[i])));
      }
    }
    return Eval(lambda->kids.back(), activation.slots());
  }
  if (function->kind == Kind::kFunction) {
    const Decl* decl = static_cast<const Decl*>(function->ptr);
    std::vector<Value> lists(function->kids().begin() + 1, function->kids().end());
    lists.push_back(store_.Tuple(args));
    if (lists.size() < decl->clauses[0].params.size()) {
      lists.insert(lists.begin(), function->kid(0));
      return store_.Make(Kind::kFunction, 0, decl, lists);
    }
    return CallDecl(decl, function->kid(0), lists, span);
  }
  Fail(span, fmt::format("`{}` is not a function", Show(function)));
}

Value Evaluator::CallDecl(const Decl* decl, Value frame, std::span<const Value> lists, Span span) {
  Value node = nullptr;
  if (returns_process_.count(decl) != 0) {
    std::vector<Value> kids{frame};
    kids.insert(kids.end(), lists.begin(), lists.end());
    node = store_.Make(Kind::kFunction, 1, decl, kids);
    if (node->memo != nullptr) return static_cast<Value>(node->memo);
  }
  CallScope scope(*this, decl, span, lists);
  for (const Clause& clause : decl->clauses) {
    Activation activation(*this, clause.unit->slots, span);
    Value* slots = activation.slots();
    slots[0] = frame;
    for (size_t i = 0; i < clause.unit->captures.size(); ++i) {
      slots[clause.unit->captures[i].to] = frame->kid(clause.unit->captures[i].from);
    }
    bool matches = true;
    for (size_t l = 0; matches && l < lists.size(); ++l) {
      if (lists[l]->count != clause.params[l].size()) {
        Fail(span,
             fmt::format("`{}` takes {} arguments, not {}", decl->names[0], clause.params[l].size(), lists[l]->count));
      }
      for (size_t i = 0; matches && i < lists[l]->count; ++i) {
        matches = Match(clause.params[l][i], lists[l]->kid(i), slots);
      }
    }
    if (!matches) continue;
    Value result = Eval(clause.body, slots);
    if (result->kind == Kind::kProcess) {
      result = Force(result);
      returns_process_.insert(decl);
      NameProcess(result, decl, lists);
      if (node != nullptr) node->memo = const_cast<Node*>(result);
    }
    return result;
  }
  std::string args;
  for (Value list : lists) args += Show(list);
  Fail(span, fmt::format("no clause of `{}` matches `{}{}`", decl->names[0], decl->names[0], args));
}

struct Evaluator::PrefixWork {
  const Expr* prefix;
  Value* env;
  std::vector<Value> atoms;    // of the event so far
  std::vector<Value> choices;  // of the `$` fields so far
  bool ragged = false;         // the type has not all combinations of the inputs: those it lacks are left out
  Value timing = nullptr;      // in a timed section: how long events take, and tock
  std::vector<std::vector<Value>> group_keys;
  std::vector<std::vector<Offer>> groups;
};

std::vector<std::vector<Evaluator::Offer>> Evaluator::Offers(Value prefix) {
  const Unit& unit = *static_cast<const Unit*>(prefix->ptr);
  if (stack_base_ == nullptr || stack_top_ == 0) {
    stack_base_ = static_cast<const char*>(__builtin_frame_address(0));
  }
  Activation activation(*this, unit.slots, unit.body->span);
  activation.Load(unit, prefix->kids());
  PrefixWork work;
  work.prefix = unit.body;
  work.env = activation.slots();
  const Expr* base = unit.body->kids[0];
  Value value = Eval(base, work.env);
  std::span<const Value> atoms = Atoms(value);
  work.atoms.assign(atoms.begin(), atoms.end());
  bool channel = work.atoms[0]->kind == Kind::kGlobal &&
                 globals_.all[static_cast<size_t>(work.atoms[0]->number)].kind == Global::Kind::kChannel;
  if (!channel) Fail(base->span, fmt::format("`{}` is not an event", Show(value)), "an event begins with a channel");
  if (unit.body->kids.size() == 3) work.timing = Eval(unit.body->kids[2], work.env);
  ExpandPrefix(work, 0);
  if (work.timing != nullptr && work.groups.size() > 1) Fail(base->span, "`$` is not supported in a timed section");
  return std::move(work.groups);
}

EventId Evaluator::TockOf(Value prefix) {
  const Unit& unit = *static_cast<const Unit*>(prefix->ptr);
  return unit.body->kids.size() == 3 ? EventOf(Tock(unit.body->span), unit.body->span) : kTau;
}

Value Evaluator::Tock(Span span) {
  uint32_t tock = globals_.Find("tock");
  bool channel = tock != Globals::kNone && globals_.all[tock].kind == Global::Kind::kChannel;
  if (!channel) Fail(span, "there is no channel `tock`", "declare it: `channel tock`");
  return store_.Make(Kind::kGlobal, tock, nullptr, {});
}

void Evaluator::EmitEvent(PrefixWork& work) {
  Value event = store_.Dot(work.atoms);
  if (work.ragged && !IsInside(event)) return;
  EventId id = EventOf(event, work.prefix->span);
  Value next = Late(work.prefix->kids[1], work.env);
  if (work.timing != nullptr) {
    Value time = Call(work.timing->kid(0), std::span<const Value>(&event, 1), work.prefix->span);
    if (time->number < 0) Fail(work.prefix->span, fmt::format("`{}` takes a negative time", Show(event)));
    if (time->number > 0) next = Process(ProcOp::kDelay, {time, work.timing->kid(1), next});
  }
  for (size_t i = 0; i < work.groups.size(); ++i) {
    if (work.group_keys[i] == work.choices) {
      work.groups[i].push_back({id, next});
      return;
    }
  }
  work.group_keys.push_back(work.choices);
  work.groups.push_back({{id, next}});
}

void Evaluator::ExpandPrefix(PrefixWork& work, size_t field) {
  if (field == work.prefix->fields.size()) return EmitEvent(work);
  const Field& f = work.prefix->fields[field];
  if (f.kind == '?' || f.kind == '$') return ExpandInput(work, field);
  Value value = Eval(f.expr, work.env);
  size_t before = work.atoms.size();
  std::span<const Value> atoms = Atoms(value);
  work.atoms.insert(work.atoms.end(), atoms.begin(), atoms.end());
  ExpandPrefix(work, field + 1);
  work.atoms.resize(before);
}

// How many fields of a channel a pattern covers: a constructor covers one, together with its own fields.
size_t Evaluator::PatternFields(const Expr* pattern) {
  if (pattern->op != Op::kDot) return 1;
  size_t fields = 0;
  size_t inner = 0;  // fields of constructors that are still to come
  for (const Expr* part : pattern->kids) {
    if (inner > 0) {
      --inner;
    } else {
      ++fields;
    }
    if (part->op == Op::kName && part->ref == Ref::kConstant) inner += FieldsOf(part->index).size();
  }
  return fields;
}

void Evaluator::ExpandInput(PrefixWork& work, size_t field) {
  const Field& f = work.prefix->fields[field];
  std::vector<Value> missing;
  bool ragged = false;
  bool fits = Missing(work.atoms, missing, &ragged);
  work.ragged = work.ragged || ragged;
  if (!fits || missing.empty()) {
    Fail(f.expr->span, fmt::format("`{}` has no field left for this input", Show(store_.Dot(work.atoms))));
  }
  // The last field takes all that is left; an earlier one takes as many fields as its pattern covers.
  bool last = field + 1 == work.prefix->fields.size();
  size_t take = last ? missing.size() : PatternFields(f.expr);
  std::vector<Value> sets(missing.begin(),
                          missing.begin() + static_cast<std::ptrdiff_t>(std::min(take, missing.size())));
  size_t before = work.atoms.size();
  bool accepted = false;
  auto accept = [&](Value value) {
    if (!Match(f.expr, value, work.env)) return;
    accepted = true;
    std::span<const Value> atoms = Atoms(value);
    work.atoms.insert(work.atoms.end(), atoms.begin(), atoms.end());
    if (f.kind == '$') work.choices.push_back(value);
    ExpandPrefix(work, field + 1);
    if (f.kind == '$') work.choices.pop_back();
    work.atoms.resize(before);
  };
  if (f.set != nullptr) {
    Value restriction = EvalSet(f.set, work.env);
    // Enumerate the smaller side: the restriction, unless it is unbounded.
    bool symbolic = restriction->kind == Kind::kSymbolicSet;
    if (!symbolic) {
      for (Value value : restriction->kids()) {
        if (ContainsFields(sets, Atoms(value))) accept(value);
      }
    } else {
      std::vector<Value> chosen;
      Product(sets, chosen, f.expr->span, [&](std::span<const Value> parts) {
        Value value = store_.Dot(parts);
        if (Contains(restriction, value)) accept(value);
      });
    }
  } else {
    std::vector<Value> chosen;
    Product(sets, chosen, f.expr->span, [&](std::span<const Value> parts) { accept(store_.Dot(parts)); });
  }
  if (f.kind == '$' && !accepted) Fail(f.expr->span, "a choice by `$` among no values", "it needs at least one");
}

}  // namespace heddle::csp
