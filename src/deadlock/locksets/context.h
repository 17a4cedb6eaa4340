// Contexts: a function, what its relevant parameters stand for, and the state in which it is entered. See contexts.h
// for the fixed point over them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/state.h"

namespace heddle::deadlock {

using ContextId = uint32_t;
inline constexpr ContextId kNoContext = UINT32_MAX;

// What a parameter stands for; no value: whatever the pointer analysis says.
using Binding = std::optional<LocSet>;

// How a context was first entered.
struct Entry {
  ContextId caller = kNoContext;
  const llvm::CallBase* call = nullptr;
};

struct Context {
  llvm::Function* function = nullptr;
  std::vector<Binding> bindings;  // of the relevant parameters, in order
  StateId entry = kNoState;
  StateId exit = kNoState;         // at return
  StateId unwind = kNoState;       // when an exception leaves it
  bool merged = false;             // the one that takes what is over the budget
  std::optional<OriginId> starts;  // first function of a thread
  Entry first;
  std::set<ContextId> callers, callees;
  std::map<LocId, Entry> held_since;                 // for locks held at entry: the caller where they were
  std::map<LocId, const llvm::CallBase*> held_site;  // and who acquired them there; null: held at its entry too
};

// A thread by where it was created.
struct Origin {
  const llvm::CallBase* create = nullptr;  // null: main, or what the `note` says
  llvm::Function* start = nullptr;
  size_t others = 0;                     // more functions that it may start with, taken together
  std::string note;                      // "main", "signal handler", "callback", "caller of the library"
  bool anytime = false;                  // runs in parallel with everything, itself too
  std::set<OriginId> descendants;        // all threads that it may create, directly or not
  std::set<OriginId> leaves;             // of them, those that may run on when it has ended
  std::set<ContextId> contexts;          // where it starts
  std::optional<std::set<LocId>> knows;  // has seen released when it ends (handoffs.h); none: not known yet
};

// Evaluates operands in a context: what the pointer analysis says, refined by what the parameters stand for.
class Evaluator {
 public:
  Evaluator(const Facts& facts, const Context& context) : facts_(facts), context_(context) {}
  LocSet Of(const llvm::Value* value);

 private:
  LocSet Compute(const llvm::Value* value, int depth);
  LocSet At(const llvm::Value* value, int depth);

  const Facts& facts_;
  const Context& context_;
  std::unordered_map<const llvm::Value*, LocSet> known_;
  std::set<const llvm::Value*> busy_;
};

}  // namespace heddle::deadlock
