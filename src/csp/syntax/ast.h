// The syntax tree of a script. One node type for expressions, patterns and processes: CSP_M itself makes no syntactic
// difference between them (the left side of a declaration is parsed as an expression and then read as a pattern).
//
// An Ast owns its nodes; pointers into it stay valid as long as it lives. Later passes fill in the fields that say so.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace heddle::csp {

enum class Op : uint8_t {
  // Values. The comment gives the meaning of `kids`.
  kInt,
  kBool,
  kChar,
  kString,
  kName,
  kWildcard,
  kTuple,
  kSeq,
  kSet,
  kChanSet,  // the elements
  kSeqFrom,
  kSetFrom,  // from [to]
  kSeqComp,
  kSetComp,
  kChanComp,  // the elements, over `stmts`; with `number` 1 the element is a range and its members count
  kMap,       // key value key value ...
  kApply,     // function arguments...
  kLambda,    // patterns... body
  kIf,        // condition then else
  kLet,       // body, with `decls`
  kNeg,
  kNot,
  kLength,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kEq,
  kNe,
  kLt,
  kGt,
  kLe,
  kGe,
  kAnd,
  kOr,
  kConcat,
  kDot,           // the parts, flat
  kBothPatterns,  // p@@q
  // Processes.
  kPrefix,  // base continuation, with `fields`; in a timed section also (timing function, tock)
  kGuard,   // condition process
  kExtChoice,
  kIntChoice,
  kInterleave,
  kSequence,
  kInterrupt,
  kSlide,  // left right
  kGenParallel,
  kException,
  kSyncExt,
  kSyncInterrupt,  // left set right
  kAlphaParallel,  // left alphabet alphabet right
  kLinkParallel,   // left right, then pairs; over `stmts`
  kHide,
  kProject,  // process set
  kRename,   // process, then pairs; over `stmts`
  kRepExt,
  kRepInt,
  kRepInterleave,
  kRepSequence,       // body, over `stmts`
  kRepGenParallel,    // body set
  kRepSyncExt,        // body set
  kRepAlphaParallel,  // body alphabet
  kRepLink,           // body, then pairs, which are outside the scope of `stmts`
};

struct Expr;
struct Decl;
struct Unit;

// A generator `pattern <- set` (or `pattern : set`), or a condition when `pattern` is null.
struct Stmt {
  Expr* pattern = nullptr;
  Expr* value = nullptr;
};

// One communication field of a prefix: `?p`, `?p:S`, `$p`, `!e` or `.e`.
struct Field {
  char kind = '.';
  Expr* expr = nullptr;  // the pattern of ? and $, the value of ! and .
  Expr* set = nullptr;   // the restriction of ? and $, or null
};

// Before the name of a builtin that a rewriting put in: no name of the script, which may declare one that reads the
// same.
inline constexpr char kBuiltinMark = '%';
inline std::string_view WithoutMark(std::string_view name) {
  return !name.empty() && name[0] == kBuiltinMark ? name.substr(1) : name;
}

// What a name means; filled in by Resolve.
enum class Ref : uint8_t { kNone, kLocal, kLetBound, kGlobal, kBuiltin, kConstant, kBind };

struct Expr {
  Op op = Op::kInt;
  Span span;
  std::vector<Expr*> kids;
  std::string text;    // names and strings
  int64_t number = 0;  // literals
  std::vector<Stmt> stmts;
  std::vector<Field> fields;
  std::vector<Decl*> decls;

  // Resolve.
  Ref ref = Ref::kNone;
  uint32_t slot = 0;          // of a local, or of the frame of a let-bound name; of the frame of a kLet
  uint32_t index = 0;         // in the frame, in the builtins, of the channel or constructor
  Unit* unit = nullptr;       // the closure of a prefix, a lambda or the frame of a let
  Unit* late_unit = nullptr;  // the closure of this expression where its operator evaluates it late

  // Type checker.
  bool is_process = false;  // its type is certainly Proc; as an argument it is evaluated late
};

// Code that may be evaluated later than the place where it is written: the continuation of a prefix, the right side of
// `;`, a lambda's body. Each capture copies slot `from` of the enclosing activation into slot `to` of the new one.
struct Capture {
  uint32_t from;
  uint32_t to;
};

struct Unit {
  const Expr* body = nullptr;
  std::vector<Capture> captures;
  uint32_t slots = 0;
};

enum class DeclKind : uint8_t {
  kBinding,  // a function or a pattern
  kChannel,
  kDatatype,
  kSubtype,
  kNametype,
  kAssert,
  kTransparent,
  kExternal,
  kPrint,
  kAnnotation,
  kModule,  // ExpandModules replaces these two
  kInstance,
};

struct Clause {
  std::vector<std::vector<Expr*>> params;  // one list for each pair of parentheses
  Expr* body = nullptr;
  Span span;
  Unit* unit = nullptr;  // Resolve: captures come from the frame; slot 0 is the frame itself
};

struct Constructor {
  std::string name;
  Span span;
  Expr* type = nullptr;  // kDot of field types, or one field type, or null
};

// kUnmodelled: a property of FDR's that is read and checked for types, and whose assertions stay undecided.
enum class Property : uint8_t { kRefines, kDeadlockFree, kDivergenceFree, kDeterministic, kHasTrace, kUnmodelled };
// T, F, FD, V, VD, R, RD.
enum class Model : uint8_t {
  kTraces,
  kFailures,
  kFailuresDivergences,
  kRevivals,
  kRevivalsDivergences,
  kRefusals,
  kRefusalsDivergences,
};

struct Assertion {
  bool negated = false;
  Property property = Property::kRefines;
  Model model = Model::kFailuresDivergences;
  Expr* left = nullptr;
  Expr* right = nullptr;   // the implementation, or the sequence of kHasTrace
  std::string unmodelled;  // the name of a kUnmodelled property
  bool partial_order = false;
  bool analyse_statically = false;
  Expr* tau_priority = nullptr;
  bool symmetry = false;
  std::vector<Expr*> symmetries;  // the types that `symmetry reduce` names
};

struct Decl {
  DeclKind kind = DeclKind::kBinding;
  Span span;
  std::vector<std::string> names;  // of a function (one), channels, type; of the builtins of transparent/external
  std::vector<Span> name_spans;
  Expr* pattern = nullptr;      // a pattern binding
  std::vector<Clause> clauses;  // a function; one clause without parameters for a constant or pattern
  Expr* type = nullptr;         // of a channel, a nametype, an annotation
  std::vector<Constructor> constructors;
  Assertion assertion;
  Expr* expr = nullptr;  // of print
  std::string doc_name;  // how run-time messages call it

  // Modules and their instances.
  std::vector<Expr*> arguments;  // a module's parameters (names), an instance's arguments
  std::vector<Decl*> inner;      // a module's private declarations
  std::vector<Decl*> exports;    // those that others see; an instance names its module in `expr`

  // Resolve.
  uint32_t index = 0;              // first index in its frame; names (or pattern variables) follow on
  std::vector<std::string> bound;  // what it binds, in index order
};

class Ast {
 public:
  Expr* NewExpr(Op op, Span span) {
    Expr& e = exprs_.emplace_back();
    e.op = op;
    e.span = span;
    return &e;
  }
  Decl* NewDecl(DeclKind kind, Span span) {
    Decl& d = decls_.emplace_back();
    d.kind = kind;
    d.span = span;
    return &d;
  }
  Unit* NewUnit() { return &units_.emplace_back(); }

  std::vector<Decl*> top;  // the script, includes already in place, in textual order

 private:
  std::deque<Expr> exprs_;
  std::deque<Decl> decls_;
  std::deque<Unit> units_;
};

}  // namespace heddle::csp
