// A model with its names resolved: expression nodes in one vector, global definitions in slots, and the checks sorted
// by the level at which all that they use is known (base_names.h; each `with x from S` adds a level). What depends on
// less is computed less often, and a check that fails early spares all the choices that would come after it.
#pragma once

#include <string>
#include <vector>

#include "litmus/model/base_names.h"
#include "litmus/model/cat_ast.h"
#include "litmus/syntax/tags.h"

namespace heddle::litmus {

enum class CatPrimitive {
  kDomain,
  kRange,
  kLinearisations,
  kClassesLoc,
  kClasses,
  kTagToScope,
  kTagToEvents,
  kDifferentValues,
  kInterveningWrite,
  kNoId,
};

struct CatNode {
  enum class Kind {
    kExpr,       // op with its parts
    kGlobal,     // index: slot
    kLocal,      // index: how many bindings outwards
    kTagSet,     // index: tag of events
    kAllEvents,  // I | R | W ... everything
    kPrimitive,  // index: CatPrimitive
    kEnumTag,    // index: number of a 'tag
  };
  Kind kind = Kind::kExpr;
  CatOp op = CatOp::kEmpty;
  Span span;
  int index = 0;
  std::vector<int> parts;             // nodes
  std::vector<size_t> pattern_sizes;  // kLet, kLetRec: names that each binding binds; kFunction: its parameters
  std::vector<int> clause_tags;       // kMatchTags, -1 is the default
  int level = 0;
  bool closed = true;  // has no local names that are bound outside
  int cache = -1;      // slot of the value when it is kept between evaluations
};

struct CatSlot {
  enum class Kind { kBase, kNode, kRecursive, kChosen };
  Kind kind = Kind::kNode;
  std::string name;
  int level = 0;
  int index = 0;  // Base; node; group of a recursion
  int part = -1;  // of the tuple that the node gives, -1: the value itself
};

struct CatRecursion {
  std::vector<int> slots;
  std::vector<int> nodes;
};

struct CatStep {
  enum class Kind { kCheck, kWith, kForall };
  Kind kind = Kind::kCheck;
  CatCheck check = CatCheck::kAcyclic;
  CatCheckUse use = CatCheckUse::kRequire;
  bool negated = false;
  std::string name;
  int node = 0;
  int slot = 0;               // of the chosen value
  int level = 0;              // of the check; of the chosen value
  std::vector<CatStep> body;  // kForall
  Span span;
};

struct CatProgram {
  std::string title;
  std::vector<CatNode> nodes;
  std::vector<CatSlot> slots;
  std::vector<CatRecursion> recursions;
  std::vector<std::string> enum_tags;
  std::vector<std::vector<CatStep>> checks;  // required ones by level
  std::vector<CatStep> choices;              // with and forall, in order
  std::vector<CatStep> flags;                // flag and undefined_unless
  int levels = 3;
  int caches = 0;
  bool uses_sync_fence = false;
  bool uses_parts = false;  // it says what accesses of different sizes do (sm or si)
  // Requires acyclic (po-loc | rf | fr | co ...): then only coherence orders that agree with program order are tried.
  bool coherent = false;
  // The slot of a `with co from ...`, when the model does not use the built-in coherence at all; else -1.
  int own_co = -1;
};

}  // namespace heddle::litmus
