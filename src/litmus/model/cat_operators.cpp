#include <algorithm>

#include "litmus/model/cat_eval.h"

// The operators of the cat language on values (cat_value.h).
namespace heddle::litmus {

CatEnv* CatEval::Bind(const CatNode& node, CatValue value, size_t names, CatEnv* env) {
  auto push = [&](CatValue bound) {
    auto* entry = reinterpret_cast<CatEnv*>(arena().Take((sizeof(CatEnv) + 7) / 8));
    entry->value = bound;
    entry->next = env;
    env = entry;
  };
  if (names == 1) {
    push(value);
    return env;
  }
  if (value.kind == Kind::kPair && names == 2) {
    CatValue event;
    event.kind = Kind::kEvent;
    event.a = value.a;
    push(event);
    event.a = value.b;
    push(event);
    return env;
  }
  bool fits = value.kind == Kind::kTuple && static_cast<size_t>(value.a) == names;
  if (!fits) Fail(node, "this needs a tuple of " + std::to_string(names) + " parts");
  for (size_t i = 0; i < names; ++i) push(fits ? value.items[i] : CatValue{});
  return env;
}

// `sm`, when every access is one event.
bool CatEval::IsIdentity(int index) const {
  const CatNode& node = program_.nodes[static_cast<size_t>(index)];
  if (node.kind != CatNode::Kind::kGlobal || facts_->Divided()) return false;
  const CatSlot& slot = program_.slots[static_cast<size_t>(node.index)];
  return slot.kind == CatSlot::Kind::kBase && slot.index == static_cast<int>(Base::kSameAccess);
}

CatValue CatEval::Operator(const CatNode& node, CatEnv* env) {
  auto part = [&](size_t i) { return Eval(node.parts[i], env); };
  size_t rel_words = shape_.RelWords();
  switch (node.op) {
    case CatOp::kEmpty:
      return {};
    case CatOp::kUniverse: {
      Word* bits = arena().Take(shape_.SetWords());
      Full(bits, shape_);
      return SetOf(bits);
    }
    case CatOp::kUnion:
    case CatOp::kInter:
    case CatOp::kDiff: {
      CatValue left = part(0);
      return Combine(node, left, part(1));
    }
    case CatOp::kSeq: {
      CatValue a = AsRel(node, part(0));
      if (IsIdentity(node.parts[1])) return a;
      CatValue b = AsRel(node, part(1));
      Word* out = arena().TakeZeroed(rel_words);
      ComposeInto(out, a.bits, b.bits, shape_);
      return RelOf(out);
    }
    case CatOp::kProduct: {
      CatValue a = AsSet(node, part(0));
      CatValue b = AsSet(node, part(1));
      Word* out = arena().Take(rel_words);
      ProductInto(out, a.bits, b.bits, shape_);
      return RelOf(out);
    }
    case CatOp::kAdd: {
      CatValue element = part(0);
      return Add(node, element, part(1));
    }
    case CatOp::kNot: {
      CatValue a = part(0);
      if (a.kind == Kind::kSet) {
        Word* out = arena().Take(shape_.SetWords());
        Full(out, shape_);
        for (size_t i = 0; i < shape_.SetWords(); ++i) out[i] &= ~a.bits[i];
        return SetOf(out);
      }
      a = AsRel(node, a);
      Word* out = arena().Take(rel_words);
      for (int e = 0; e < shape_.events; ++e) {
        Word* row = Row(out, shape_, e);
        Full(row, shape_);
        for (int w = 0; w < shape_.words; ++w) row[w] &= ~Row(a.bits, shape_, e)[w];
      }
      return RelOf(out);
    }
    case CatOp::kInverse: {
      CatValue a = AsRel(node, part(0));
      Word* out = arena().TakeZeroed(rel_words);
      InvertInto(out, a.bits, shape_);
      return RelOf(out);
    }
    case CatOp::kPlus:
    case CatOp::kStar:
    case CatOp::kOption: {
      CatValue a = AsRel(node, part(0));
      Word* out = arena().Take(rel_words);
      std::copy(a.bits, a.bits + rel_words, out);
      if (node.op != CatOp::kOption) CloseTransitively(out, shape_);
      if (node.op != CatOp::kPlus) {
        for (int e = 0; e < shape_.events; ++e) Put(out, shape_, e, e);
      }
      return RelOf(out);
    }
    case CatOp::kIdentity: {
      CatValue a = AsSet(node, part(0));
      Word* out = arena().TakeZeroed(rel_words);
      ForEach(a.bits, shape_, [&](int e) { Put(out, shape_, e, e); });
      return RelOf(out);
    }
    case CatOp::kSetOf:
      return MakeSet(node, env);
    case CatOp::kTuple: {
      std::vector<CatValue> items;
      for (size_t i = 0; i < node.parts.size(); ++i) items.push_back(part(i));
      CatValue tuple = ListOf(items);
      tuple.kind = Kind::kTuple;
      return tuple;
    }
    case CatOp::kApply: {
      CatValue function = part(0);
      return Apply(node, function, part(1));
    }
    case CatOp::kFunction: {
      CatValue value;
      value.kind = Kind::kClosure;
      value.a = static_cast<int32_t>(&node - program_.nodes.data());
      value.env = env;
      return value;
    }
    case CatOp::kLet:
      return Let(node, env);
    case CatOp::kLetRec:
      return LetRec(node, env);
    case CatOp::kMatchTags:
      return MatchTags(node, env);
    case CatOp::kMatchSet:
      return MatchSet(node, env);
    default:
      return Fail(node, "this has no value");
  }
}

CatValue CatEval::Combine(const CatNode& node, CatValue a, CatValue b) {
  if (a.kind == Kind::kList || b.kind == Kind::kList) return CombineLists(node, a, b);
  if (a.kind == Kind::kEmpty && b.kind == Kind::kEmpty) return {};
  bool sets = a.kind == Kind::kSet || b.kind == Kind::kSet || a.kind == Kind::kEvent || b.kind == Kind::kEvent;
  bool rels = a.kind == Kind::kRel || b.kind == Kind::kRel || a.kind == Kind::kPair || b.kind == Kind::kPair;
  if (sets && rels) return Fail(node, "one side is a set and the other is a relation");
  a = sets ? AsSet(node, a) : AsRel(node, a);
  b = sets ? AsSet(node, b) : AsRel(node, b);
  size_t words = sets ? shape_.SetWords() : shape_.RelWords();
  Word* out = arena().Take(words);
  const Word* x = a.bits;
  const Word* y = b.bits;
  if (node.op == CatOp::kUnion) {
    for (size_t i = 0; i < words; ++i) out[i] = x[i] | y[i];
  } else if (node.op == CatOp::kInter) {
    for (size_t i = 0; i < words; ++i) out[i] = x[i] & y[i];
  } else {
    for (size_t i = 0; i < words; ++i) out[i] = x[i] & ~y[i];
  }
  return sets ? SetOf(out) : RelOf(out);
}

CatValue CatEval::CombineLists(const CatNode& node, CatValue a, CatValue b) {
  std::vector<CatValue> left;
  std::vector<CatValue> right;
  Elements(a, left);
  Elements(b, right);
  auto in = [&](const std::vector<CatValue>& list, const CatValue& value) {
    return std::any_of(list.begin(), list.end(), [&](const CatValue& other) { return Same(value, other); });
  };
  std::vector<CatValue> out;
  for (const CatValue& value : left) {
    if (node.op == CatOp::kUnion || (node.op == CatOp::kInter) == in(right, value)) out.push_back(value);
  }
  if (node.op == CatOp::kUnion) {
    for (const CatValue& value : right) {
      if (!in(left, value)) out.push_back(value);
    }
  }
  return ListOf(out);
}

// An event into a set, a pair into a relation, anything else into a set of such things.
CatValue CatEval::Add(const CatNode& node, CatValue element, CatValue set) {
  if (element.kind == Kind::kEvent && set.kind != Kind::kList) {
    CatValue base = AsSet(node, set);
    Word* out = arena().Take(shape_.SetWords());
    std::copy(base.bits, base.bits + shape_.SetWords(), out);
    Put(out, element.a);
    return SetOf(out);
  }
  if (element.kind == Kind::kPair && set.kind != Kind::kList) {
    CatValue base = AsRel(node, set);
    Word* out = arena().Take(shape_.RelWords());
    std::copy(base.bits, base.bits + shape_.RelWords(), out);
    Put(out, shape_, element.a, element.b);
    return RelOf(out);
  }
  std::vector<CatValue> items;
  Elements(set, items);
  bool there = std::any_of(items.begin(), items.end(), [&](const CatValue& other) { return Same(element, other); });
  if (!there) items.insert(items.begin(), element);
  return ListOf(items);
}

CatValue CatEval::MakeSet(const CatNode& node, CatEnv* env) {
  CatValue set;
  for (size_t i = node.parts.size(); i > 0; --i) set = Add(node, Eval(node.parts[i - 1], env), set);
  return set;
}

void CatEval::Elements(const CatValue& set, std::vector<CatValue>& out) {
  CatValue value;
  switch (set.kind) {
    case Kind::kList:
      out.insert(out.end(), set.items, set.items + set.a);
      return;
    case Kind::kSet:
      value.kind = Kind::kEvent;
      ForEach(set.bits, shape_, [&](int e) {
        value.a = e;
        out.push_back(value);
      });
      return;
    case Kind::kRel:
      value.kind = Kind::kPair;
      for (int e = 0; e < shape_.events; ++e) {
        ForEach(Row(set.bits, shape_, e), shape_, [&](int f) {
          value.a = e;
          value.b = f;
          out.push_back(value);
        });
      }
      return;
    case Kind::kEmpty:
      return;
    default:
      out.push_back(set);
  }
}

CatValue CatEval::Apply(const CatNode& node, CatValue function, CatValue argument) {
  if (function.kind == Kind::kPrimitive) return Primitive(node, static_cast<CatPrimitive>(function.a), argument);
  if (function.kind != Kind::kClosure) return Fail(node, "this is not a function");
  const CatNode& body = program_.nodes[static_cast<size_t>(function.a)];
  CatEnv* env = Bind(node, argument, body.pattern_sizes[0], function.env);
  return Eval(body.parts[0], env);
}

CatValue CatEval::Let(const CatNode& node, CatEnv* env) {
  CatEnv* inner = env;
  size_t last = node.parts.size() - 1;
  for (size_t i = 0; i < last; ++i) inner = Bind(node, Eval(node.parts[i], env), node.pattern_sizes[i], inner);
  return Eval(node.parts[last], inner);
}

// The names are in scope in the definitions: functions see them as they are in the end, relations are iterated.
CatValue CatEval::LetRec(const CatNode& node, CatEnv* env) {
  size_t count = node.parts.size() - 1;
  CatEnv* inner = env;
  std::vector<CatEnv*> entries;
  for (size_t i = 0; i < count; ++i) {
    inner = Bind(node, CatValue{}, 1, inner);
    entries.push_back(inner);
  }
  int64_t rounds = int64_t{shape_.events} * shape_.events * static_cast<int64_t>(count) + 2;
  bool changed = true;
  for (int64_t round = 0; changed && !error_; ++round) {
    changed = false;
    for (size_t i = 0; i < count; ++i) {
      CatValue value = Eval(node.parts[i], inner);
      if (!Same(value, entries[i]->value)) changed = true;
      entries[i]->value = value;
    }
    if (round > rounds) Fail(node, "this does not end: the recursion reaches no fixed point");
  }
  return Eval(node.parts[count], inner);
}

CatValue CatEval::MatchTags(const CatNode& node, CatEnv* env) {
  CatValue value = Eval(node.parts[0], env);
  if (value.kind != Kind::kTag) return Fail(node, "this match needs a tag");
  for (size_t i = 0; i < node.clause_tags.size(); ++i) {
    if (node.clause_tags[i] < 0 || node.clause_tags[i] == value.a) return Eval(node.parts[i + 1], env);
  }
  return Fail(node, "no clause of this match fits");
}

CatValue CatEval::MatchSet(const CatNode& node, CatEnv* env) {
  std::vector<CatValue> items;
  CatValue set = Eval(node.parts[0], env);
  Elements(set, items);
  if (items.empty()) return Eval(node.parts[1], env);
  CatValue rest;
  if (set.kind == Kind::kSet) {
    Word* out = arena().Take(shape_.SetWords());
    std::copy(set.bits, set.bits + shape_.SetWords(), out);
    out[items[0].a / 64] &= ~(Word{1} << (items[0].a % 64));
    rest = SetOf(out);
  } else if (set.kind == Kind::kRel) {
    Word* out = arena().Take(shape_.RelWords());
    std::copy(set.bits, set.bits + shape_.RelWords(), out);
    Row(out, shape_, items[0].a)[items[0].b / 64] &= ~(Word{1} << (items[0].b % 64));
    rest = RelOf(out);
  } else {
    rest = ListOf({items.begin() + 1, items.end()});
  }
  CatEnv* inner = Bind(node, items[0], 1, env);
  inner = Bind(node, rest, 1, inner);
  return Eval(node.parts[2], inner);
}

}  // namespace heddle::litmus
