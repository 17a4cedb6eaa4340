// Text to tokens. Comments (`--`, nested `{- -}`) and blanks vanish; line breaks are kept as a flag on the next token,
// because whether one ends a declaration depends on what the parser has seen.
#pragma once

#include <vector>

#include "base/source.h"
#include "csp/syntax/token.h"

namespace heddle::csp {

// All tokens of a file of `sources`, ending in one kEnd. Wrong characters are reported to `diagnostics` and skipped.
std::vector<Token> Lex(const SourceMap& sources, uint32_t file, std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::csp
