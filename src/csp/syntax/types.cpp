#include "csp/syntax/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::csp {

using K = Type::Kind;

namespace {

Type* Behind(Type* t) {
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  return t;
}

bool IsOpen(Type* t) { return t->kind == K::kVar; }

}  // namespace

Types::Types() {
  any = Make(K::kAny);
  integer = Make(K::kInt);
  boolean = Make(K::kBool);
  character = Make(K::kChar);
  process = Make(K::kProc);
  event = Make(K::kEvent);
}

Type* Types::Make(K kind, std::vector<Type*> args) {
  Type& t = all_.emplace_back();
  t.kind = kind;
  t.args = std::move(args);
  return &t;
}

Type* Types::Var(int level, TypeClasses classes) {
  Type* t = Make(K::kVar);
  t->level = level;
  t->classes = classes;
  return t;
}

Type* Types::Extendable(int level, Type* yields) {
  Type* t = Var(level);
  t->yields = yields;
  return t;
}

Type* Types::Data(const Decl* decl) {
  Type* t = Make(K::kData);
  t->data = decl;
  return t;
}

Type* Types::Rigid(const std::string& name, TypeClasses classes) {
  Type* t = Make(K::kRigid);
  t->name = name;
  t->classes = classes;
  return t;
}

Type* Types::Dotable(std::vector<Type*> fields, Type* result) {
  if (fields.empty()) return result;
  result = Behind(result);
  if (result->kind == K::kDotable) {
    fields.insert(fields.end(), result->args.begin(), result->args.end());
  } else {
    fields.push_back(result);
  }
  return Make(K::kDotable, std::move(fields));
}

Type* Types::Prune(Type* t) {
  if (Spend()) return any;
  t = Behind(t);
  if (t->kind == K::kDots && depth_ < 50) {
    ++depth_;
    Type* joined = Join(t->args, false);
    --depth_;
    if (joined != nullptr && joined->kind != K::kDots) return Behind(joined);
  }
  return t;
}

void Types::Flatten(Type* t, std::vector<Type*>& out) {
  t = Behind(t);
  if (t->kind != K::kDots) return out.push_back(t);
  for (Type* part : t->args) Flatten(part, out);
}

struct Types::Parse {
  std::vector<Type*> parts;
  size_t at = 0;
  bool complete = false;
  bool fits = true;
  int depth = 0;      // inside the fields of how many others
  bool open = false;  // an unknown last part could cover one field or several
};

// One value at the head of the parts: a plain type, or a dotable with as many of its fields as follow.
Type* Types::ParseValue(Parse& parse) {
  Type* head = Behind(parse.parts[parse.at++]);
  if (head->kind != K::kDotable) return head;
  std::vector<Type*> fields;
  Type* result = head;
  size_t i = 0;
  while (true) {
    while (i == fields.size()) {
      result = Behind(result);
      if (result->kind != K::kDotable) return result;
      for (size_t f = 0; f + 1 < result->args.size(); ++f) Flatten(result->args[f], fields);
      result = result->args.back();
    }
    if (parse.at == parse.parts.size())
      return Dotable({fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end()}, result);
    Type* next = Behind(parse.parts[parse.at]);
    bool last = parse.at + 1 == parse.parts.size();
    if (next->kind == K::kAny) {
      parse.at = last ? parse.at + 1 : parse.at;
      if (last) return any;
    }
    bool covers_all = IsOpen(next) && next->yields == nullptr && last;
    // It may cover the fields of those around too: they decide.
    if (covers_all && parse.depth > 0) {
      return Dotable({fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end()}, result);
    }
    if (covers_all && i + 1 < fields.size()) {
      if (!parse.complete) parse.open = true;
      ++parse.at;
      if (parse.complete) {
        parse.fits &= Unify(next, Make(K::kDots, {fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end()}));
      }
      return result;
    }
    ++parse.depth;
    Type* value = ParseValue(parse);
    --parse.depth;
    Type* field = Behind(fields[i++]);
    if (field->kind == K::kDots) {
      // A field that has turned out to be several.
      std::vector<Type*> several;
      Flatten(field, several);
      fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(--i));
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(i), several.begin(), several.end());
      field = fields[i++];
    }
    if (IsOpen(value) && value->yields != nullptr && field->kind != K::kDotable) {
      // Something that lacks fields which are not known: the whole lacks them too.
      parse.fits &= Unify(value->yields, field);
      return Extendable(value->level, Dotable({fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end()}, result));
    }
    if (value->kind == K::kDotable && field->kind != K::kDotable) {
      // A constructor whose own fields are still open: they come before what is left of ours.
      std::vector<Type*> rest(value->args.begin(), value->args.end() - 1);
      rest.insert(rest.end(), fields.begin() + static_cast<std::ptrdiff_t>(i), fields.end());
      parse.fits &= Unify(value->args.back(), field);
      if (!parse.fits) return any;
      fields.clear();
      for (Type* part : rest) Flatten(part, fields);
      i = 0;
      continue;
    }
    parse.fits &= Unify(field, value);
  }
}

Type* Types::Join(const std::vector<Type*>& parts, bool complete) {
  Parse parse;
  for (Type* part : parts) Flatten(part, parse.parts);
  parse.complete = complete;
  // A head that is not known yet may take any number of what follows.
  if (IsOpen(parse.parts[0]) && parse.parts.size() > 1) {
    if (parse.parts[0]->yields == nullptr) return Make(K::kDots, std::move(parse.parts));
    return JoinExtendable(parse.parts);
  }
  std::vector<Type*> out;
  while (parse.at < parse.parts.size()) out.push_back(ParseValue(parse));
  if (!parse.fits) return nullptr;
  if (parse.open) return Make(K::kDots, std::move(parse.parts));
  return out.size() == 1 ? out[0] : Make(K::kDots, std::move(out));
}

// The head lacks fields and what follows are the first of them.
Type* Types::JoinExtendable(const std::vector<Type*>& parts) {
  Type* head = parts[0];
  Type* left = Extendable(head->level, head->yields);
  Type* rest = Join({parts.begin() + 1, parts.end()}, false);
  if (rest == nullptr) return nullptr;
  std::vector<Type*> fields;
  Flatten(rest, fields);
  return Unify(head, Dotable(std::move(fields), left)) ? left : nullptr;
}

bool Types::Occurs(Type* var, Type* t) {
  if (Spend()) return false;
  t = Behind(t);
  if (t == var) return true;
  if (t->kind == K::kVar) {
    t->level = std::min(t->level, var->level);
    return t->yields != nullptr && Occurs(var, t->yields);
  }
  return std::any_of(t->args.begin(), t->args.end(), [&](Type* a) { return Occurs(var, a); });
}

bool Types::UnifyDotable(Type* a, Type* b) {
  auto parts = [&](Type* t, std::vector<Type*>& fields) {
    while (t->kind == K::kDotable) {
      for (size_t i = 0; i + 1 < t->args.size(); ++i) Flatten(t->args[i], fields);
      t = Behind(t->args.back());
    }
    return t;
  };
  std::vector<Type*> left;
  std::vector<Type*> right;
  Type* left_result = parts(a, left);
  Type* right_result = parts(b, right);
  if (left.size() > right.size()) {
    std::swap(left, right);
    std::swap(left_result, right_result);
  }
  size_t n = left.size();
  size_t common = n;
  // With more fields on one side, the result of the other or its last field is the rest.
  bool plain = !IsOpen(left_result) || (left_result->classes & kYieldable) != 0;
  bool takes_rest = right.size() > n && plain && IsOpen(Behind(left[n - 1]));
  if (takes_rest) --common;
  for (size_t i = 0; i < common; ++i) {
    if (!Unify(left[i], right[i])) return false;
  }
  if (takes_rest) {
    return Unify(left[n - 1], Make(K::kDots, {right.begin() + static_cast<std::ptrdiff_t>(common), right.end()})) &&
           Unify(left_result, right_result);
  }
  return Unify(left_result, Dotable({right.begin() + static_cast<std::ptrdiff_t>(n), right.end()}, right_result));
}

// A dotable with an unknown last part before several fields: what it must be equal to says how many they are.
bool Types::FixOpenEnd(std::vector<Type*>& parts, Type* other) {
  Parse parse;
  parse.parts.assign(parts.begin(), parts.end() - 1);
  Type* before = nullptr;
  while (parse.at < parse.parts.size()) before = ParseValue(parse);
  if (!parse.fits || before == nullptr || before->kind != K::kDotable) return false;
  size_t left = before->args.size() - 1;
  size_t keeps = other->kind == K::kDotable ? other->args.size() - 1 : 0;
  if (keeps >= left) return false;
  std::vector<Type*> taken(before->args.begin(), before->args.end() - 1 - static_cast<std::ptrdiff_t>(keeps));
  return Unify(parts.back(), taken.size() == 1 ? taken[0] : Make(K::kDots, std::move(taken)));
}

bool Types::UnifyLists(Type* x, Type* y) {
  std::vector<Type*> a;
  std::vector<Type*> b;
  Flatten(x, a);
  Flatten(y, b);
  if (a.size() > b.size()) std::swap(a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    Type* left = Behind(a[i]);
    if (left->kind == K::kAny || Behind(b[i])->kind == K::kAny) return true;
    if (i + 1 == a.size() && b.size() > a.size()) {
      return Unify(left, Make(K::kDots, {b.begin() + static_cast<std::ptrdiff_t>(i), b.end()}));
    }
    if (!Unify(left, b[i])) return false;
  }
  return true;
}

// `dots` could not be joined: it begins with a variable, has an open end, or is a plain dotted value.
bool Types::UnifyDots(Type* dots, Type* other) {
  if (other->kind == K::kDots) return UnifyLists(dots, other);
  std::vector<Type*> parts;
  Flatten(dots, parts);
  Type* head = parts[0];
  if (head->kind == K::kAny) return true;
  if (IsOpen(head)) {
    Type* rest = Join({parts.begin() + 1, parts.end()}, false);
    if (rest == nullptr) return false;
    std::vector<Type*> fields;
    Flatten(rest, fields);
    return Unify(head, Dotable(std::move(fields), other));
  }
  if (!IsOpen(parts.back()) || head->kind != K::kDotable || !FixOpenEnd(parts, other)) return false;
  // It met a field of unknown type (an undeclared name, a parameter of a module) and stays open: nothing can be told.
  if (IsOpen(Behind(parts.back()))) return true;
  Type* joined = Join(parts, false);
  return joined != nullptr && Unify(joined, other);
}

bool Types::UnifyVariable(Type* var, Type* other) {
  if (other->kind == K::kVar) {
    if (Occurs(var, other)) return false;
    other->level = std::min(var->level, other->level);
    other->classes |= var->classes;
    var->link = other;
    return var->yields == nullptr || Extend(other, var->yields, other->level);
  }
  if (Occurs(var, other)) return false;
  var->link = other;
  bool fits = (var->classes == 0 || Constrain(other, var->classes)) &&
              (var->yields == nullptr || Extend(other, var->yields, var->level));
  if (!fits) var->link = nullptr;  // so that messages still show it as unknown
  return fits;
}

bool Types::Extend(Type* t, Type* result, int level) {
  t = Prune(t);
  if (t->kind == K::kVar) {
    // Nothing is lacking: it is what it yields.
    if (Prune(result) == t) return Constrain(t, kYieldable);
    if (t->yields != nullptr) return Unify(t->yields, result);
    if (Occurs(t, result)) return false;
    t->yields = result;
    return true;
  }
  if (t->kind == K::kDots) {
    std::vector<Type*> parts;
    Flatten(t, parts);
    if (IsOpen(parts[0])) {
      Type* rest = Join({parts.begin() + 1, parts.end()}, false);
      if (rest == nullptr) return false;
      std::vector<Type*> fields;
      Flatten(rest, fields);
      return Unify(parts[0], Dotable(std::move(fields), Extendable(level, result)));
    }
    if (parts[0]->kind != K::kDotable) return false;
    // An open end: how much it covers makes no difference to what is yielded.
    return Unify(parts[0]->args.back(), result);
  }
  if (t->kind == K::kDotable) return Extend(t->args.back(), result, level);
  return Unify(t, result) && Constrain(t, kYieldable);
}

bool Types::Unify(Type* a, Type* b) {
  a = Prune(a);
  b = Prune(b);
  if (a == b || a->kind == K::kAny || b->kind == K::kAny) return true;
  if (b->kind == K::kVar && a->kind != K::kVar) std::swap(a, b);
  if (a->kind == K::kVar) return UnifyVariable(a, b);
  if (a->kind == K::kDots) return UnifyDots(a, b);
  if (b->kind == K::kDots) return UnifyDots(b, a);
  if (a->kind != b->kind || a->kind == K::kRigid) return false;
  if (a->kind == K::kDotable) return UnifyDotable(a, b);
  if (a->kind == K::kData) return a->data == b->data;
  if (a->args.size() != b->args.size()) return false;
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (!Unify(a->args[i], b->args[i])) return false;
  }
  return true;
}

bool Types::Missing(TypeClasses classes) {
  if (!missing_class_.empty()) return false;
  missing_class_ = (classes & kComparable) != 0 ? "have no equality"
                   : (classes & kOrdered) != 0  ? "have no order"
                   : (classes & kSettable) != 0 ? "cannot be kept in a set"
                   : (classes & kComplete) != 0 ? "lack fields"
                                                : "are neither events nor of a datatype";
  return false;
}

std::string Types::TakeMissingClass() { return std::exchange(missing_class_, {}); }

bool Types::ConstrainArgs(Type* t, TypeClasses classes) {
  return std::all_of(t->args.begin(), t->args.end(), [&](Type* a) { return Constrain(a, classes); });
}

bool Types::ConstrainData(Type* t, TypeClasses classes) {
  if ((classes & kOrdered) != 0) return Missing(kOrdered);
  classes &= kComparable | kSettable;
  auto fields = data_fields_.find(t->data);
  if (classes == 0 || fields == data_fields_.end() || !data_busy_.insert(t->data).second) return true;
  bool all = std::all_of(fields->second.begin(), fields->second.end(), [&](Type* f) { return Constrain(f, classes); });
  data_busy_.erase(t->data);
  return all;
}

bool Types::Constrain(Type* t, TypeClasses classes) {
  t = Prune(t);
  TypeClasses lacks = 0;
  TypeClasses inner = classes & (kComparable | kSettable);
  if ((classes & kOrdered) != 0) inner |= kComparable;
  switch (t->kind) {
    case K::kAny:
      return true;
    case K::kVar:
      t->classes |= classes;
      return true;
    case K::kRigid: {
      TypeClasses has = t->classes;
      if ((has & kOrdered) != 0) has |= kComparable;
      if ((has & (kComparable | kYieldable)) != 0) has |= kSettable;
      if ((has & kYieldable) != 0) has |= kComparable | kComplete;
      return (classes & ~has) == 0 || Missing(classes & static_cast<TypeClasses>(~has));
    }
    case K::kInt:
    case K::kChar:
      lacks = kYieldable;
      inner = 0;
      break;
    case K::kBool:
      lacks = kYieldable | kOrdered;
      inner = 0;
      break;
    case K::kProc:
      lacks = kComparable | kOrdered | kYieldable;
      inner = 0;
      break;
    case K::kEvent:
      lacks = kOrdered;
      inner = 0;
      break;
    case K::kData:
      return ConstrainData(t, classes);
    case K::kFunction:
      lacks = static_cast<TypeClasses>(~kComplete);
      inner = 0;
      break;
    case K::kTuple:
      lacks = kYieldable;
      inner = classes & (kComparable | kOrdered | kSettable);
      break;
    case K::kSeq:
    case K::kSet:
    case K::kMap:
      lacks = kYieldable;
      break;
    case K::kDotable:
      lacks = kOrdered | kComplete | kYieldable;
      break;
    case K::kDots:
      // Its head or its end is not known yet: what holds of the parts holds of the whole.
      lacks = kOrdered;
      break;
  }
  if ((classes & lacks) != 0) return Missing(classes & lacks);
  return inner == 0 || ConstrainArgs(t, inner);
}

bool Types::HasUnknown(Type* t, int level) {
  t = Prune(t);
  if (t->kind == K::kVar) return t->level > level;
  return std::any_of(t->args.begin(), t->args.end(), [&](Type* a) { return HasUnknown(a, level); });
}

bool Types::LacksFields(Type* t) {
  t = Prune(t);
  if (t->kind == K::kDotable || (t->kind == K::kVar && t->yields != nullptr)) return true;
  return std::any_of(t->args.begin(), t->args.end(), [&](Type* a) { return LacksFields(a); });
}

void Types::Forget(Type* t, int level) {
  t = Prune(t);
  if (t->kind == K::kVar && t->level > level) t->link = any;
  for (Type* a : t->args) Forget(a, level);
}

std::string Types::Show(Type* t) {
  t = Prune(t);
  // Names are given in the order in which types are shown, so no two calls of Show stand in one expression.
  auto list = [&](size_t n, std::string_view separator) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += (i == 0 ? "" : std::string(separator)) + Show(t->args[i]);
    return out;
  };
  switch (t->kind) {
    case K::kVar: {
      // Unknown types are a, b, c, ... in the order in which they are first mentioned.
      size_t n = letters_.try_emplace(t, letters_.size()).first->second;
      std::string letter(1, static_cast<char>('a' + n % 26));
      return n < 26 ? letter : letter + std::to_string(n / 26);
    }
    case K::kAny:
      return "?";
    case K::kRigid:
      return t->name;
    case K::kInt:
      return "Int";
    case K::kBool:
      return "Bool";
    case K::kChar:
      return "Char";
    case K::kProc:
      return "Proc";
    case K::kEvent:
      return "Event";
    case K::kData:
      return t->data->names[0];
    case K::kSeq:
      return "<" + Show(t->args[0]) + ">";
    case K::kSet:
      return "{" + Show(t->args[0]) + "}";
    case K::kMap:
      return "(| " + list(2, " => ") + " |)";
    case K::kTuple:
      return "(" + list(t->args.size(), ", ") + ")";
    case K::kFunction: {
      std::string from = "(" + list(t->args.size() - 1, ", ") + ") -> ";
      return from + Show(t->args.back());
    }
    case K::kDotable:
      return list(t->args.size(), "=>");
    case K::kDots:
      return list(t->args.size(), ".");
  }
  return "?";
}

}  // namespace heddle::csp
