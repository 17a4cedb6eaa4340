// Runs a resolved script: expressions to values, process expressions to process terms.
//
// Evaluation is strict except where CSP_M needs it late: operands of processes that take no part in the first step,
// arguments that are processes, the names of a `let` (evaluated once, when first used), and long or endless sequences
// (lazy.cpp). An error unwinds as a
// ScriptError that carries the chain of calls; it is caught at the edge of the library (csp.h).
//
// Not thread-safe: one evaluator is used by one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/source.h"
#include "csp/eval/builtins.h"
#include "csp/eval/process.h"
#include "csp/eval/resolve.h"
#include "csp/eval/value.h"
#include "csp/syntax/ast.h"

namespace heddle::csp {

struct ScriptError {
  Diagnostic diagnostic;
};
struct TooDeep : ScriptError {};  // recursion without an end

// Thrown when a limit has been reached, or something is not modelled: what was asked stays undecided.
struct Stopped {
  std::string reason;
};

using EventId = uint32_t;
inline constexpr EventId kTau = 0;
inline constexpr EventId kTick = 1;
inline constexpr EventId kFirstEvent = 2;

struct Transition {
  EventId event;
  Value target;  // forced
  bool operator==(const Transition&) const = default;
};

class Evaluator {
 public:
  Evaluator(const SourceMap& sources, const Globals& globals);
  ~Evaluator();

  Store& store() { return store_; }

  // The value of a closed expression that has been resolved with ResolveExpression or as a part of the script.
  Value EvalClosed(const Expr* expr);
  // The same for a process: its forced term.
  Value EvalProcess(const Expr* expr);
  Value GlobalValue(uint32_t index, Span use);

  // The operator of a process. The result is forced.
  Value Force(Value term);
  // What a kPrefix offers: events with the late terms that follow; grouped by the choices of its `$` fields.
  struct Offer {
    EventId event;
    Value next;
  };
  std::vector<std::vector<Offer>> Offers(Value prefix);
  // The event tock, when the prefix was written in a timed section and so lets time pass; else kTau.
  EventId TockOf(Value prefix);
  // Looks at the limits after so much work (a unit is an event or a state looked at); throws when one has been reached.
  void Poll(size_t work = 1) { CheckLimits(work); }

  // Sets. Elements fails on infinite sets and on sets larger than kMaxSet.
  static constexpr size_t kMaxSet = 10'000'000;
  std::vector<Value> Elements(Value set, Span span);
  bool Contains(Value set, Value value);
  bool IsFinite(Value set);
  // Whether two sets have the same elements; fails when both are infinite and that cannot be told.
  bool SameSet(Value a, Value b, Span span);
  Value Explicit(Value set, Span span) { return store_.SortedSet(Elements(set, span)); }

  // Events.
  EventId EventOf(Value value, Span span);  // fails when it is not a complete event of its channel
  Value EventValue(EventId event) const { return events_[event]; }
  size_t event_count() const { return events_.size(); }
  std::string EventName(EventId event) const;
  bool SetHasEvent(Value set, EventId event);  // cached
  // The images of an event under a renaming, a set of pairs (old, new) of events or what can become one; sorted.
  const std::vector<EventId>& Renamed(Value pairs, EventId event);
  // What follows `prefix` in `event`, as a dotted value, when it begins so; null when it does not.
  bool Suffix(Value prefix, Value event, std::vector<Value>& out) const;

  // Texts.
  std::string Show(Value value) const;
  // The name under which a process was first computed, such as MUTEX(1); else a short form of its operator.
  std::string ProcessName(Value term) const;

  [[noreturn]] void Fail(Span span, std::string message, std::string help = {});
  // Called now and then during evaluation; throws to stop it.
  void set_interrupt(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

 private:
  static constexpr size_t kSlots = 1 << 21;
  static constexpr size_t kMaxCalls = 20'000;
  struct Frame {
    std::vector<Value> values;
    std::vector<bool> busy;
  };
  struct CallNote {
    const Decl* decl;
    Span span;
    std::span<const Value> args;
  };
  class Activation;
  class CallScope;

  Value Eval(const Expr* e, Value* env);
  Value EvalName(const Expr* e, Value* env);
  Value EvalApply(const Expr* e, Value* env);
  Value Argument(const Expr* e, Value* env);
  // A variable's value where it is needed; throws the error of an argument that has none.
  Value Needed(Value value) {
    if (value->kind == Kind::kFailed) FailLate(value);
    return value;
  }
  [[noreturn]] void FailLate(Value failed);
  [[noreturn]] void FailTooDeep(Span span, std::string message);
  ScriptError Failure(Span span, std::string message, std::string help);
  Value EvalArithmetic(const Expr* e, Value* env);
  Value EvalCompare(const Expr* e, Value* env);
  bool LessOrEqual(Value a, Value b, Span span);
  Value EvalLet(const Expr* e, Value* env);
  Value EvalRange(const Expr* e, Value* env);
  Value EvalOpenRanges(const Expr* e, Value* env);
  Value EvalComprehension(const Expr* e, Value* env);
  // Sequences that are computed as far as they are needed (lazy.cpp).
  Value EvalConcat(const Expr* e, Value* env);
  Value EvalSequenceOf(const Expr* e, Value* env);
  Value LazyOver(const Expr* e, Value source, std::span<const Value> captured);
  Value NextOfComprehension(Value lazy);
  void AddItems(const Expr* e, size_t at, Value* env, std::vector<Value>& items);
  Value JoinSequences(Value left, Value right, Span span);
  Value Reveal(Value sequence);
  bool TakeFirst(Value sequence, Value& head, Value& tail);
  Value Finite(Value sequence, Span span);
  Value Settle(Value sequence);
  Value Strict(Value value, Span span) { return value->kind == Kind::kLazySeq ? Finite(value, span) : value; }
  Value EvalProcessOp(const Expr* e, Value* env);
  Value EvalReplicated(const Expr* e, Value* env);
  Value EvalRename(const Expr* e, Value* env);
  std::vector<Value> EvalPairs(const Expr* e, size_t first, Value* env);
  Value EvalSet(const Expr* e, Value* env);
  Value EvalEventSet(const Expr* e, Value* env);
  Value EvalForced(const Expr* e, Value* env);
  bool EvalBool(const Expr* e, Value* env);
  int64_t EvalInt(const Expr* e, Value* env);
  Value EvalType(const Expr* e, Value* env);
  template <typename Body>
  void ForEach(const std::vector<Stmt>& stmts, size_t at, Value* env, const Body& body);

  Value Close(Unit* unit, Kind kind, int64_t number, Value* env);
  Value Late(const Expr* e, Value* env);
  Value Process(ProcOp op, std::span<const Value> kids) {
    return store_.Make(Kind::kProcess, static_cast<int64_t>(op), nullptr, kids);
  }
  Value Process(ProcOp op, std::initializer_list<Value> kids = {}) {
    return Process(op, std::span<const Value>(kids.begin(), kids.size()));
  }

  Value Call(Value function, std::span<const Value> args, Span span);
  Value CallDecl(const Decl* decl, Value frame, std::span<const Value> lists, Span span);
  Value CallBuiltin(Builtin builtin, std::span<const Value> args, Span span);
  Value CallMapBuiltin(Builtin builtin, std::span<const Value> args, Span span);
  Value CallSetBuiltin(Builtin builtin, std::span<const Value> args, Span span);
  Value CallProcessBuiltin(Builtin builtin, std::span<const Value> args, Span span);
  Value BuiltinConstant(Builtin builtin);
  Value TransitiveClosure(Value pairs, Span span);
  Value Suffixes(Value partial, Span span);
  Value Representatives(Value pairs, Value members, Span span);
  Value FrameValue(Value frame, const Decl* decl, uint32_t index, Span use);
  Value FrameLookup(Value frame, uint32_t index, Span use);
  Frame& FrameData(Value frame, size_t size);
  Value ComputeBinding(const Decl* decl, Value frame, uint32_t index, Frame& data, Span use);
  Value TypeValue(uint32_t global);
  const std::vector<Value>& FieldsOf(uint32_t global);
  void FlattenFields(Value set, std::vector<Value>& out);

  bool Match(const Expr* pattern, Value value, Value* env);
  bool MatchDot(const Expr* pattern, Value value, Value* env);
  bool MatchConcat(const Expr* pattern, Value value, Value* env);
  bool MatchFromLeft(const std::vector<const Expr*>& parts, Value rest, Value* env);
  size_t ValueWidth(std::span<const Value> atoms);

  // Dotted values.
  std::span<const Value> Atoms(const Value& value) const;
  // The field types that a (possibly partial) value still lacks; false when it has too many parts.
  // `ragged`: the type allows only some of the combinations of their members.
  bool Missing(std::span<const Value> atoms, std::vector<Value>& out, bool* ragged = nullptr);
  bool Restricted(Value field, std::span<const Value> atoms, size_t& used, std::vector<Value>& fields, bool& ragged);
  std::vector<Value> WholeValues(std::span<const Value> atoms);
  bool Columns(const std::vector<std::vector<Value>>& rows, std::vector<Value>& out);
  void SplitField(Value set, Span span, std::vector<Value>& out);
  bool IsInside(Value value);
  [[noreturn]] void FailOutside(Value value, Span span);
  void Product(std::span<const Value> sets, std::vector<Value>& chosen, Span span,
               const std::function<void(std::span<const Value>)>& body);
  void AddElements(Value set, Span span, std::vector<Value>& out);
  bool ContainsFields(std::span<const Value> sets, std::span<const Value> atoms);

  struct PrefixWork;
  void ExpandPrefix(PrefixWork& work, size_t field);
  void EmitEvent(PrefixWork& work);
  void ExpandInput(PrefixWork& work, size_t field);
  size_t PatternFields(const Expr* pattern);

  void NameProcess(Value result, const Decl* decl, std::span<const Value> lists);
  void CheckDepth(Span span);
  void CheckLimits(size_t work = 1);
  Value Tock(Span span);

  const SourceMap& sources_;
  const Globals& globals_;
  Store store_;
  std::vector<Value> events_;
  std::unordered_map<Value, std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> predicates_;
  std::unordered_map<Value, std::vector<Value>> explicit_sets_;
  std::unordered_set<Value> listing_;  // sets whose elements are being listed
  std::unordered_map<uint32_t, std::vector<Value>> fields_;
  std::vector<bool> fields_busy_;
  std::unordered_set<const Decl*> returns_process_;
  std::unordered_map<Value, std::string> names_;
  // A renaming, by its pairs: what has been worked out about it.
  struct Relation {
    std::unordered_map<Value, std::vector<Value>> images;      // by the old side
    std::vector<size_t> lengths;                               // that old sides have
    std::unordered_map<EventId, std::vector<EventId>> events;  // what Renamed gave
    Span span;                                                 // where it was written, for its errors
  };
  std::unordered_map<Value, Relation> relations_;
  std::vector<ScriptError> failures_;  // of arguments, by the number of their kFailed
  std::vector<CallNote> calls_;
  std::unique_ptr<Value[]> stack_;  // slots of the running activations
  size_t stack_top_ = 0;
  const char* stack_base_ = nullptr;
  Value root_frame_ = nullptr;
  uint64_t ticks_ = 0;
  std::function<void()> interrupt_;
  size_t eager_ = 0;  // right sides of `^` that are being evaluated inside each other
};

}  // namespace heddle::csp
