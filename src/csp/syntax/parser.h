// Tokens to syntax tree, with the precedences of CSP_M (docs/csp.md lists them).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/source.h"
#include "csp/syntax/ast.h"
#include "csp/syntax/token.h"

namespace heddle::csp {

// Finds an included file: its text and name, or an error. `from` is the name of the including file.
struct IncludedFile {
  std::string name;
  std::string text;
};
using IncludeLoader = std::function<Result<IncludedFile>(const std::string& from, const std::string& name)>;

// Parses file number `file` of `sources` and everything it includes into `ast.top`. Goes on after an error at the next
// declaration, so that several errors are reported at once (at most kMaxDiagnostics).
inline constexpr size_t kMaxDiagnostics = 20;
void Parse(SourceMap& sources, uint32_t file, const IncludeLoader& loader, Ast& ast,
           std::vector<Diagnostic>& diagnostics);

// Parses one expression (for `--step` and `--graph`, which take a process). Null when it is wrong.
Expr* ParseExpression(SourceMap& sources, uint32_t file, Ast& ast, std::vector<Diagnostic>& diagnostics);

// Parses a type, as in an annotation.
Expr* ParseType(SourceMap& sources, uint32_t file, Ast& ast, std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::csp
