// Modules: `module M(p) ... exports ... endmodule`, `instance I = M(1)`, `M::name`.
//
// They are taken out of the tree before anything else looks at it. A declaration `x` of module M becomes a declaration
// `M::x` of the top level, and names are rewritten to what they mean where they stand. An instance is a copy of its
// module with the parameters declared beside it. A module with parameters that has no instance disappears.
#pragma once

#include <vector>

#include "base/source.h"
#include "csp/syntax/ast.h"

namespace heddle::csp {

void ExpandModules(Ast& ast, std::vector<Diagnostic>& diagnostics);

// The same for the type checker alone: a module with parameters stands in the tree too, with kUnknownArgument for each
// of them, so that what nobody instantiates is checked. False when there is no such module.
inline constexpr const char* kUnknownArgument = "?";
bool ExpandForCheck(Ast& ast, std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::csp
