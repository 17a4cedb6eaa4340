// The types of CSP_M, with unification.
//
// Dotted values make the system more than Hindley and Milner's: a channel of type A.B is *dotable*, written
// A=>B=>Event, and `c.x` has the type B=>Event. A constructor that still lacks fields is dotable too, so `c.Data` of
// `channel c : M` with Data : Int=>M is Int=>Event. Where it cannot be known yet how many fields a part covers (an
// unknown head, or an unknown last part before several fields) the type stays a list of parts (kDots) until more is
// known.
//
// Variables carry classes, which whatever they become must belong to (docs/csp.md lists who belongs to which), and may
// be *extendable*: then what remains after all fields are supplied is `yields`. kAny only stands for what has already
// been reported as wrong.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "csp/syntax/ast.h"

namespace heddle::csp {

using TypeClasses = uint8_t;
inline constexpr TypeClasses kComparable = 1;  // == and !=
inline constexpr TypeClasses kOrdered = 2;     // < <= > >=
inline constexpr TypeClasses kSettable = 4;    // may be in a set
inline constexpr TypeClasses kComplete = 8;    // lacks no field
inline constexpr TypeClasses kYieldable = 16;  // what a channel or a constructor with all its fields is

struct Type {
  enum class Kind : uint8_t {
    kVar,
    kAny,
    kRigid,  // a variable of a type annotation, inside what it annotates
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
  TypeClasses classes = 0;  // of a variable (must belong to) or a rigid one (does belong to)
  int level = 0;            // of a variable: how deep the let is that it belongs to
  Type* link = nullptr;     // of a variable that is known by now
  Type* yields = nullptr;   // of an extendable variable
  const Decl* data = nullptr;
  std::string name;  // of a rigid variable
  std::vector<Type*> args;
};

class Types {
 public:
  Types();
  Type* Var(int level, TypeClasses classes = 0);
  Type* Extendable(int level, Type* yields);
  Type* Make(Type::Kind kind, std::vector<Type*> args = {});
  Type* Data(const Decl* decl);
  Type* Rigid(const std::string& name, TypeClasses classes);
  Type* Set(Type* t) { return Make(Type::Kind::kSet, {t}); }
  Type* Seq(Type* t) { return Make(Type::Kind::kSeq, {t}); }
  Type* Dotable(std::vector<Type*> fields, Type* result);

  Type* any;
  Type* integer;
  Type* boolean;
  Type* character;
  Type* process;
  Type* event;

  // The type behind known variables; dots are taken as far as they can be.
  Type* Prune(Type* t);
  // Types share their parts, and written out they can be larger than any memory: `f(x) = (x,x)` applied thirty times.
  // True when looking at them has taken too long; what is asked from then on is answered with `any`.
  bool TooLarge() const { return work_ > kMaxWork; }
  bool Spend() { return ++work_ > kMaxWork; }
  // Parts joined by dots. `complete`: the last part takes every field that is left. Null when they do not fit.
  Type* Join(const std::vector<Type*>& parts, bool complete);
  // Makes the two equal; false when that is impossible.
  bool Unify(Type* a, Type* b);
  // Makes `t` something to which fields can be added until it is `result`; false when that is impossible.
  bool Extend(Type* t, Type* result, int level);
  // Demands that `t` belongs to the classes; false when it does not.
  bool Constrain(Type* t, TypeClasses classes);
  // What the last failing Constrain missed: what values of the type "have no ..."; empty when it was something else.
  std::string TakeMissingClass();

  // The types of the fields of a datatype's constructors decide whether its values have equality.
  void SetFields(const Decl* decl, std::vector<Type*> fields) { data_fields_[decl] = std::move(fields); }
  // Whether it contains a variable that no binding outside `level` shares: nothing will ever say what it is.
  bool HasUnknown(Type* t, int level);
  // Whether something in it is a channel or a constructor that still takes fields.
  bool LacksFields(Type* t);
  // Makes such variables kAny.
  void Forget(Type* t, int level);
  std::string Show(Type* t);

 private:
  struct Parse;
  Type* ParseValue(Parse& parse);
  Type* JoinExtendable(const std::vector<Type*>& parts);
  bool UnifyDots(Type* dots, Type* other);
  bool UnifyLists(Type* a, Type* b);
  bool UnifyDotable(Type* a, Type* b);
  bool UnifyVariable(Type* var, Type* other);
  bool FixOpenEnd(std::vector<Type*>& parts, Type* other);
  bool ConstrainData(Type* t, TypeClasses classes);
  bool ConstrainArgs(Type* t, TypeClasses classes);
  bool Occurs(Type* var, Type* t);
  bool Missing(TypeClasses classes);
  void Flatten(Type* t, std::vector<Type*>& out);

  std::deque<Type> all_;
  std::unordered_map<Type*, size_t> letters_;
  std::unordered_map<const Decl*, std::vector<Type*>> data_fields_;
  std::unordered_set<const Decl*> data_busy_;
  std::string missing_class_;
  int depth_ = 0;
  uint64_t work_ = 0;
  static constexpr uint64_t kMaxWork = 20'000'000;  // a second or two
};

}  // namespace heddle::csp
