// The elaborator: runs a specification at compile time, checking types on the way. Private to elaborate*.cpp.
//
// Levels. At *stream level* (frame 0) values are constants. Inside the function of a lift, values are expressions over
// the locals of a *frame*. A *region* is a stretch of code that is executed as a whole: the body of a frame, the body
// of a fold, a branch of an `if`; expressions that are used by name are bound once, with a let, in the region of their
// scope. This is sound because expressions have no effects and errors are values; calls of recursive functions, which
// may not end, are never moved to an outer region.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stream/core/core.h"
#include "stream/elaborate/elaborate.h"
#include "stream/syntax/syntax.h"

namespace heddle::stream {

struct Scope;
struct Thing;
using ThingRef = std::shared_ptr<const Thing>;

// What an expression is at compile time.
struct Thing {
  enum class Kind { kPoison, kValue, kStream, kFunction, kRecord, kModule };
  Kind kind = Kind::kPoison;
  TypeRef type;
  ExprRef value;      // kValue
  uint32_t node = 0;  // kStream
  // kFunction: one of the first two, or opaque (neither)
  const syntax::Definition* definition = nullptr;
  const syntax::Expr* lambda = nullptr;
  std::vector<TypeRef> types;  // explicit type arguments; for a lambda, parameter types that were inferred
  Scope* scope = nullptr;      // kFunction: where it was written; kModule: its entries
  // kRecord with a member that is not a value
  std::vector<std::string> names;
  std::vector<ThingRef> members;
};

struct Region {
  std::vector<std::pair<uint32_t, ExprRef>> lets;
};

struct Frame;

// A local of another frame that a recursive function reads; it comes as a further parameter.
struct Capture {
  Frame* owner = nullptr;
  uint32_t local = 0;  // in the owner
  uint32_t mine = 0;   // in the function that captures it
  TypeRef type;
};

struct Frame {
  uint32_t locals = 0;
  std::shared_ptr<Function> function;  // of a recursive function
  uint32_t declared = 0;               // its own parameters
  std::vector<Capture> captures;
};

struct ScopeEntry {
  enum class State { kNew, kRunning, kDone };
  const syntax::Definition* definition = nullptr;
  State state = State::kNew;
  ThingRef thing;
  int64_t placeholder = -1;
  Scope* members = nullptr;      // of a record that is being evaluated
  ScopeEntry* origin = nullptr;  // of an imported name
  Scope* origin_scope = nullptr;
  bool ambiguous = false;  // two imported modules have it
};

struct TypeEntry {
  TypeRef type;
  const syntax::TypeDefinition* definition = nullptr;
};

struct Scope {
  Scope* parent = nullptr;
  Region* region = nullptr;
  Frame* frame = nullptr;  // null at stream level
  std::map<std::string, std::vector<ScopeEntry>, std::less<>> names;
  std::map<std::string, TypeEntry, std::less<>> types;
};

class Elaborator {
 public:
  Elaborator(SourceMap& sources, const CompileOptions& options, std::vector<Diagnostic>& diagnostics);

  // Adds a library; later ones hide names of earlier ones.
  void AddLibrary(const syntax::Specification& library, bool older = false);
  Graph Run(const syntax::Specification& specification, bool paper);
  void CheckUnused(const syntax::Entries& entries, Scope* scope, bool library);
  Scope* scope() const { return top_; }

 private:
  using Expr = syntax::Expr;
  struct CallSite {
    std::string name;
    Span span;
  };

  // Diagnostics (elaborate_scope.cpp).
  ThingRef Report(Span span, std::string message, std::string help = "");
  ThingRef Mismatch(Span span, const TypeRef& wanted, const TypeRef& found, std::string_view what);
  bool Enter(Span span);
  void Leave() { --depth_; }
  bool InLibrary(Span span) const;
  Span UserSpan(Span span) const;
  std::string PlaceText(Span span) const;

  // Scopes and definitions (elaborate_scope.cpp).
  Scope* NewScope(Scope* parent);
  void AddEntries(const syntax::Entries& entries, Scope* scope);
  void DeclareEntries(const syntax::Entries& entries, Scope* scope);
  bool ImportAll(const syntax::Entries& entries, Scope* scope, bool last);
  void AddDefinition(const syntax::Definition& definition, Scope* scope);
  bool Import(const std::vector<std::string>& path, Span span, Scope* scope, bool last);
  void Bind(Scope* scope, const std::string& name, ThingRef thing);
  ScopeEntry* Find(std::string_view name, Scope* scope, int arity, Scope** where);
  ThingRef Lookup(const std::string& name, Span span, Scope* scope, int arity);
  ThingRef EntryThing(ScopeEntry& entry, Scope* scope, Span span);
  ThingRef RunDefinition(const syntax::Definition& definition, Scope* scope);
  ThingRef RunningEntry(ScopeEntry& entry, Scope* scope, Span span);
  void AddInput(const syntax::Input& input);
  void CheckAnnotations(const syntax::Specification& specification);
  std::string ConstantType(const syntax::Expr& expr);
  void CheckAnnotation(const syntax::Annotation& used, const syntax::AnnotationDefinition& defined);
  void AddOutput(const syntax::Output& output);
  void EmitOutput(const std::string& name, const ThingRef& thing, const syntax::Output& output);
  void AddAllOutputs(const syntax::Output& output);

  // Types and coercions (elaborate_types.cpp).
  TypeRef ResolveType(const syntax::TypeExpr& type, Scope* scope);
  TypeRef NamedType(const syntax::TypeExpr& type, Scope* scope);
  static std::string_view ExternName(std::string_view name, Scope* scope);
  ThingRef Coerce(ThingRef thing, const TypeRef& want, Span span, std::string_view what);
  ThingRef CoerceFunction(const ThingRef& thing, const TypeRef& want, Span span, std::string_view what);
  ThingRef ToStream(const ThingRef& thing, Span span);
  ExprRef ToConstant(const ThingRef& thing, Span span);
  ThingRef Opaque(const TypeRef& type);
  TypeRef FunctionType(const ThingRef& thing);

  // Expressions (elaborate_expr.cpp).
  ThingRef Eval(const Expr& expr, Scope* scope, const TypeRef& expected = nullptr);
  ThingRef EvalKind(const Expr& expr, Scope* scope, const TypeRef& expected);
  bool EndsRecursion(const Expr& expr, const ThingRef& condition) const;
  ThingRef EvalIf(const Expr& expr, Scope* scope, const TypeRef& expected);
  ThingRef EvalStaticIf(const Expr& expr, Scope* scope, const TypeRef& expected);
  ThingRef EvalString(const Expr& expr, Scope* scope);
  ThingRef EvalPart(const syntax::StringPart& part, Scope* scope);
  ThingRef EvalMember(const Expr& expr, Scope* scope);
  ThingRef MemberOf(const ThingRef& thing, const std::string& name, Span span);
  ThingRef EvalRecord(const Expr& expr, Scope* scope, const std::vector<std::string>& names);
  ThingRef EvalBlock(const Expr& expr, Scope* scope, const TypeRef& expected);
  ThingRef EvalTime(const Expr& expr);
  ThingRef EvalLogic(const Expr& expr, Scope* scope);

  // Calls (elaborate_call.cpp).
  ThingRef EvalCall(const Expr& expr, Scope* scope);
  ThingRef Instantiate(const Expr& expr, Scope* scope);
  ThingRef CallFunction(const ThingRef& called, std::vector<ThingRef> args, const std::vector<Span>& spans, Span span);
  ThingRef FormOf(const ThingRef& function, const std::vector<ThingRef>& args, Span span);
  std::vector<TypeRef> TypeArguments(const syntax::Expr& expr, Scope* scope);
  ThingRef CallDefinition(const Thing& function, std::vector<ThingRef> args, const std::vector<Span>& spans, Span span);
  ThingRef CallLambda(const Thing& function, const std::vector<ThingRef>& args, const std::vector<Span>& spans,
                      Span span);
  ThingRef CallOpaque(const Thing& function, const std::vector<ThingRef>& args, const std::vector<Span>& spans);
  ThingRef CallRecursive(const Thing& function, Scope* scope, const std::vector<ThingRef>& args, Span span);
  ThingRef LiftedCall(const Thing& function, const std::vector<ThingRef>& args, const std::vector<Span>& spans,
                      Span span);
  bool ArrangeArguments(const Expr& call, const ThingRef& function, std::vector<const Expr*>& arranged);
  static const std::vector<syntax::Parameter>* ParametersOf(const Thing& thing);
  std::string Shown(const syntax::Definition& definition, Span span) const;
  static std::string NameOfFunction(const Thing& thing);

  // Lifting, frames, regions (elaborate_lift.cpp).
  using Builder = std::function<ThingRef(const std::vector<ThingRef>&)>;
  ThingRef Lift(const std::vector<ThingRef>& args, Span span, bool filters, const Builder& build);
  ThingRef LiftNode(NodeKind kind, bool filters, const std::vector<ThingRef>& streams, const ThingRef& function,
                    const TypeRef& result, Span span);
  ThingRef InRegion(const std::function<ThingRef()>& build);
  // Evaluates in another frame and region, and comes back.
  ThingRef InFrame(Frame* frame, Region* region, const std::function<ThingRef()>& build);
  ThingRef BindLocal(const ThingRef& thing, Region* region, bool strict);
  ThingRef ValueThing(ExprRef value);
  ThingRef StreamThing(Node node);
  ThingRef FreshLocal(const TypeRef& type);
  ExprRef PrimitiveExpr(Primitive primitive, std::vector<ExprRef> args, TypeRef type);
  ExprRef Folded(std::shared_ptr<stream::Expr> expr);
  ExprRef RecordExpr(const std::vector<std::string>& names, std::vector<ExprRef> args);
  ExprRef ValueOf(const ThingRef& thing, Span span);

  // What recursive functions read of the functions around them (elaborate_closure.cpp).
  ExprRef Captured(uint32_t local, const TypeRef& type, Frame* owner, Frame* reader);
  ExprRef Transfer(const ExprRef& expr, Frame* owner, std::map<uint32_t, uint32_t>& bound);
  ThingRef FromOuterFrame(const ThingRef& thing, Frame* owner, const std::string& name, Span span);
  void PassCaptures(Span span);
  void FinishRecursion(Span span);

  // Externs (elaborate_extern.cpp).
  ThingRef CallExtern(const std::string& name, const std::vector<ThingRef>& args, const TypeRef& result, Span span);
  ThingRef StreamExtern(const std::string& name, const std::vector<ThingRef>& args, const TypeRef& result, Span span);
  ThingRef DefaultExtern(const std::vector<ThingRef>& args, const TypeRef& result, Span span);
  ThingRef FoldExtern(Op op, const std::vector<ThingRef>& args, const TypeRef& result, Span span);
  ThingRef MergeAny(std::vector<ThingRef> args, Span span);
  ThingRef MergeExtern(const std::vector<ThingRef>& args, Span span);

  SourceMap& sources_;
  const CompileOptions& options_;
  std::vector<Diagnostic>& diagnostics_;
  Graph graph_;
  std::deque<Scope> scopes_;
  Scope* top_ = nullptr;
  Scope* library_ = nullptr;  // the top level of the newest library
  Frame* frame_ = nullptr;    // null at stream level
  Region* region_ = nullptr;  // null at stream level
  std::deque<Frame> frames_;
  std::deque<Region> regions_;
  std::vector<CallSite> calls_;
  struct RecursiveCall {
    std::shared_ptr<stream::Expr> call;
    Frame* caller;
    Frame* callee;
  };
  std::map<std::string, Frame*> functions_;  // recursive ones
  std::vector<RecursiveCall> open_calls_;    // until their captures are known
  std::vector<Frame*> open_functions_;
  int recursive_depth_ = 0;
  int unknown_branches_ = 0;  // of `static if`s around this place whose condition a check does not know
  std::vector<std::pair<std::string, ScopeEntry*>> named_streams_;
  std::string current_name_;  // of the definition that is being evaluated
  bool paper_ = false;
  ScopeEntry* running_ = nullptr;  // the definition whose body comes next
  std::string place_;              // of the primitive that is being made
  int depth_ = 0;
  uint64_t evaluations_ = 0;
  bool gave_up_ = false;
};

// True when the value is not known because its function is being checked without a call.
bool ContainsOpaque(const ExprRef& expr);

// Whether a `static if` stands somewhere in the expression.
bool HasStaticIf(const syntax::Expr& expr);

// Marks the definitions that may call themselves, directly or through others (by name, so it may mark too many).
void FindRecursion(syntax::Entries& entries);

}  // namespace heddle::stream
