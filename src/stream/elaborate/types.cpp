#include "stream/elaborate/types.h"

namespace heddle::stream {
namespace {

bool Occurs(const Type* variable, const TypeRef& in) {
  TypeRef type = Resolve(in);
  if (type.get() == variable) return true;
  for (const TypeRef& arg : type->args) {
    if (Occurs(variable, arg)) return true;
  }
  return false;
}

std::string Joined(const Type& type, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    out += ToText(type.args[i]);
  }
  return out;
}

std::string RecordText(const Type& type) {
  if (IsTuple(type)) return "(" + Joined(type, type.args.size()) + (type.args.size() == 1 ? ",)" : ")");
  std::string out = "{";
  for (size_t i = 0; i < type.args.size(); ++i) {
    out += (i > 0 ? ", " : "") + type.names[i] + ": " + ToText(type.args[i]);
  }
  return out + "}";
}

const char* BaseName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt:
      return "Int";
    case TypeKind::kFloat:
      return "Float";
    case TypeKind::kBool:
      return "Bool";
    case TypeKind::kString:
      return "String";
    case TypeKind::kUnit:
      return "Unit";
    case TypeKind::kOption:
      return "Option";
    case TypeKind::kSet:
      return "Set";
    case TypeKind::kMap:
      return "Map";
    case TypeKind::kList:
      return "List";
    case TypeKind::kEvents:
      return "Events";
    default:
      return "_";
  }
}

}  // namespace

TypeRef SimpleType(TypeKind kind) { return MakeType(kind, {}); }

TypeRef MakeType(TypeKind kind, std::vector<TypeRef> args) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->args = std::move(args);
  return type;
}

TypeRef RecordType(std::vector<std::string> names, std::vector<TypeRef> args) {
  if (names.empty()) return SimpleType(TypeKind::kUnit);
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kRecord;
  type->args = std::move(args);
  type->names = std::move(names);
  return type;
}

TypeRef TupleType(std::vector<TypeRef> args) {
  std::vector<std::string> names;
  names.reserve(args.size());
  for (size_t i = 0; i < args.size(); ++i) names.push_back("_" + std::to_string(i + 1));
  return RecordType(std::move(names), std::move(args));
}

TypeRef FreshVariable() { return SimpleType(TypeKind::kVariable); }

TypeRef RigidType(std::string name) {
  auto type = std::make_shared<Type>();
  type->kind = TypeKind::kRigid;
  type->names = {std::move(name)};
  return type;
}

TypeRef Resolve(TypeRef type) {
  while (type->bound) type = type->bound;
  return type;
}

bool IsStream(const TypeRef& type) { return KindOf(type) == TypeKind::kEvents; }

bool IsTuple(const Type& type) { return type.kind == TypeKind::kRecord && type.names[0] == "_1"; }

bool Unify(const TypeRef& left, const TypeRef& right) {
  TypeRef a = Resolve(left);
  TypeRef b = Resolve(right);
  if (a == b || a->kind == TypeKind::kPoison || b->kind == TypeKind::kPoison) return true;
  if (a->kind == TypeKind::kVariable) {
    if (Occurs(a.get(), b)) return false;
    a->bound = b;
    return true;
  }
  if (b->kind == TypeKind::kVariable) return Unify(b, a);
  if (a->kind != b->kind || a->kind == TypeKind::kRigid) return false;
  if (a->args.size() != b->args.size() || a->names != b->names) return false;
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (!Unify(a->args[i], b->args[i])) return false;
  }
  return true;
}

bool IsValueType(const TypeRef& type) {
  TypeRef t = Resolve(type);
  if (t->kind == TypeKind::kEvents || t->kind == TypeKind::kFunction || t->kind == TypeKind::kVariable) return false;
  for (const TypeRef& arg : t->args) {
    if (!IsValueType(arg)) return false;
  }
  return true;
}

bool HasVariables(const TypeRef& type) {
  TypeRef t = Resolve(type);
  if (t->kind == TypeKind::kVariable) return true;
  for (const TypeRef& arg : t->args) {
    if (HasVariables(arg)) return true;
  }
  return false;
}

std::string ToText(const TypeRef& type) {
  TypeRef t = Resolve(type);
  switch (t->kind) {
    case TypeKind::kRecord:
      return RecordText(*t);
    case TypeKind::kFunction:
      return "(" + Joined(*t, t->args.size() - 1) + ") => " + ToText(t->args.back());
    case TypeKind::kRigid:
      return t->names[0];
    default:
      return t->args.empty() ? BaseName(t->kind) : BaseName(t->kind) + ("[" + Joined(*t, t->args.size()) + "]");
  }
}

}  // namespace heddle::stream
