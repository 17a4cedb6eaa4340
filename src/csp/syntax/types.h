// The types of CSP_M, with unification.
//
// Dotted values make the system more than Hindley and Milner's: a channel of type A.B is *dotable*, written
// A=>B=>Event, and `c.x` has the type B=>Event. Where it cannot be known how many fields a part of a dotted value
// covers (an unknown parameter at the head of a dot, for example), the type stays a list of parts (kDots) until more is
// known, and in the last resort becomes kAny, which fits everything: the checker never rejects what it cannot judge.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "csp/syntax/ast.h"

namespace heddle::csp {

struct Type {
  enum class Kind : uint8_t {
    kVar,
    kAny,
    kInt,
    kBool,
    kChar,
    kProc,
    kEvent,
    kData,
    kSeq,
    kSet,
    kMap,
    kTuple,
    kFunction,  // args: parameters..., result
    kDotable,   // args: fields..., result
    kDots,      // args: parts
  };
  Kind kind = Kind::kVar;
  int level = 0;         // of a variable: how deep the let is that it belongs to
  Type* link = nullptr;  // of a variable that is known by now
  const Decl* data = nullptr;
  std::vector<Type*> args;
};

class Types {
 public:
  Types();
  Type* Var(int level);
  Type* Make(Type::Kind kind, std::vector<Type*> args = {});
  Type* Data(const Decl* decl);
  Type* Set(Type* t) { return Make(Type::Kind::kSet, {t}); }
  Type* Seq(Type* t) { return Make(Type::Kind::kSeq, {t}); }

  Type* any;
  Type* integer;
  Type* boolean;
  Type* character;
  Type* process;
  Type* event;

  // The type behind known variables; dots are taken as far as they can be.
  Type* Prune(Type* t);
  // Parts joined by dots. `complete`: the last part takes every field that is left. Null when they do not fit.
  Type* Join(std::vector<Type*> parts, bool complete);
  // Makes the two equal; false when that is impossible.
  bool Unify(Type* a, Type* b);
  std::string Show(Type* t);

 private:
  Type* ParseField(std::vector<Type*>& parts, size_t& at, bool complete, bool& fits);
  bool UnifyDots(Type* dots, Type* other);
  bool UnifyDotable(Type* a, Type* b);
  bool Occurs(Type* var, Type* t);
  void Flatten(Type* t, std::vector<Type*>& out);

  std::deque<Type> all_;
  std::unordered_map<Type*, size_t> letters_;
  int depth_ = 0;
};

}  // namespace heddle::csp
