// The core of a specification: a graph of streams whose functions are expression trees over values.
//
// The elaborator builds it, Optimise orders it, and every back end reads it. Nodes refer to each other by index.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/source.h"
#include "stream/elaborate/types.h"
#include "stream/run/primitives.h"
#include "stream/run/value.h"

namespace heddle::stream {

enum class Op : uint8_t {
  kConst,      // constant
  kLocal,      // local
  kLet,        // local = args[0] in args[1]
  kIf,         // args: condition, then, else
  kAnd,        // lazy
  kOr,         // lazy
  kSome,       // keeps an error inside
  kOrElse,     // getSomeOrElse(args[0], args[1]), the second lazy
  kRecord,     // shape; args are the members
  kMember,     // args[0] at index `local`
  kCall,       // function(args)
  kSetFold,    // args: set, start, body; locals: accumulator, element
  kSetMap,     // args: set, body; local: element
  kMapFold,    // args: map, start, body; locals: accumulator, key, value
  kListFold,   // args: list, start, body; locals: accumulator, element
  kListMap,    // args: list, body; local: element
  kOpaque,     // a value that only exists while a function is checked on its own
  kPrimitive,  // the first primitive; see PrimitiveOp
};

enum class Primitive : uint8_t {
#define HEDDLE_X(enumerator, name, arity, function) enumerator,
  HEDDLE_STREAM_PRIMITIVES(HEDDLE_X)
#undef HEDDLE_X
};

struct PrimitiveInfo {
  const char* name;  // in extern("...")
  int arity;
  const char* function;  // in namespace primitive
};
const PrimitiveInfo& InfoOf(Primitive primitive);

// Runs a primitive on `arity` operands, which it may take apart.
Value Apply(Primitive primitive, Value* operands);

struct Expr;
struct Function;
using ExprRef = std::shared_ptr<const Expr>;

struct Expr {
  Op op = Op::kConst;
  Primitive primitive = Primitive::kAdd;
  TypeRef type;
  Value constant;
  uint32_t local = 0;            // kLocal, kLet: its number; kMember: the index
  std::vector<uint32_t> locals;  // folds and maps
  std::vector<ExprRef> args;
  const RecordShape* shape = nullptr;
  std::shared_ptr<Function> function;  // kCall
  std::string place;                   // kPrimitive that can fail: file:line:column
};

// A function of values. Parameters are locals 0 .. parameters-1.
struct Function {
  std::string name;
  uint32_t parameters = 0;
  uint32_t locals = 0;
  ExprRef body;
};
using FunctionRef = std::shared_ptr<const Function>;

enum class NodeKind : uint8_t {
  kInput,
  kNil,
  kDefault,      // args[0], or constant at 0
  kDefaultFrom,  // args: stream, stream before it
  kTime,
  kLast,   // args: values, trigger
  kDelay,  // args: delays, reset
  kLift,   // parameters are Options; result too
  kSlift,  // parameters are held values; with `filters` the result is an Option
  kMerge,
  kPlaceholder,  // a definition that was needed before it was known; args[0] once it is
};
const char* NameOf(NodeKind kind);

struct Node {
  NodeKind kind = NodeKind::kNil;
  bool filters = false;
  TypeRef type;  // of the values, not Events[...]
  std::vector<uint32_t> args;
  FunctionRef function;
  Value constant;
  std::string name;  // input, or the definition it came from
  Span span;
  std::string place;  // of a delay: file:line:column
};

struct Output {
  std::string name;
  uint32_t node = 0;
  bool raw = false;     // @raw: the bare value
  std::string finding;  // @finding("kind", "message"): each event is a finding of that kind
  std::string message;  // its message, may be empty
  std::string style;    // @VisEvents, @VisBool, ...: how --html draws it
  Span span;
};

// Functions that call themselves keep themselves alive. Whoever holds this last lets go of them.
class RecursiveFunctions {
 public:
  RecursiveFunctions() = default;
  RecursiveFunctions(const RecursiveFunctions&) = delete;
  RecursiveFunctions& operator=(const RecursiveFunctions&) = delete;
  ~RecursiveFunctions() {
    for (const auto& function : functions_) function->body = nullptr;
  }
  void Add(std::shared_ptr<Function> function) { functions_.push_back(std::move(function)); }

 private:
  std::vector<std::shared_ptr<Function>> functions_;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<uint32_t> inputs;
  std::vector<Output> outputs;
  std::shared_ptr<RecursiveFunctions> recursive = std::make_shared<RecursiveFunctions>();
};

ExprRef ConstExpr(Value value, TypeRef type);
ExprRef LocalExpr(uint32_t local, TypeRef type);
inline bool IsConst(const ExprRef& expr) { return expr->op == Op::kConst; }

// A shape for these names; equal names give the same pointer, kept for the life of the process.
const RecordShape* ShapeOf(const std::vector<std::string>& names);

}  // namespace heddle::stream
