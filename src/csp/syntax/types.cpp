#include "csp/syntax/types.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::csp {

using K = Type::Kind;

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

Type* Types::Var(int level) {
  Type* t = Make(K::kVar);
  t->level = level;
  return t;
}

Type* Types::Data(const Decl* decl) {
  Type* t = Make(K::kData);
  t->data = decl;
  return t;
}

Type* Types::Prune(Type* t) {
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind == K::kDots && depth_ < 50) {
    ++depth_;
    Type* joined = Join(t->args, false);
    --depth_;
    if (joined != nullptr && joined->kind != K::kDots) return joined;
  }
  return t;
}

void Types::Flatten(Type* t, std::vector<Type*>& out) {
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t->kind != K::kDots) return out.push_back(t);
  for (Type* part : t->args) Flatten(part, out);
}

// One value at the head of parts[at..]: a plain type, or a dotable with the fields that follow it.
Type* Types::ParseField(std::vector<Type*>& parts, size_t& at, bool complete, bool& fits) {
  Type* head = Prune(parts[at++]);
  if (head->kind != K::kDotable) return head;
  size_t fields = head->args.size() - 1;
  for (size_t i = 0; i < fields; ++i) {
    if (at >= parts.size()) {
      std::vector<Type*> rest(head->args.begin() + static_cast<std::ptrdiff_t>(i), head->args.end());
      return Make(K::kDotable, std::move(rest));
    }
    Type* next = Prune(parts[at]);
    bool last = at + 1 == parts.size();
    if (next->kind == K::kAny && last) {
      ++at;
      return any;
    }
    if (next->kind == K::kVar && last && complete && i + 1 < fields) {
      std::vector<Type*> rest(head->args.begin() + static_cast<std::ptrdiff_t>(i), head->args.end() - 1);
      fits &= Unify(next, Make(K::kDots, std::move(rest)));
      ++at;
      return head->args.back();
    }
    Type* value = ParseField(parts, at, complete, fits);
    fits &= Unify(head->args[i], value);
  }
  return head->args.back();
}

Type* Types::Join(std::vector<Type*> parts, bool complete) {
  std::vector<Type*> flat;
  for (Type* part : parts) Flatten(part, flat);
  std::vector<Type*> out;
  bool fits = true;
  for (size_t at = 0; at < flat.size();) {
    // A head that is not known yet may take any number of what follows.
    Type* head = flat[at];
    while (head->kind == K::kVar && head->link != nullptr) head = head->link;
    if (head->kind == K::kVar && at == 0 && flat.size() > 1) return Make(K::kDots, std::move(flat));
    out.push_back(ParseField(flat, at, complete, fits));
  }
  if (!fits) return nullptr;
  return out.size() == 1 ? out[0] : Make(K::kDots, std::move(out));
}

bool Types::Occurs(Type* var, Type* t) {
  while (t->kind == K::kVar && t->link != nullptr) t = t->link;
  if (t == var) return true;
  if (t->kind == K::kVar) t->level = std::min(t->level, var->level);
  return std::any_of(t->args.begin(), t->args.end(), [&](Type* a) { return Occurs(var, a); });
}

bool Types::UnifyDotable(Type* a, Type* b) {
  size_t n = std::min(a->args.size(), b->args.size()) - 1;
  for (size_t i = 0; i < n; ++i) {
    if (!Unify(a->args[i], b->args[i])) return false;
  }
  auto rest = [&](Type* t) {
    if (t->args.size() - 1 == n) return t->args.back();
    return Make(K::kDotable, {t->args.begin() + static_cast<std::ptrdiff_t>(n), t->args.end()});
  };
  return Unify(rest(a), rest(b));
}

// `dots` could not be joined: it begins with a variable, or it is a plain dotted value.
bool Types::UnifyDots(Type* dots, Type* other) {
  std::vector<Type*> a;
  Flatten(dots, a);
  if (other->kind != K::kDots) {
    Type* head = Prune(a[0]);
    if (head->kind == K::kAny) return true;
    if (head->kind != K::kVar) return false;
    std::vector<Type*> fields(a.begin() + 1, a.end());
    fields.push_back(other);
    return Unify(head, Make(K::kDotable, std::move(fields)));
  }
  std::vector<Type*> b;
  Flatten(other, b);
  if (a.size() > b.size()) std::swap(a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    Type* left = Prune(a[i]);
    if (left->kind == K::kAny || Prune(b[i])->kind == K::kAny) return true;
    if (i + 1 == a.size() && b.size() > a.size()) {
      if (left->kind != K::kVar) return Prune(a[0])->kind == K::kVar || Prune(b[0])->kind == K::kVar;
      return Unify(left, Make(K::kDots, {b.begin() + static_cast<std::ptrdiff_t>(i), b.end()}));
    }
    if (!Unify(left, b[i])) return false;
  }
  return true;
}

bool Types::Unify(Type* a, Type* b) {
  a = Prune(a);
  b = Prune(b);
  if (a == b || a->kind == K::kAny || b->kind == K::kAny) return true;
  if (b->kind == K::kVar && a->kind != K::kVar) std::swap(a, b);
  if (a->kind == K::kVar) {
    if (Occurs(a, b)) return b->kind == K::kDots || b->kind == K::kDotable;
    if (b->kind == K::kVar) b->level = std::min(a->level, b->level);
    a->link = b;
    return true;
  }
  if (a->kind == K::kDots) return UnifyDots(a, b);
  if (b->kind == K::kDots) return UnifyDots(b, a);
  if (a->kind != b->kind) return false;
  if (a->kind == K::kDotable) return UnifyDotable(a, b);
  if (a->kind == K::kData) return a->data == b->data;
  if (a->args.size() != b->args.size()) return false;
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (!Unify(a->args[i], b->args[i])) return false;
  }
  return true;
}

std::string Types::Show(Type* t) {
  t = Prune(t);
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
      return "(| " + Show(t->args[0]) + " => " + Show(t->args[1]) + " |)";
    case K::kTuple:
      return "(" + list(t->args.size(), ", ") + ")";
    case K::kFunction:
      return "(" + list(t->args.size() - 1, ", ") + ") -> " + Show(t->args.back());
    case K::kDotable:
      return list(t->args.size(), "=>");
    case K::kDots:
      return list(t->args.size(), ".");
  }
  return "?";
}

}  // namespace heddle::csp
