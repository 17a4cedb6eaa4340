// Judges executions by a compiled model. The search sets up what is known at a level and asks whether the checks of
// that level hold; values are computed when they are first needed and kept until their level begins again.
//
//   eval.Begin(0, events); if (!eval.Check(0)) ...          the paths are chosen
//   eval.Begin(1); if (!eval.Check(1)) ...                  reads-from is chosen
//   eval.Begin(2); eval.Finish(accepted);                   coherence is chosen: each way to choose the rest
//
// One object serves one thread. Errors in the model (a set where a relation must be) are kept; see error().
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "litmus/model/cat_program.h"
#include "litmus/model/cat_value.h"

namespace heddle::litmus {

// What the execution that is judged knows of itself. Words must live until the level begins again.
class ExecutionFacts {
 public:
  virtual ~ExecutionFacts() = default;
  virtual Shape shape() const = 0;
  virtual const Word* Relation(Base base, Arena& arena) const = 0;  // a set for kFinalWrites
  virtual const Word* Tagged(Tag tag) const = 0;
  virtual int LocationOf(int event) const = 0;  // -1: none
  virtual int64_t ValueOf(int event) const = 0;
  virtual bool Divided() const { return true; }  // some access has several events: `sm` is more than `id`
};

struct FailedCheck {
  std::string name;        // empty when the model gives none
  std::vector<int> cycle;  // events, for acyclic and irreflexive
};

class CatEval {
 public:
  CatEval(const SourceMap& sources, const CatProgram& program);

  void Begin(int level, const ExecutionFacts& facts);
  // Whether the required checks of this level hold. With `failed`, says which one did not.
  bool Check(int level, FailedCheck* failed = nullptr);
  // Calls `accepted` for each way to make the model's own choices (once when it makes none) in which all checks hold,
  // with the flags that it raises; names of broken undefined_unless checks have a leading "!".
  void Finish(const std::function<void(const std::set<std::string>&)>& accepted);
  // The relation that the model chose for this slot, while `accepted` runs.
  const Word* Chosen(int slot) const { return slots_[static_cast<size_t>(slot)].value.bits; }
  // The value of a definition of the model as a relation, for drawing; null when there is none such.
  const Word* RelationNamed(const std::string& name);

  const std::optional<Error>& error() const { return error_; }

 private:
  using Kind = CatValue::Kind;

  CatValue Eval(int node, CatEnv* env);
  CatValue EvalNow(const CatNode& node, CatEnv* env);
  CatValue Operator(const CatNode& node, CatEnv* env);
  CatValue Global(int slot);
  CatValue Recursion(int group, int slot);
  CatValue Apply(const CatNode& node, CatValue function, CatValue argument);
  CatValue Primitive(const CatNode& node, CatPrimitive primitive, CatValue argument);
  CatValue Combine(const CatNode& node, CatValue a, CatValue b);
  CatValue CombineLists(const CatNode& node, CatValue a, CatValue b);
  CatValue Add(const CatNode& node, CatValue element, CatValue set);
  bool IsIdentity(int node) const;
  CatValue MakeSet(const CatNode& node, CatEnv* env);
  CatValue Let(const CatNode& node, CatEnv* env);
  CatValue LetRec(const CatNode& node, CatEnv* env);
  CatValue MatchTags(const CatNode& node, CatEnv* env);
  CatValue MatchSet(const CatNode& node, CatEnv* env);
  CatValue Linearisations(const CatNode& node, CatValue argument);
  CatValue Classes(const CatNode& node, CatValue set, const Word* same);
  CatEnv* Bind(const CatNode& node, CatValue value, size_t names, CatEnv* env);

  CatValue AsSet(const CatNode& node, CatValue value);
  CatValue AsRel(const CatNode& node, CatValue value);
  CatValue RelOf(const Word* bits) const;
  CatValue SetOf(const Word* bits) const;
  CatValue ListOf(const std::vector<CatValue>& items);
  bool Same(const CatValue& a, const CatValue& b) const;
  void Elements(const CatValue& set, std::vector<CatValue>& out);
  CatValue Fail(const CatNode& node, std::string message);
  Arena& arena() { return arenas_[static_cast<size_t>(current_)]; }

  bool Holds(const CatStep& step, FailedCheck* failed = nullptr);
  void Choose(size_t step, const std::function<void(const std::set<std::string>&)>& accepted);
  bool ForallHolds(const CatStep& step);
  void Bump(int level);

  const SourceMap& sources_;
  const CatProgram& program_;
  const ExecutionFacts* facts_ = nullptr;
  Shape shape_;
  std::vector<Arena> arenas_;     // by level
  std::vector<uint64_t> stamps_;  // by level
  int current_ = 0;               // the level whose arena is in use
  struct Kept {
    uint64_t stamp = 0;
    CatValue value;
  };
  std::vector<Kept> slots_;
  std::vector<Kept> caches_;
  std::vector<Word> scratch_;
  uint64_t clock_ = 0;
  int depth_ = 0;
  std::optional<Error> error_;
};

}  // namespace heddle::litmus
