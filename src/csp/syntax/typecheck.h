// Infers and checks the types of a script before anything of it runs, and finds undeclared names.
#pragma once

#include <vector>

#include "base/source.h"
#include "csp/syntax/ast.h"

namespace heddle::csp {

// What a name outside the script means to the checker: builtins, written as type annotations.
struct KnownName {
  std::string_view name;
  std::string_view type;
  char group;  // 'a' always known; 't', 'e' only once declared transparent or external
};

// Reports to `diagnostics`; sets Expr::is_process. `extra` is one more expression to check as a process, or null.
// `partial`: a tree in which the parameters of modules have no values (see ExpandModules): what is then unknown is no
// error.
void TypeCheck(Ast& ast, const std::vector<KnownName>& known, Expr* extra, std::vector<Diagnostic>& diagnostics,
               bool partial = false);

}  // namespace heddle::csp
