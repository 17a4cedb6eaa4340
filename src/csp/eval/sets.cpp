// Sets, types, and dotted values as members of them.
#include <fmt/format.h>

#include <algorithm>

#include "csp/eval/activation.h"
#include "csp/eval/evaluator.h"

namespace heddle::csp {

Value Evaluator::EvalType(const Expr* e, Value* env) {
  if (e->op == Op::kDot || (e->op == Op::kTuple && !e->kids.empty())) {
    std::vector<Value> sets;
    for (const Expr* kid : e->kids) sets.push_back(EvalType(kid, env));
    return store_.Symbolic(e->op == Op::kDot ? SetKind::kDots : SetKind::kTuples, sets);
  }
  return EvalSet(e, env);
}

Value Evaluator::TypeValue(uint32_t global) {
  Frame& data = FrameData(root_frame_, globals_.all.size());
  if (data.values[global] != nullptr) return data.values[global];
  const Decl* decl = globals_.all[global].decl;
  if (data.busy[global]) Fail(decl->name_spans[0], fmt::format("the type `{}` depends on itself", decl->names[0]));
  BusyScope busy(data.busy[global]);
  Value result = nullptr;
  if (decl->kind == DeclKind::kNametype) {
    Activation activation(*this, decl->type->late_unit->slots, decl->span);
    result = EvalType(decl->type, activation.slots());
  } else if (decl->kind == DeclKind::kDatatype) {
    std::vector<Value> all;
    for (const Constructor& c : decl->constructors) {
      all.push_back(store_.Make(Kind::kGlobal, globals_.Find(c.name), nullptr, {}));
    }
    result = store_.Symbolic(SetKind::kProductions, store_.Set(std::move(all))->kids());
  } else {
    std::vector<Value> members;
    for (const Constructor& c : decl->constructors) {
      Value head = store_.Make(Kind::kGlobal, globals_.Find(c.name), nullptr, {});
      if (c.type == nullptr) {
        for (Value v : Elements(store_.Symbolic(SetKind::kProductions, std::span<const Value>(&head, 1)), c.span)) {
          members.push_back(v);
        }
        continue;
      }
      Activation activation(*this, c.type->late_unit->slots, c.span);
      std::vector<Value> fields;
      FlattenFields(EvalType(c.type, activation.slots()), fields);
      std::vector<Value> chosen{head};
      Product(fields, chosen, c.span, [&](std::span<const Value> parts) { members.push_back(store_.Dot(parts)); });
    }
    result = store_.Set(std::move(members));
  }
  return data.values[global] = result;
}

void Evaluator::FlattenFields(Value set, std::vector<Value>& out) {
  if (set->kind == Kind::kSymbolicSet && SymbolicKind(set) == SetKind::kDots) {
    for (Value kid : set->kids()) FlattenFields(kid, out);
  } else {
    out.push_back(set);
  }
}

const std::vector<Value>& Evaluator::FieldsOf(uint32_t global) {
  auto it = fields_.find(global);
  if (it != fields_.end()) return it->second;
  const Global& g = globals_.all[global];
  const Expr* type = g.kind == Global::Kind::kChannel ? g.decl->type : g.decl->constructors[g.part].type;
  std::vector<Value> fields;
  if (type != nullptr) {
    if (fields_busy_.size() < globals_.all.size()) fields_busy_.resize(globals_.all.size());
    if (fields_busy_[global]) Fail(type->span, fmt::format("the type of `{}` depends on itself", g.name));
    BusyScope busy(fields_busy_[global]);
    Activation activation(*this, type->late_unit->slots, type->span);
    std::vector<Value> sets;
    FlattenFields(EvalType(type, activation.slots()), sets);
    for (Value set : sets) SplitField(set, type->span, fields);
  }
  return fields_.emplace(global, std::move(fields)).first->second;
}

// The whole values that follow each other in `atoms`: a constructor together with its fields is one.
std::vector<Value> Evaluator::WholeValues(std::span<const Value> atoms) {
  std::vector<Value> parts;
  for (size_t at = 0; at < atoms.size();) {
    size_t width = ValueWidth(atoms.subspan(at));
    parts.push_back(store_.Dot(atoms.subspan(at, width)));
    at += width;
  }
  return parts;
}

// The sets of first parts, second parts ... of `rows`, which have equally many; whether `rows` is their product.
bool Evaluator::Columns(const std::vector<std::vector<Value>>& rows, std::vector<Value>& out) {
  size_t product = 1;
  for (size_t i = 0; i < rows[0].size(); ++i) {
    std::vector<Value> column;
    for (const auto& row : rows) column.push_back(row[i]);
    out.push_back(store_.Set(std::move(column)));
    product = std::min<size_t>(product * out.back()->count, kMaxSet + 1);
  }
  return product == rows.size();
}

// A set of dotted values as a type, such as {x.y | x <- S, y <- T}, stands for as many fields as its members have.
void Evaluator::SplitField(Value set, Span span, std::vector<Value>& out) {
  bool dotted = set->kind == Kind::kSet && set->count > 0 && set->kid(0)->kind == Kind::kDot;
  if (!dotted) return out.push_back(set);
  std::vector<std::vector<Value>> rows;
  for (Value member : set->kids()) {
    rows.push_back(WholeValues(member->kind == Kind::kDot ? member->kids() : std::span<const Value>(&member, 1)));
    if (rows.back().size() != rows[0].size()) Fail(span, "the members of this type have different numbers of fields");
  }
  if (rows[0].size() == 1) return out.push_back(set);
  if (Columns(rows, out)) return;
  Fail(span, "this set of dotted values is not a product of sets, so it cannot be a type");
}

std::span<const Value> Evaluator::Atoms(const Value& value) const {
  return value->kind == Kind::kDot ? value->kids() : std::span<const Value>(&value, 1);
}

// What a type that does not have all values of a constructor leaves open: `atoms` begins with the constructor. Sets
// `used` to how many atoms belong to it, and adds the fields that still lack. False when the type leaves the
// constructor alone, or has nothing that begins like this.
bool Evaluator::Restricted(Value field, std::span<const Value> atoms, size_t& used, std::vector<Value>& fields,
                           bool& ragged) {
  auto begins = [](std::span<const Value> a, std::span<const Value> b) {
    return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  };
  if (field->kind == Kind::kSymbolicSet) {
    if (SymbolicKind(field) != SetKind::kProductions) return false;
    bool open = false;
    for (Value partial : field->kids()) {
      if (begins(Atoms(partial), atoms)) return false;
      open = open || begins(atoms, Atoms(partial));
    }
    if (!open) return false;
  }
  size_t width = ValueWidth(atoms);  // the usual case: a whole member
  if (Contains(field, store_.Dot(atoms.subspan(0, width)))) {
    used = width;
    return true;
  }
  std::vector<std::vector<Value>> rows;
  for (Value member : Elements(field, {})) {
    std::span<const Value> whole = Atoms(member);
    if (begins(whole, atoms)) {
      used = whole.size();
      return true;
    }
    if (begins(atoms, whole)) rows.push_back(WholeValues(whole.subspan(atoms.size())));
  }
  if (rows.empty()) return false;
  used = atoms.size();
  ragged = !Columns(rows, fields) || ragged;
  return true;
}

bool Evaluator::Missing(std::span<const Value> atoms, std::vector<Value>& out, bool* ragged) {
  out.clear();
  bool some_ragged = false;
  std::vector<Value> need;  // reversed
  auto push_fields = [&](Value head) {
    const std::vector<Value>& fields = FieldsOf(static_cast<uint32_t>(head->number));
    need.insert(need.end(), fields.rbegin(), fields.rend());
  };
  if (atoms[0]->kind != Kind::kGlobal) return true;
  push_fields(atoms[0]);
  for (size_t at = 1; at < atoms.size();) {
    if (need.empty()) return false;
    Value field = need.back();
    need.pop_back();
    size_t used = 1;
    if (atoms[at]->kind == Kind::kGlobal) {
      std::vector<Value> left;
      if (Restricted(field, atoms.subspan(at), used, left, some_ragged)) {
        need.insert(need.end(), left.rbegin(), left.rend());
      } else {
        push_fields(atoms[at]);
      }
    }
    at += used;
  }
  out.assign(need.rbegin(), need.rend());
  if (ragged != nullptr) *ragged = some_ragged;
  return true;
}

void Evaluator::Product(std::span<const Value> sets, std::vector<Value>& chosen, Span span,
                        const std::function<void(std::span<const Value>)>& body) {
  if (sets.empty()) return body(chosen);
  for (Value item : Elements(sets[0], span)) {
    chosen.push_back(item);
    Product(sets.subspan(1), chosen, span, body);
    chosen.pop_back();
  }
}

std::vector<Value> Evaluator::Elements(Value set, Span span) {
  if (set->kind == Kind::kSet) return {set->kids().begin(), set->kids().end()};
  auto it = explicit_sets_.find(set);
  if (it != explicit_sets_.end()) return it->second;
  std::vector<Value> items;
  CheckDepth(span);
  if (!listing_.insert(set).second)
    Fail(span, fmt::format("the set `{}` is infinite: its elements contain it", Show(set)));
  try {
    AddElements(set, span, items);
  } catch (...) {
    listing_.erase(set);
    throw;
  }
  listing_.erase(set);
  Value sorted = store_.Set(std::move(items));
  std::vector<Value> result(sorted->kids().begin(), sorted->kids().end());
  explicit_sets_.emplace(set, result);
  return result;
}

void Evaluator::AddElements(Value set, Span span, std::vector<Value>& out) {
  auto add = [&](Value v) {
    CheckLimits();
    if (out.size() >= kMaxSet) Fail(span, fmt::format("a set of more than {} elements", kMaxSet));
    out.push_back(v);
  };
  auto expand = [&](Value partial) {
    std::vector<Value> missing;
    bool ragged = false;
    if (!Missing(Atoms(partial), missing, &ragged)) Fail(span, fmt::format("`{}` has too many fields", Show(partial)));
    std::vector<Value> chosen(Atoms(partial).begin(), Atoms(partial).end());
    Product(missing, chosen, span, [&](std::span<const Value> parts) {
      Value whole = store_.Dot(parts);
      if (!ragged || IsInside(whole)) add(whole);
    });
  };
  switch (SymbolicKind(set)) {
    case SetKind::kInts:
    case SetKind::kIntsFrom:
    case SetKind::kSeqs:
    case SetKind::kProcs:
      Fail(span, fmt::format("the set `{}` is infinite", Show(set)));
    case SetKind::kBools:
      add(store_.Bool(false));
      add(store_.Bool(true));
      return;
    case SetKind::kChars:
      for (int c = 0; c < 256; ++c) add(store_.Char(c));
      return;
    case SetKind::kEvents:
      for (uint32_t i = 0; i < globals_.all.size(); ++i) {
        if (globals_.all[i].kind == Global::Kind::kChannel) expand(store_.Make(Kind::kGlobal, i, nullptr, {}));
      }
      return;
    case SetKind::kProductions:
      for (Value partial : set->kids()) expand(partial);
      return;
    case SetKind::kDots:
    case SetKind::kTuples: {
      std::vector<Value> chosen;
      bool dots = SymbolicKind(set) == SetKind::kDots;
      Product(set->kids(), chosen, span,
              [&](std::span<const Value> parts) { add(dots ? store_.Dot(parts) : store_.Tuple(parts)); });
      return;
    }
    case SetKind::kSubsets: {
      std::vector<Value> base = Elements(set->kid(0), span);
      if (base.size() > 20) Fail(span, fmt::format("the subsets of a set of {} elements are too many", base.size()));
      for (size_t mask = 0; mask < (size_t{1} << base.size()); ++mask) {
        std::vector<Value> subset;
        for (size_t i = 0; i < base.size(); ++i) {
          if (mask >> i & 1) subset.push_back(base[i]);
        }
        add(store_.SortedSet(subset));
      }
      return;
    }
    case SetKind::kMaps: {
      // Partial functions: each key has one of the values or none.
      std::vector<Value> keys = Elements(set->kid(0), span);
      std::vector<Value> values = Elements(set->kid(1), span);
      std::vector<std::pair<Value, Value>> entries;
      std::function<void(size_t)> choose = [&](size_t at) {
        if (at == keys.size()) return add(store_.Map(entries));
        choose(at + 1);
        for (Value value : values) {
          entries.emplace_back(keys[at], value);
          choose(at + 1);
          entries.pop_back();
        }
      };
      choose(0);
      return;
    }
  }
}

// By its rule; a set of events or of a datatype may still be infinite through a field.
bool Evaluator::IsFinite(Value set) {
  if (set->kind == Kind::kSet) return true;
  switch (SymbolicKind(set)) {
    case SetKind::kInts:
    case SetKind::kIntsFrom:
    case SetKind::kProcs:
      return false;
    case SetKind::kSeqs:
      return IsFinite(set->kid(0)) && Elements(set->kid(0), {}).empty();
    case SetKind::kSubsets:
    case SetKind::kDots:
    case SetKind::kTuples:
    case SetKind::kMaps:
      return std::all_of(set->kids().begin(), set->kids().end(), [&](Value kid) { return IsFinite(kid); });
    default:
      return true;
  }
}

bool Evaluator::SameSet(Value a, Value b, Span span) {
  if (a == b) return true;
  bool finite = IsFinite(a);
  if (finite && IsFinite(b)) return Explicit(a, span) == Explicit(b, span);
  if (finite != IsFinite(b)) return false;
  // Numbers from different beginnings differ, and Int is none of them.
  auto numbers = [](Value s) { return SymbolicKind(s) == SetKind::kInts || SymbolicKind(s) == SetKind::kIntsFrom; };
  if (numbers(a) && numbers(b)) return false;
  if (SymbolicKind(a) != SymbolicKind(b)) return false;
  bool same_shape = a->count == b->count;
  for (size_t i = 0; same_shape && i < a->count; ++i) same_shape = SameSet(a->kid(i), b->kid(i), span);
  return same_shape;
}

// Whether `atoms` is exactly one member of each set in turn.
bool Evaluator::ContainsFields(std::span<const Value> sets, std::span<const Value> atoms) {
  size_t at = 0;
  for (Value set : sets) {
    if (at >= atoms.size()) return false;
    size_t n = ValueWidth(atoms.subspan(at));
    if (set->kind == Kind::kSet && set->count > 0 && set->kid(0)->kind == Kind::kDot) {
      n = 0;  // a member may be several whole values
      for (size_t i = WholeValues(set->kid(0)->kids()).size(); i > 0 && at + n < atoms.size(); --i) {
        n += ValueWidth(atoms.subspan(at + n));
      }
    }
    if (at + n > atoms.size() || !Contains(set, store_.Dot(atoms.subspan(at, n)))) return false;
    at += n;
  }
  return at == atoms.size();
}

// Whether a whole event or value of a datatype has only fields that its channel or constructor allows.
bool Evaluator::IsInside(Value value) {
  Value head = Atoms(value)[0];
  return head->kind != Kind::kGlobal ||
         ContainsFields(FieldsOf(static_cast<uint32_t>(head->number)), Atoms(value).subspan(1));
}

bool Evaluator::Contains(Value set, Value v) {
  if (set->kind == Kind::kSet) {
    auto kids = set->kids();
    auto it = std::lower_bound(kids.begin(), kids.end(), v, [](Value a, Value b) { return Compare(a, b) < 0; });
    return it != kids.end() && *it == v;
  }
  switch (SymbolicKind(set)) {
    case SetKind::kInts:
      return v->kind == Kind::kInt;
    case SetKind::kIntsFrom:
      return v->kind == Kind::kInt && v->number >= set->kid(0)->number;
    case SetKind::kBools:
      return v->kind == Kind::kBool;
    case SetKind::kChars:
      return v->kind == Kind::kChar;
    case SetKind::kProcs:
      return v->kind == Kind::kProcess;
    case SetKind::kEvents: {
      Value head = Atoms(v)[0];
      return head->kind == Kind::kGlobal &&
             globals_.all[static_cast<size_t>(head->number)].kind == Global::Kind::kChannel &&
             ContainsFields(FieldsOf(static_cast<uint32_t>(head->number)), Atoms(v).subspan(1));
    }
    case SetKind::kProductions: {
      std::vector<Value> suffix;
      for (Value partial : set->kids()) {
        if (!Suffix(partial, v, suffix)) continue;
        return IsInside(v);
      }
      return false;
    }
    case SetKind::kSeqs:
      return v->kind == Kind::kSeq &&
             std::all_of(v->kids().begin(), v->kids().end(), [&](Value x) { return Contains(set->kid(0), x); });
    case SetKind::kSubsets:
      return v->kind == Kind::kSet &&
             std::all_of(v->kids().begin(), v->kids().end(), [&](Value x) { return Contains(set->kid(0), x); });
    case SetKind::kDots: {
      std::vector<Value> fields;
      FlattenFields(set, fields);
      return ContainsFields(fields, Atoms(v));
    }
    case SetKind::kTuples:
      if (v->kind != Kind::kTuple || v->count != set->count) return false;
      for (size_t i = 0; i < v->count; ++i) {
        if (!Contains(set->kid(i), v->kid(i))) return false;
      }
      return true;
    case SetKind::kMaps:
      if (v->kind != Kind::kMap) return false;
      for (size_t i = 0; i < v->count; ++i) {
        if (!Contains(set->kid(i % 2), v->kid(i))) return false;
      }
      return true;
  }
  return false;
}

bool Evaluator::Suffix(Value prefix, Value event, std::vector<Value>& out) const {
  std::span<const Value> p = Atoms(prefix);
  std::span<const Value> e = Atoms(event);
  if (p.size() > e.size() || !std::equal(p.begin(), p.end(), e.begin())) return false;
  out.assign(e.begin() + static_cast<std::ptrdiff_t>(p.size()), e.end());
  return true;
}

void Evaluator::FailOutside(Value value, Span span) {
  const Global& head = globals_.all[static_cast<size_t>(Atoms(value)[0]->number)];
  std::string types;
  for (Value field : FieldsOf(static_cast<uint32_t>(Atoms(value)[0]->number))) {
    types += (types.empty() ? "" : ".") + Show(field);
  }
  if (types.size() > 100) types = types.substr(0, 97) + "...";
  std::string_view what = head.kind == Global::Kind::kChannel ? "channel" : "constructor";
  Fail(span, fmt::format("`{}` is outside the type of {} `{}`", Show(value), what, head.name), "the type is " + types);
}

EventId Evaluator::EventOf(Value value, Span span) {
  if (value->tag != 0) return value->tag;
  Value head = Atoms(value)[0];
  bool channel =
      head->kind == Kind::kGlobal && globals_.all[static_cast<size_t>(head->number)].kind == Global::Kind::kChannel;
  if (!channel) Fail(span, fmt::format("`{}` is not an event", Show(value)), "an event begins with a channel");
  std::vector<Value> missing;
  bool fits = Missing(Atoms(value), missing);
  const std::string& name = globals_.all[static_cast<size_t>(head->number)].name;
  const std::vector<Value>& fields = FieldsOf(static_cast<uint32_t>(head->number));
  if (!fits) {
    Fail(span, fmt::format("`{}` has too many fields: channel `{}` takes {}", Show(value), name, fields.size()));
  }
  if (!missing.empty()) {
    Fail(span, fmt::format("`{}` is not a complete event: channel `{}` takes {} field{}", Show(value), name,
                           fields.size(), fields.size() == 1 ? "" : "s"));
  }
  if (!IsInside(value)) FailOutside(value, span);
  events_.push_back(value);
  value->tag = static_cast<uint32_t>(events_.size() - 1);
  return value->tag;
}

bool Evaluator::SetHasEvent(Value set, EventId event) {
  if (set->memo == nullptr) {
    predicates_.push_back(std::make_unique<std::vector<uint8_t>>());
    set->memo = predicates_.back().get();
  }
  std::vector<uint8_t>& cache = *static_cast<std::vector<uint8_t>*>(set->memo);
  if (event >= cache.size()) cache.resize(events_.size());
  if (cache[event] == 0) {
    bool has = event >= kFirstEvent && Contains(set, events_[event]);
    cache[event] = has ? 2 : 1;
  }
  return cache[event] == 2;
}

const std::vector<EventId>& Evaluator::Renamed(Value pairs, EventId event) {
  Relation& relation = relations_[pairs];
  if (relation.images.empty()) {
    CheckLimits(1 + pairs->count / 64);
    for (Value pair : pairs->kids()) {
      std::vector<Value>& images = relation.images[pair->kid(0)];
      if (images.empty()) relation.lengths.push_back(Atoms(pair->kid(0)).size());
      images.push_back(pair->kid(1));
    }
    std::sort(relation.lengths.begin(), relation.lengths.end());
    relation.lengths.erase(std::unique(relation.lengths.begin(), relation.lengths.end()), relation.lengths.end());
  }
  auto known = relation.events.find(event);
  if (known != relation.events.end()) return known->second;
  CheckLimits(1);
  std::span<const Value> atoms = Atoms(events_[event]);
  std::vector<EventId> found;
  for (size_t length : relation.lengths) {
    if (length > atoms.size()) break;
    auto images = relation.images.find(length == atoms.size() ? events_[event] : store_.Dot(atoms.first(length)));
    if (images == relation.images.end()) continue;
    for (Value image : images->second) {
      std::vector<Value> renamed{image};
      renamed.insert(renamed.end(), atoms.begin() + static_cast<std::ptrdiff_t>(length), atoms.end());
      found.push_back(EventOf(store_.Dot(renamed), relation.span));
    }
  }
  if (found.empty()) found.push_back(event);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return relation.events[event] = std::move(found);
}

}  // namespace heddle::csp
