// Tokens of TeSSLa. Comments (`--`, `#`, and the doc comments `---`, `##`) are skipped; whether a newline stood before
// a token is kept, because newlines can end statements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace heddle::stream {

struct Token {
  enum class Kind { kEnd, kName, kInt, kFloat, kString, kSymbol };
  // A piece of a string literal: text, or the byte range of an interpolated expression.
  struct Piece {
    std::string text;
    bool is_expr = false;
    Span expr;
    std::string format;
  };
  Kind kind = Kind::kEnd;
  Span span;
  std::string_view text;
  bool newline_before = false;
  int64_t integer = 0;
  double real = 0;
  std::vector<Piece> pieces;
};

// Appends the tokens of bytes [begin, end) of the file, ending with kEnd. Errors go to `diagnostics`; the lexer goes
// on.
std::vector<Token> Lex(const SourceMap& sources, Span range, std::vector<Diagnostic>& diagnostics);

}  // namespace heddle::stream
