// Names to places. After Resolve every name of the tree says where its value is: a slot of the running activation, an
// index in a let's frame, a global, a builtin. Everything evaluated late has a Unit that lists what it captures.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "csp/syntax/ast.h"

namespace heddle::csp {

// Something declared at the top level.
struct Global {
  enum class Kind : uint8_t { kBinding, kChannel, kConstructor, kType };
  Kind kind = Kind::kBinding;
  std::string name;
  Decl* decl = nullptr;
  uint32_t part = 0;  // which constructor, or which variable of a pattern
};

struct Globals {
  std::vector<Global> all;
  std::unordered_map<std::string, uint32_t> by_name;
  uint32_t Find(const std::string& name) const;  // kNone when there is none
  static constexpr uint32_t kNone = ~0u;
};

// Collects the top-level names; repeated declarations are reported.
Globals CollectGlobals(const Ast& ast, std::vector<Diagnostic>& diagnostics);

// Resolves the whole script, which the type checker has accepted: an undeclared name cannot occur any more.
void Resolve(Ast& ast, const Globals& globals);

// Resolves one more expression at the top level (for processes named on the command line).
Unit* ResolveExpression(Ast& ast, const Globals& globals, Expr* expr);

}  // namespace heddle::csp
