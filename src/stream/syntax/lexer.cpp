#include "stream/syntax/lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace heddle::stream {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// Longest first.
constexpr std::string_view kSymbols[] = {"<=.", ">=.", ":=", "=>", "->", "==", "!=", "<=", ">=", "<.", ">.", "&&",
                                         "||",  "<<",  ">>", "+.", "-.", "*.", "/.", "@@", "(",  ")",  "[",  "]",
                                         "{",   "}",   ",",  ";",  ":",  "=",  "<",  ">",  "+",  "-",  "*",  "/",
                                         "%",   "&",   "|",  "^",  "~",  "!",  "${", "..", ".",  "@"};

class Lexer {
 public:
  Lexer(const SourceMap& sources, Span range, std::vector<Diagnostic>& diagnostics)
      : text_(sources.file(range.file).text()), range_(range), at_(range.begin), diagnostics_(diagnostics) {}

  std::vector<Token> Run() {
    for (;;) {
      bool newline = SkipBlank();
      Token token = Next();
      token.newline_before = newline;
      bool end = token.kind == Token::Kind::kEnd;
      tokens_.push_back(std::move(token));
      if (end) return std::move(tokens_);
    }
  }

 private:
  char Peek(uint32_t ahead = 0) const { return at_ + ahead < range_.end ? text_[at_ + ahead] : '\0'; }
  bool AtEnd() const { return at_ >= range_.end; }
  Span From(uint32_t begin) const { return {range_.file, begin, at_}; }

  void Report(Span span, std::string message) {
    diagnostics_.push_back({Severity::kError, span, std::move(message), "", {}});
  }

  // Spaces, comments, escaped newlines. True when a newline was passed.
  bool SkipBlank() {
    bool newline = false;
    while (!AtEnd()) {
      char c = Peek();
      if (c == '\n') {
        newline = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#' || (c == '-' && Peek(1) == '-')) {
        while (!AtEnd() && Peek() != '\n') ++at_;
      } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
        at_ += Peek(1) == '\n' ? 2 : 3;
      } else {
        break;
      }
    }
    return newline;
  }

  Token Next() {
    Token token;
    uint32_t begin = at_;
    if (AtEnd()) {
      token.span = {range_.file, range_.end, range_.end};
      return token;
    }
    char c = Peek();
    if ((c == 'f' || c == 's') && Peek(1) == '"') {
      ++at_;
      LexString(token, c == 'f');
    } else if (c == '"') {
      LexString(token, false);
    } else if (IsNameStart(c)) {
      while (IsNamePart(Peek())) ++at_;
      token.kind = Token::Kind::kName;
    } else if (IsDigit(c)) {
      LexNumber(token);
    } else if (!LexSymbol(token)) {
      ++at_;
      Report(From(begin), fmt::format("unexpected character `{}`", text_.substr(begin, 1)));
      SkipBlank();
      return Next();
    }
    token.span = From(begin);
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }

  bool LexSymbol(Token& token) {
    std::string_view rest = text_.substr(at_, range_.end - at_);
    for (std::string_view symbol : kSymbols) {
      if (rest.starts_with(symbol)) {
        at_ += static_cast<uint32_t>(symbol.size());
        token.kind = Token::Kind::kSymbol;
        return true;
      }
    }
    return false;
  }

  void LexNumber(Token& token) {
    uint32_t begin = at_;
    token.kind = Token::Kind::kInt;
    int base = 10;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X')) {
      base = 16;
      at_ += 2;
      begin = at_;
      while (std::isxdigit(static_cast<unsigned char>(Peek())) != 0) ++at_;
    } else {
      while (IsDigit(Peek())) ++at_;
      if (LexFraction()) token.kind = Token::Kind::kFloat;
    }
    const char* first = text_.data() + begin;
    const char* last = text_.data() + at_;
    if (token.kind == Token::Kind::kFloat) {
      std::from_chars(first, last, token.real);
      return;
    }
    auto result = std::from_chars(first, last, token.integer, base);
    if (result.ec == std::errc::result_out_of_range) {
      Report(From(begin), "integer literal does not fit in 64 bits");
    } else if (result.ec != std::errc()) {
      Report(From(begin), "a number needs at least one digit");
    }
  }

  bool LexFraction() {
    bool is_float = false;
    if (Peek() == '.' && IsDigit(Peek(1))) {
      is_float = true;
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    uint32_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
    if ((Peek() == 'e' || Peek() == 'E') && IsDigit(Peek(1 + sign))) {
      is_float = true;
      at_ += 1 + sign;
      while (IsDigit(Peek())) ++at_;
    }
    return is_float;
  }

  // `at_` is on the opening quote.
  void LexString(Token& token, bool formatted) {
    token.kind = Token::Kind::kString;
    uint32_t begin = at_++;
    std::string text;
    for (;;) {
      if (AtEnd() || Peek() == '\n') {
        Report(From(begin), "string is not closed on its line");
        break;
      }
      char c = Peek();
      ++at_;
      if (c == '"') break;
      if (c == '\\') {
        LexEscape(text);
      } else if (c == '$') {
        token.pieces.push_back({std::move(text), false, {}, ""});
        text.clear();
        LexInterpolation(token, formatted);
      } else if (c == '%' && formatted && (Peek() == '%' || Peek() == 'n')) {
        text += Peek() == '%' ? '%' : '\n';
        ++at_;
      } else {
        text += c;
      }
    }
    token.pieces.push_back({std::move(text), false, {}, ""});
  }

  void LexEscape(std::string& text) {
    char c = Peek();
    ++at_;
    switch (c) {
      case 'n':
        text += '\n';
        break;
      case 'r':
        text += '\r';
        break;
      case 't':
        text += '\t';
        break;
      case 'a':
        text += '\a';
        break;
      case '\\':
      case '"':
      case '$':
      case '%':
        text += c;
        break;
      default:
        Report(From(at_ - 2), "unknown escape in string");
    }
  }

  // After `$`: a name, or an expression in braces (which may hold strings and braces itself).
  void LexInterpolation(Token& token, bool formatted) {
    Token::Piece piece;
    piece.is_expr = true;
    if (Peek() == '{') {
      uint32_t open = at_++;
      uint32_t begin = at_;
      int depth = 1;
      bool quoted = false;
      while (!AtEnd() && Peek() != '\n') {
        char c = Peek();
        if (c == '"' && text_[at_ - 1] != '\\') quoted = !quoted;
        if (!quoted && c == '{') ++depth;
        if (!quoted && c == '}' && --depth == 0) break;
        ++at_;
      }
      if (Peek() != '}') Report(From(open), "`${` is not closed");
      piece.expr = From(begin);
      if (Peek() == '}') ++at_;
    } else {
      uint32_t begin = at_;
      while (IsNamePart(Peek())) ++at_;
      piece.expr = From(begin);
      if (at_ == begin)
        Report({range_.file, begin - 1, begin}, "`$` needs a name or `{` after it; write `\\$` for `$`");
    }
    if (formatted && Peek() == '%') {
      uint32_t begin = at_++;
      while (!AtEnd() && std::string_view("-+ 0#,(.123456789").find(Peek()) != std::string_view::npos) ++at_;
      if (!AtEnd() && Peek() != '"' && Peek() != '\n') ++at_;
      piece.format = std::string(text_.substr(begin, at_ - begin));
    }
    if (piece.expr.begin != piece.expr.end) token.pieces.push_back(std::move(piece));
  }

  std::string_view text_;
  Span range_;
  uint32_t at_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Lex(const SourceMap& sources, Span range, std::vector<Diagnostic>& diagnostics) {
  return Lexer(sources, range, diagnostics).Run();
}

}  // namespace heddle::stream
