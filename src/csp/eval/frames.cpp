// Names of the top level and of `let`, each evaluated once; and patterns.
#include <fmt/format.h>

#include <algorithm>

#include "csp/eval/activation.h"
#include "csp/eval/evaluator.h"

namespace heddle::csp {

Evaluator::Frame& Evaluator::FrameData(Value frame, size_t size) {
  if (frame->memo == nullptr) {
    auto data = std::make_unique<Frame>();
    data->values.resize(size);
    data->busy.resize(size);
    frame->memo = data.get();
    frames_.emplace(frame, std::move(data));
  }
  return *static_cast<Frame*>(frame->memo);
}

Value Evaluator::GlobalValue(uint32_t index, Span use) {
  const Global& global = globals_.all[index];
  switch (global.kind) {
    case Global::Kind::kChannel:
    case Global::Kind::kConstructor:
      return store_.Make(Kind::kGlobal, index, nullptr, {});
    case Global::Kind::kType:
      return TypeValue(index);
    case Global::Kind::kBinding:
      break;
  }
  return FrameValue(root_frame_, global.decl, index, use);
}

Value Evaluator::FrameLookup(Value frame, uint32_t index, Span use) {
  const Expr* let = static_cast<const Expr*>(frame->ptr);
  for (const Decl* decl : let->decls) {
    if (decl->kind == DeclKind::kBinding && index >= decl->index && index < decl->index + decl->bound.size()) {
      return FrameValue(frame, decl, index, use);
    }
  }
  Fail(use, "this name has no value");
}

Value Evaluator::FrameValue(Value frame, const Decl* decl, uint32_t index, Span use) {
  size_t size = globals_.all.size();
  if (frame != root_frame_) {
    size = 0;
    for (const Decl* d : static_cast<const Expr*>(frame->ptr)->decls) size += d->bound.size();
  }
  Frame& data = FrameData(frame, size);
  if (data.values[index] == nullptr) data.values[index] = ComputeBinding(decl, frame, index, data, use);
  return data.values[index];
}

namespace {

bool AlwaysMatches(const Expr* p) {
  if (p->op == Op::kTuple) return std::all_of(p->kids.begin(), p->kids.end(), AlwaysMatches);
  return p->op == Op::kWildcard || (p->op == Op::kName && p->ref == Ref::kBind);
}

bool BindsName(const Expr* p, const std::string& name) {
  if (p->op == Op::kName) return p->ref == Ref::kBind && p->text == name;
  return std::any_of(p->kids.begin(), p->kids.end(), [&](const Expr* kid) { return BindsName(kid, name); });
}

// `(x, y) = (e, f)`: for x only e is needed, and f may be without a value. Goes down to the part that binds `name`.
void Narrow(const Expr*& pattern, const Expr*& body, const std::string& name) {
  while (pattern->op == Op::kTuple && body->op == Op::kTuple && pattern->kids.size() == body->kids.size() &&
         AlwaysMatches(pattern)) {
    size_t at = 0;
    while (!BindsName(pattern->kids[at], name)) ++at;
    pattern = pattern->kids[at];
    body = body->kids[at];
  }
}

}  // namespace

Value Evaluator::ComputeBinding(const Decl* decl, Value frame, uint32_t index, Frame& data, Span use) {
  const Clause& clause = decl->clauses[0];
  if (!clause.params.empty()) return store_.Make(Kind::kFunction, 0, decl, {frame});
  if (data.busy[index]) {
    Fail(use, fmt::format("`{}` depends on itself", decl->bound[index - decl->index]),
         "a recursive process must perform an event (or be the right side of `;`) before it calls itself");
  }
  BusyScope busy(data.busy[index]);
  CallScope scope(*this, decl, use, {});
  CheckDepth(use);
  Activation activation(*this, clause.unit->slots, use);
  Value* slots = activation.slots();
  slots[0] = frame;
  for (const Capture& capture : clause.unit->captures) slots[capture.to] = frame->kid(capture.from);
  const Expr* body = clause.body;
  const Expr* pattern = decl->pattern;
  if (pattern != nullptr) Narrow(pattern, body, decl->bound[index - decl->index]);
  Value result = Eval(body, slots);
  if (result->kind == Kind::kProcess) result = Force(result);
  if (pattern != nullptr) {
    if (!Match(pattern, result, slots)) {
      Fail(pattern->span, fmt::format("the value `{}` does not match this pattern", Show(result)));
    }
    std::function<void(const Expr*)> collect = [&](const Expr* p) {
      if (p->op == Op::kName && p->ref == Ref::kBind) {
        size_t at =
            static_cast<size_t>(std::find(decl->bound.begin(), decl->bound.end(), p->text) - decl->bound.begin());
        data.values[decl->index + at] = slots[p->slot];
      }
      for (const Expr* kid : p->kids) collect(kid);
    };
    collect(pattern);
    result = data.values[index];
  } else {
    NameProcess(result, decl, {});
  }
  return result;
}

// A constant's name is preferred to a call's: it is what the person who wrote the script says.
void Evaluator::NameProcess(Value result, const Decl* decl, std::span<const Value> lists) {
  if (result->kind != Kind::kProcess) return;
  auto known = names_.find(result);
  if (known != names_.end() && (!lists.empty() || known->second.find('(') == std::string::npos)) return;
  if (names_.size() > 1'000'000) return;
  std::string name = decl->names[0];
  for (Value list : lists) {
    std::string args = list->count == 1 ? "(" + Show(list->kid(0)) + ")" : Show(list);
    name += args.size() > 24 ? args.substr(0, 20) + "...)" : args;
  }
  names_[result] = std::move(name);
}

bool Evaluator::Match(const Expr* p, Value v, Value* env) {
  bool looks = p->op != Op::kWildcard && p->op != Op::kBothPatterns && (p->op != Op::kName || p->ref != Ref::kBind);
  if (looks) Needed(v);
  switch (p->op) {
    case Op::kWildcard:
      return true;
    case Op::kName:
      if (p->ref == Ref::kBind) {
        env[p->slot] = v;
        return true;
      }
      return v->kind == Kind::kGlobal && v->number == p->index;
    case Op::kInt:
      return v->kind == Kind::kInt && v->number == p->number;
    case Op::kNeg:
      return v->kind == Kind::kInt && v->number == -p->kids[0]->number;
    case Op::kBool:
      return v->kind == Kind::kBool && v->number == p->number;
    case Op::kChar:
      return v->kind == Kind::kChar && v->number == p->number;
    case Op::kString:
      return Strict(v, p->span) == store_.String(p->text);
    case Op::kTuple:
    case Op::kSeq: {
      if (v->kind == Kind::kLazySeq) v = Reveal(v);
      if (v->kind == Kind::kLazySeq && !p->kids.empty()) v = Settle(v);
      Kind kind = p->op == Op::kTuple ? Kind::kTuple : Kind::kSeq;
      if (v->kind != kind || v->count != p->kids.size()) return false;
      for (size_t i = 0; i < p->kids.size(); ++i) {
        if (!Match(p->kids[i], v->kid(i), env)) return false;
      }
      return true;
    }
    case Op::kSet: {
      if (!IsSet(v)) return false;
      std::vector<Value> items = Elements(v, p->span);
      if (items.size() != p->kids.size()) return false;
      return items.empty() || Match(p->kids[0], items[0], env);
    }
    case Op::kConcat:
      return MatchConcat(p, v, env);
    case Op::kDot:
      return MatchDot(p, v, env);
    case Op::kBothPatterns:
      return Match(p->kids[0], v, env) && Match(p->kids[1], v, env);
    default:
      return false;
  }
}

// At most one part of a chain of `^` has an open length; the others have the length they are written with.
bool Evaluator::MatchConcat(const Expr* p, Value v, Value* env) {
  if (v->kind == Kind::kLazySeq) v = Reveal(v);
  bool open_end = v->kind == Kind::kSeqFrom || v->kind == Kind::kLazySeq;
  if (v->kind != Kind::kSeq && !open_end) return false;
  std::vector<const Expr*> parts;
  std::function<void(const Expr*)> flatten = [&](const Expr* e) {
    if (e->op != Op::kConcat) return parts.push_back(e);
    flatten(e->kids[0]);
    flatten(e->kids[1]);
  };
  flatten(p);
  auto fixed = [](const Expr* e) { return e->op == Op::kSeq || e->op == Op::kString; };
  auto width = [](const Expr* e) { return e->op == Op::kSeq ? e->kids.size() : e->text.size(); };
  size_t sum = 0;
  size_t open = 0;
  for (const Expr* part : parts) {
    if (fixed(part)) {
      sum += width(part);
    } else {
      ++open;
    }
  }
  if (open > 1) Fail(p->span, "a sequence pattern can have only one part of unknown length");
  if (open_end && !fixed(parts.back())) return MatchFromLeft(parts, v, env);
  if (open_end) v = Finite(v, p->span);
  if (v->count < sum || (open == 0 && v->count != sum)) return false;
  size_t at = 0;
  for (const Expr* part : parts) {
    size_t n = fixed(part) ? width(part) : v->count - sum;
    if (!Match(part, store_.Seq(v->kids().subspan(at, n)), env)) return false;
    at += n;
  }
  return true;
}

// A sequence without a known end against a chain of `^`: the last part takes the rest, and must be the open one.
bool Evaluator::MatchFromLeft(const std::vector<const Expr*>& parts, Value rest, Value* env) {
  for (size_t i = 0; i < parts.size(); ++i) {
    bool last = i + 1 == parts.size();
    bool fixed = parts[i]->op == Op::kSeq;
    if (last == fixed) return false;
    if (last) return Match(parts[i], rest, env);
    for (const Expr* item : parts[i]->kids) {
      Value head = nullptr;
      if (!TakeFirst(rest, head, rest) || !Match(item, head, env)) return false;
    }
  }
  return false;
}

// How many atoms the first field of a dotted value covers.
size_t Evaluator::ValueWidth(std::span<const Value> atoms) {
  if (atoms.empty()) return 0;
  if (atoms[0]->kind != Kind::kGlobal) return 1;
  size_t at = 1;
  for (size_t i = 0; i < FieldsOf(static_cast<uint32_t>(atoms[0]->number)).size(); ++i) {
    at += ValueWidth(atoms.subspan(std::min(at, atoms.size())));
  }
  return std::min(at, atoms.size());
}

namespace {

// How many whole values a part of a dotted pattern stands for: more than one only where it is dotted itself.
size_t LeastValues(const Expr* part) {
  if (part->op == Op::kBothPatterns) return std::max(LeastValues(part->kids[0]), LeastValues(part->kids[1]));
  if (part->op != Op::kDot) return 1;
  size_t sum = 0;
  for (const Expr* kid : part->kids) sum += LeastValues(kid);
  return sum;
}

}  // namespace

bool Evaluator::MatchDot(const Expr* p, Value v, Value* env) {
  std::vector<Value> atoms(Atoms(v).begin(), Atoms(v).end());
  size_t at = 0;
  for (size_t i = 0; i < p->kids.size(); ++i) {
    const Expr* part = p->kids[i];
    if (at >= atoms.size()) return false;
    bool last = i + 1 == p->kids.size();
    // A constructor or channel written in the pattern stands for itself; its fields are matched by what follows.
    bool constant = part->op == Op::kName && part->ref == Ref::kConstant;
    size_t n = last ? atoms.size() - at : constant ? 1 : 0;
    for (size_t values = n == 0 ? LeastValues(part) : 0; values > 0 && at + n < atoms.size(); --values) {
      n += ValueWidth(std::span<const Value>(atoms).subspan(at + n));
    }
    if (!Match(part, store_.Dot(std::span<const Value>(atoms).subspan(at, n)), env)) return false;
    at += n;
  }
  return at == atoms.size();
}

}  // namespace heddle::csp
