// What a model in the cat language is once it is parsed: statements over expressions. Names are resolved later
// (cat_compile.h). Nodes own their children; a model is small, so plain vectors of pointers do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/source.h"

namespace heddle::litmus {

struct CatExpr;
using CatExprPtr = std::unique_ptr<CatExpr>;

enum class CatOp {
  kEmpty,      // 0 or {}
  kUniverse,   // _
  kName,       // name
  kTag,        // 'name
  kString,     // "..."
  kUnion,      // a | b
  kInter,      // a & b
  kDiff,       // a \ b
  kSeq,        // a ; b
  kProduct,    // a * b
  kAdd,        // e ++ S
  kNot,        // ~a
  kInverse,    // a^-1
  kPlus,       // a^+
  kStar,       // a^*
  kOption,     // a?
  kIdentity,   // [S]
  kSetOf,      // {a, b}
  kTuple,      // (a, b)
  kApply,      // f a
  kFunction,   // fun pattern -> body
  kLet,        // let bindings in body
  kLetRec,     // let rec bindings in body
  kMatchTags,  // match t with || 'x -> a || _ -> b end
  kMatchSet,   // match S with || {} -> a || e ++ S -> b end
  kTry,        // try a with b
};

// let pattern = value, or let name pattern = value (a function).
struct CatBinding {
  std::vector<std::string> pattern;  // one name, or the names of a tuple; "_" binds nothing
  bool is_function = false;          // then name(parameters) = value
  std::string name;
  std::vector<std::vector<std::string>> parameters;  // curried: one pattern for each
  CatExprPtr value;
  Span span;
};

struct CatClause {
  std::string tag;  // of kMatchTags; empty is the default
  CatExprPtr body;
};

struct CatExpr {
  CatOp op = CatOp::kEmpty;
  Span span;
  std::string name;                  // kName, kTag, kString
  std::vector<CatExprPtr> parts;     // operands in order
  std::vector<CatBinding> bindings;  // kLet, kLetRec
  std::vector<std::string> pattern;  // kFunction; kMatchSet: the names of element, rest
  std::vector<CatClause> clauses;    // kMatchTags
};

enum class CatCheck { kAcyclic, kIrreflexive, kEmpty };
enum class CatCheckUse { kRequire, kFlag, kUndefinedUnless };

struct CatStatement {
  enum class Kind { kLet, kLetRec, kCheck, kProcedure, kCall, kWith, kForall, kEnum, kIf, kShow };
  Kind kind = Kind::kLet;
  Span span;
  std::string name;                  // of the check, procedure, enum, variant; the variable of kWith and kForall
  std::vector<CatBinding> bindings;  // kLet, kLetRec
  CatCheck check = CatCheck::kAcyclic;
  CatCheckUse use = CatCheckUse::kRequire;
  bool negated = false;
  CatExprPtr value;                     // of the check; the argument of kCall; the set of kWith and kForall
  std::vector<std::string> parameters;  // kProcedure
  std::vector<std::string> tags;        // kEnum
  std::vector<CatStatement> body;       // kProcedure, kForall; then-branch of kIf
  std::vector<CatStatement> other;      // else-branch of kIf
};

struct CatModel {
  std::string title;
  std::vector<CatStatement> statements;  // with those of included files in their places
};

}  // namespace heddle::litmus
