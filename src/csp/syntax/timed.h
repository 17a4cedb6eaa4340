// Timed sections: `Timed(f) { ... }`, where an event e takes f(e) units of time and `tock` marks their passing.
#pragma once

#include "csp/syntax/ast.h"

namespace heddle::csp {

// What the name of a section's timing function begins with: no script can write it.
inline constexpr const char* kTimingPrefix = "timing ";

// Rewrites the declarations of a timed section, as docs/csp.md lists. `timing` is the name under which the function
// from events to times is declared. Gives the place of the first operator that has no timed form (a linked parallel or
// a prefix with `$`), or an empty span.
struct Untimed {
  Span span;
  bool choice = false;  // a prefix with `$`
};
Untimed RewriteTimed(Ast& ast, const std::vector<Decl*>& decls, const std::string& timing);

}  // namespace heddle::csp
