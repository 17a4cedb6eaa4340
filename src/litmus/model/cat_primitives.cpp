#include <algorithm>

#include "litmus/model/cat_eval.h"

// The built-in functions of the cat language.
namespace heddle::litmus {

CatValue CatEval::Primitive(const CatNode& node, CatPrimitive primitive, CatValue argument) {
  switch (primitive) {
    case CatPrimitive::kDomain:
    case CatPrimitive::kRange: {
      CatValue rel = AsRel(node, argument);
      Word* out = arena().TakeZeroed(shape_.SetWords());
      for (int e = 0; e < shape_.events; ++e) {
        const Word* row = Row(rel.bits, shape_, e);
        if (primitive == CatPrimitive::kRange) {
          for (int w = 0; w < shape_.words; ++w) out[w] |= row[w];
        } else if (AnyBit(row, shape_.SetWords())) {
          Put(out, e);
        }
      }
      return SetOf(out);
    }
    case CatPrimitive::kNoId:
    case CatPrimitive::kDifferentValues: {
      CatValue rel = AsRel(node, argument);
      Word* out = arena().TakeZeroed(shape_.RelWords());
      for (int e = 0; e < shape_.events; ++e) {
        ForEach(Row(rel.bits, shape_, e), shape_, [&](int f) {
          bool keep = primitive == CatPrimitive::kNoId ? e != f : facts_->ValueOf(e) != facts_->ValueOf(f);
          if (keep) Put(out, shape_, e, f);
        });
      }
      return RelOf(out);
    }
    case CatPrimitive::kInterveningWrite: {
      // r ; [W] ; r
      CatValue rel = AsRel(node, argument);
      const Word* writes = facts_->Tagged(TagOf("W"));
      Word* step = arena().Take(shape_.RelWords());
      for (int e = 0; e < shape_.events; ++e) {
        for (int w = 0; w < shape_.words; ++w) Row(step, shape_, e)[w] = Row(rel.bits, shape_, e)[w] & writes[w];
      }
      Word* out = arena().TakeZeroed(shape_.RelWords());
      ComposeInto(out, step, rel.bits, shape_);
      return RelOf(out);
    }
    case CatPrimitive::kLinearisations:
      return Linearisations(node, argument);
    case CatPrimitive::kClassesLoc:
      return Classes(node, AsSet(node, argument), facts_->Relation(Base::kLoc, arena()));
    case CatPrimitive::kClasses: {
      CatValue rel = AsRel(node, argument);
      Word* all = arena().TakeZeroed(shape_.SetWords());
      for (int e = 0; e < shape_.events; ++e) {
        if (Has(rel.bits, shape_, e, e)) Put(all, e);
      }
      return Classes(node, SetOf(all), rel.bits);
    }
    case CatPrimitive::kTagToScope:
    case CatPrimitive::kTagToEvents: {
      if (argument.kind != Kind::kTag) return Fail(node, "this needs a tag");
      const std::string& name = program_.enum_tags[static_cast<size_t>(argument.a)];
      if (primitive == CatPrimitive::kTagToEvents) {
        std::string upper = name;
        std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
        std::optional<Tag> tag = FindTag(name);
        if (!tag) tag = FindTag(upper);
        if (!tag) return Fail(node, "events here carry no `" + name + "`: a model must use the names of their sets");
        return SetOf(facts_->Tagged(*tag));
      }
      static constexpr std::pair<std::string_view, Base> kScopes[] = {
          {"cta", Base::kSameCta},        {"work_group", Base::kSameWorkgroup},
          {"wg", Base::kSameWorkgroup},   {"sg", Base::kSameSubgroup},
          {"qf", Base::kSameQueueFamily}, {"device", Base::kSameDevice},
          {"gl", Base::kSameDevice},      {"gpu", Base::kSameDevice},
          {"kernel", Base::kSameDevice},  {"work_item", Base::kInt},
          {"thread", Base::kInt},
      };
      for (const auto& [scope, base] : kScopes) {
        if (scope == name) return RelOf(facts_->Relation(base, arena()));
      }
      static constexpr std::string_view kEverything[] = {"system", "sys", "world", "all", "all_svm_devices"};
      if (std::find(std::begin(kEverything), std::end(kEverything), name) == std::end(kEverything)) {
        return Fail(node, "there is no scope `" + name + "` here");
      }
      Word* out = arena().Take(shape_.RelWords());
      for (int e = 0; e < shape_.events; ++e) Full(Row(out, shape_, e), shape_);
      return RelOf(out);
    }
  }
  return {};
}

// All total orders of a set that contain a given relation: linearisations(S, r). Events without predecessors among
// those that are left are tried one after the other.
CatValue CatEval::Linearisations(const CatNode& node, CatValue argument) {
  if (argument.kind != Kind::kTuple || argument.a != 2) return Fail(node, "linearisations needs a set and a relation");
  CatValue set = AsSet(node, argument.items[0]);
  CatValue rel = AsRel(node, argument.items[1]);
  std::vector<int> events;
  ForEach(set.bits, shape_, [&](int e) { events.push_back(e); });
  std::vector<CatValue> results;
  std::vector<int> order;
  std::vector<bool> used(events.size(), false);
  auto extend = [&](auto&& self) -> void {
    if (results.size() > 100000) {
      Fail(node, "more than 100000 linear orders");
      return;
    }
    if (order.size() == events.size()) {
      Word* out = arena().TakeZeroed(shape_.RelWords());
      for (size_t i = 0; i < order.size(); ++i) {
        for (size_t j = i + 1; j < order.size(); ++j) Put(out, shape_, order[i], order[j]);
      }
      results.push_back(RelOf(out));
      return;
    }
    for (size_t i = 0; i < events.size() && !error_; ++i) {
      if (used[i]) continue;
      bool first = true;
      for (size_t j = 0; j < events.size(); ++j) {
        if (!used[j] && Has(rel.bits, shape_, events[j], events[i])) first = false;
      }
      if (!first) continue;
      used[i] = true;
      order.push_back(events[i]);
      self(self);
      order.pop_back();
      used[i] = false;
    }
  };
  extend(extend);
  return ListOf(results);
}

CatValue CatEval::Classes(const CatNode&, CatValue set, const Word* same) {
  std::vector<CatValue> classes;
  std::vector<bool> done(static_cast<size_t>(shape_.events), false);
  ForEach(set.bits, shape_, [&](int e) {
    if (done[static_cast<size_t>(e)]) return;
    Word* out = arena().TakeZeroed(shape_.SetWords());
    Put(out, e);
    ForEach(set.bits, shape_, [&](int f) {
      if (f == e || !Has(same, shape_, e, f)) return;
      Put(out, f);
      done[static_cast<size_t>(f)] = true;
    });
    classes.push_back(SetOf(out));
  });
  return ListOf(classes);
}

}  // namespace heddle::litmus
