// The types of TeSSLa. Immutable and shared, except for the variables of inference, which are bound once.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace heddle::stream {

enum class TypeKind {
  kInt,
  kFloat,
  kBool,
  kString,
  kUnit,
  kOption,    // args[0]
  kSet,       // args[0]
  kMap,       // args[0] -> args[1]
  kList,      // args[0]
  kEvents,    // args[0]
  kRecord,    // names[i]: args[i]; tuples have names _1, _2, ...
  kFunction,  // args[0..n-1] => args[n]
  kVariable,  // to be inferred
  kRigid,     // a type parameter of a function that is checked on its own
  kPoison,    // after an error that was reported: goes with everything
};

struct Type;
using TypeRef = std::shared_ptr<const Type>;

struct Type {
  TypeKind kind = TypeKind::kUnit;
  std::vector<TypeRef> args;
  std::vector<std::string> names;  // record members, or the name of a rigid parameter
  mutable TypeRef bound;           // kVariable only
};

TypeRef SimpleType(TypeKind kind);
TypeRef MakeType(TypeKind kind, std::vector<TypeRef> args);
TypeRef RecordType(std::vector<std::string> names, std::vector<TypeRef> args);
TypeRef TupleType(std::vector<TypeRef> args);
TypeRef FreshVariable();
TypeRef RigidType(std::string name);

// The type behind bound variables (outermost level only).
TypeRef Resolve(TypeRef type);
inline TypeKind KindOf(const TypeRef& type) { return Resolve(type)->kind; }
bool IsStream(const TypeRef& type);
bool IsTuple(const Type& type);

// Makes the two equal by binding variables. False when impossible; bindings made before the failure stay.
bool Unify(const TypeRef& a, const TypeRef& b);

// True when events can carry it: no functions, no streams, no unbound variables.
bool IsValueType(const TypeRef& type);
bool HasVariables(const TypeRef& type);
std::string ToText(const TypeRef& type);

}  // namespace heddle::stream
