#include "litmus/model/cat_eval.h"

#include <algorithm>

// Evaluation by need. Each level has an arena and a stamp; Begin(level) empties the arenas of that level and of those
// above it and gives them new stamps, which makes all that was kept there stale. A value is computed in the arena of
// its own level, so that it lives exactly as long as what it was computed from. A recursion over relations is iterated
// from the empty relation until nothing changes; it must be monotone, which is noticed by its not ending.
namespace heddle::litmus {
namespace {

constexpr int kDeepest = 2000;

bool IsBits(CatValue::Kind kind) { return kind == CatValue::Kind::kSet || kind == CatValue::Kind::kRel; }

}  // namespace

CatEval::CatEval(const SourceMap& sources, const CatProgram& program)
    : sources_(sources),
      program_(program),
      arenas_(static_cast<size_t>(program.levels)),
      stamps_(static_cast<size_t>(program.levels), 0),
      slots_(program.slots.size()),
      caches_(static_cast<size_t>(program.caches)) {}

void CatEval::Bump(int level) {
  for (size_t i = static_cast<size_t>(level); i < arenas_.size(); ++i) {
    arenas_[i].Clear();
    stamps_[i] = ++clock_;
  }
}

void CatEval::Begin(int level, const ExecutionFacts& facts) {
  facts_ = &facts;
  shape_ = facts.shape();
  Bump(level);
}

CatValue CatEval::Fail(const CatNode& node, std::string message) {
  if (!error_) {
    error_ =
        MakeError(ErrorCode::kBadInput, Render(sources_, {Severity::kError, node.span, std::move(message), "", {}}));
  }
  return {};
}

CatValue CatEval::RelOf(const Word* bits) const {
  CatValue value;
  value.kind = Kind::kRel;
  value.bits = bits;
  return value;
}

CatValue CatEval::SetOf(const Word* bits) const {
  CatValue value;
  value.kind = Kind::kSet;
  value.bits = bits;
  return value;
}

CatValue CatEval::ListOf(const std::vector<CatValue>& items) {
  CatValue value;
  value.kind = Kind::kList;
  value.a = static_cast<int32_t>(items.size());
  auto* words = reinterpret_cast<CatValue*>(arena().Take(items.size() * (sizeof(CatValue) + 7) / 8 + 1));
  std::copy(items.begin(), items.end(), words);
  value.items = words;
  return value;
}

CatValue CatEval::AsSet(const CatNode& node, CatValue value) {
  if (value.kind == Kind::kSet) return value;
  if (value.kind == Kind::kEmpty) return SetOf(arena().TakeZeroed(shape_.SetWords()));
  if (value.kind == Kind::kEvent) {
    Word* bits = arena().TakeZeroed(shape_.SetWords());
    Put(bits, value.a);
    return SetOf(bits);
  }
  Fail(node, "a set of events is needed here");
  return SetOf(arena().TakeZeroed(shape_.SetWords()));
}

CatValue CatEval::AsRel(const CatNode& node, CatValue value) {
  if (value.kind == Kind::kRel) return value;
  if (value.kind == Kind::kEmpty) return RelOf(arena().TakeZeroed(shape_.RelWords()));
  if (value.kind == Kind::kPair) {
    Word* bits = arena().TakeZeroed(shape_.RelWords());
    Put(bits, shape_, value.a, value.b);
    return RelOf(bits);
  }
  Fail(node, "a relation is needed here");
  return RelOf(arena().TakeZeroed(shape_.RelWords()));
}

bool CatEval::Same(const CatValue& a, const CatValue& b) const {
  if (a.kind != b.kind) {
    if (a.kind == Kind::kEmpty && IsBits(b.kind)) {
      return !AnyBit(b.bits, b.kind == Kind::kSet ? shape_.SetWords() : shape_.RelWords());
    }
    return b.kind == Kind::kEmpty && Same(b, a);
  }
  switch (a.kind) {
    case Kind::kSet:
      return std::equal(a.bits, a.bits + shape_.SetWords(), b.bits);
    case Kind::kRel:
      return std::equal(a.bits, a.bits + shape_.RelWords(), b.bits);
    case Kind::kTuple:
    case Kind::kList:
      return a.a == b.a && std::equal(a.items, a.items + a.a, b.items,
                                      [&](const CatValue& x, const CatValue& y) { return Same(x, y); });
    case Kind::kClosure:
      return a.a == b.a && a.env == b.env;
    default:
      return a.a == b.a && a.b == b.b;
  }
}

CatValue CatEval::Eval(int index, CatEnv* env) {
  const CatNode& node = program_.nodes[static_cast<size_t>(index)];
  if (node.kind == CatNode::Kind::kGlobal) return Global(node.index);
  if (node.cache < 0) return EvalNow(node, env);
  Kept& kept = caches_[static_cast<size_t>(node.cache)];
  uint64_t stamp = stamps_[static_cast<size_t>(node.level)];
  if (kept.stamp == stamp) return kept.value;
  int before = current_;
  current_ = node.level;
  CatValue value = EvalNow(node, env);
  current_ = before;
  caches_[static_cast<size_t>(node.cache)] = {stamp, value};
  return value;
}

CatValue CatEval::EvalNow(const CatNode& node, CatEnv* env) {
  switch (node.kind) {
    case CatNode::Kind::kGlobal:
      return Global(node.index);
    case CatNode::Kind::kLocal:
      for (int i = 0; i < node.index; ++i) env = env->next;
      return env->value;
    case CatNode::Kind::kTagSet:
      return SetOf(facts_->Tagged(static_cast<Tag>(node.index)));
    case CatNode::Kind::kAllEvents: {
      Word* bits = arena().Take(shape_.SetWords());
      Full(bits, shape_);
      return SetOf(bits);
    }
    case CatNode::Kind::kPrimitive: {
      CatValue value;
      value.kind = Kind::kPrimitive;
      value.a = node.index;
      return value;
    }
    case CatNode::Kind::kEnumTag: {
      CatValue value;
      value.kind = Kind::kTag;
      value.a = node.index;
      return value;
    }
    case CatNode::Kind::kExpr:
      break;
  }
  if (++depth_ > kDeepest) {
    --depth_;
    return Fail(node, "this does not end: functions call each other more than " + std::to_string(kDeepest) + " deep");
  }
  CatValue value = error_ ? CatValue{} : Operator(node, env);
  --depth_;
  return value;
}

CatValue CatEval::Global(int index) {
  const CatSlot& slot = program_.slots[static_cast<size_t>(index)];
  Kept& kept = slots_[static_cast<size_t>(index)];
  uint64_t stamp = stamps_[static_cast<size_t>(slot.level)];
  if (kept.stamp == stamp || slot.kind == CatSlot::Kind::kChosen) return kept.value;
  if (slot.kind == CatSlot::Kind::kRecursive) return Recursion(slot.index, index);
  int before = current_;
  current_ = slot.level;
  CatValue value;
  if (slot.kind == CatSlot::Kind::kBase) {
    auto base = static_cast<Base>(slot.index);
    const Word* bits = facts_->Relation(base, arena());
    value = base == Base::kFinalWrites ? SetOf(bits) : RelOf(bits);
  } else {
    value = Eval(slot.index, nullptr);
    if (slot.part >= 0) {
      if (value.kind == Kind::kTuple && slot.part < value.a) {
        value = value.items[slot.part];
      } else {
        value =
            Fail(program_.nodes[static_cast<size_t>(slot.index)], "this is not a tuple with as many parts as names");
      }
    }
  }
  current_ = before;
  slots_[static_cast<size_t>(index)] = {stamp, value};
  return value;
}

CatValue CatEval::Recursion(int group, int index) {
  const CatRecursion& recursion = program_.recursions[static_cast<size_t>(group)];
  int level = program_.slots[static_cast<size_t>(index)].level;
  uint64_t stamp = stamps_[static_cast<size_t>(level)];
  int before = current_;
  current_ = level;
  for (int slot : recursion.slots) slots_[static_cast<size_t>(slot)] = {stamp, CatValue{}};
  int64_t rounds = int64_t{shape_.events} * shape_.events * static_cast<int64_t>(recursion.slots.size()) + 2;
  bool changed = true;
  for (int64_t round = 0; changed && !error_; ++round) {
    changed = false;
    for (size_t i = 0; i < recursion.slots.size(); ++i) {
      CatValue value = Eval(recursion.nodes[i], nullptr);
      Kept& kept = slots_[static_cast<size_t>(recursion.slots[i])];
      if (!Same(value, kept.value)) changed = true;
      kept.value = value;
    }
    if (round > rounds) {
      Fail(program_.nodes[static_cast<size_t>(recursion.nodes[0])],
           "this does not end: the recursion reaches no fixed point");
    }
  }
  current_ = before;
  return slots_[static_cast<size_t>(index)].value;
}

bool CatEval::Holds(const CatStep& step, FailedCheck* failed) {
  const CatNode& node = program_.nodes[static_cast<size_t>(step.node)];
  int before = current_;
  current_ = step.level;
  CatValue value = Eval(step.node, nullptr);
  bool holds = true;
  if (step.check == CatCheck::kEmpty) {
    holds =
        value.kind == Kind::kEmpty || (value.kind == Kind::kList && value.a == 0) ||
        (IsBits(value.kind) && !AnyBit(value.bits, value.kind == Kind::kSet ? shape_.SetWords() : shape_.RelWords()));
  } else {
    value = AsRel(node, value);
    holds =
        step.check == CatCheck::kAcyclic ? IsAcyclic(value.bits, shape_, scratch_) : IsIrreflexive(value.bits, shape_);
  }
  current_ = before;
  if (failed != nullptr && holds == step.negated) {
    failed->name = step.name;
    if (value.kind == Kind::kRel && step.check != CatCheck::kEmpty && !step.negated) {
      failed->cycle = ShortestCycle(value.bits, shape_);
    }
  }
  return holds != step.negated;
}

bool CatEval::Check(int level, FailedCheck* failed) {
  if (static_cast<size_t>(level) >= program_.checks.size()) return true;
  for (const CatStep& step : program_.checks[static_cast<size_t>(level)]) {
    if (!Holds(step, failed)) return false;
  }
  return true;
}

void CatEval::Finish(const std::function<void(const std::set<std::string>&)>& accepted) { Choose(0, accepted); }

void CatEval::Choose(size_t index, const std::function<void(const std::set<std::string>&)>& accepted) {
  if (index == program_.choices.size()) {
    std::set<std::string> flags;
    for (const CatStep& step : program_.flags) {
      bool holds = Holds(step);
      if (step.use == CatCheckUse::kFlag && holds) flags.insert(step.name.empty() ? "flag" : step.name);
      if (step.use == CatCheckUse::kUndefinedUnless && !holds) flags.insert("!" + step.name);
    }
    if (!error_) accepted(flags);
    return;
  }
  const CatStep& step = program_.choices[index];
  if (step.kind == CatStep::Kind::kForall) {
    if (ForallHolds(step)) Choose(index + 1, accepted);
    return;
  }
  std::vector<CatValue> elements;
  // In the arena below that of the choice, which is emptied for each element.
  current_ = step.level - 1;
  Elements(Eval(step.node, nullptr), elements);
  for (const CatValue& element : elements) {
    if (error_) break;
    Bump(step.level);
    slots_[static_cast<size_t>(step.slot)].value = element;
    if (Check(step.level)) Choose(index + 1, accepted);
  }
}

bool CatEval::ForallHolds(const CatStep& step) {
  std::vector<CatValue> elements;
  current_ = step.level - 1;
  Elements(Eval(step.node, nullptr), elements);
  for (const CatValue& element : elements) {
    Bump(step.level);
    slots_[static_cast<size_t>(step.slot)].value = element;
    for (const CatStep& inner : step.body) {
      if (!(inner.kind == CatStep::Kind::kForall ? ForallHolds(inner) : Holds(inner))) return false;
    }
  }
  return true;
}

const Word* CatEval::RelationNamed(const std::string& name) {
  for (size_t i = program_.slots.size(); i > 0; --i) {
    if (program_.slots[i - 1].name != name) continue;
    CatValue value = Global(static_cast<int>(i - 1));
    return value.kind == Kind::kRel ? value.bits : nullptr;
  }
  return nullptr;
}

}  // namespace heddle::litmus
