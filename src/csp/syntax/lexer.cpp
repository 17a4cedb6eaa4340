#include "csp/syntax/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>

namespace heddle::csp {
namespace {

struct Spelling {
  std::string_view text;
  Tok kind;
};

// Longest first; the first that matches wins.
constexpr std::array kOperators = {
    Spelling{"|||", Tok::kInterleave}, Spelling{"|~|", Tok::kInt},       Spelling{"<->", Tok::kLink},
    Spelling{"[|", Tok::kLPar},        Spelling{"|]", Tok::kRPar},       Spelling{"||", Tok::kAlphaPar},
    Spelling{"[[", Tok::kLRename},     Spelling{"]]", Tok::kRRename},    Spelling{"{|", Tok::kLChan},
    Spelling{"|}", Tok::kRChan},       Spelling{"(|", Tok::kLMap},       Spelling{"|)", Tok::kRMap},
    Spelling{"|\\", Tok::kProject},    Spelling{"/\\", Tok::kInterrupt}, Spelling{"[>", Tok::kSlide},
    Spelling{"|>", Tok::kRExc},        Spelling{"[]", Tok::kExt},        Spelling{"[+", Tok::kLSyncExt},
    Spelling{"+]", Tok::kRSyncExt},    Spelling{"/+", Tok::kLSyncInt},   Spelling{"+\\", Tok::kRSyncInt},
    Spelling{"->", Tok::kArrow},       Spelling{"<-", Tok::kBackArrow},  Spelling{"=>", Tok::kMapTo},
    Spelling{"==", Tok::kEq},          Spelling{"!=", Tok::kNe},         Spelling{"<=", Tok::kLe},
    Spelling{">=", Tok::kGe},          Spelling{"..", Tok::kDotDot},     Spelling{"::", Tok::kDoubleColon},
    Spelling{"@@", Tok::kAtAt},        Spelling{"(", Tok::kLParen},      Spelling{")", Tok::kRParen},
    Spelling{"{", Tok::kLBrace},       Spelling{"}", Tok::kRBrace},      Spelling{"[", Tok::kLBracket},
    Spelling{"]", Tok::kRBracket},     Spelling{"\\", Tok::kHide},       Spelling{";", Tok::kSemi},
    Spelling{"&", Tok::kAmp},          Spelling{"?", Tok::kQuery},       Spelling{"!", Tok::kBang},
    Spelling{"$", Tok::kDollar},       Spelling{".", Tok::kDot},         Spelling{":", Tok::kColon},
    Spelling{",", Tok::kComma},        Spelling{"|", Tok::kBar},         Spelling{"@", Tok::kAt},
    Spelling{"=", Tok::kAssign},       Spelling{"<", Tok::kLt},          Spelling{">", Tok::kGt},
    Spelling{"+", Tok::kPlus},         Spelling{"-", Tok::kMinus},       Spelling{"*", Tok::kStar},
    Spelling{"/", Tok::kSlash},        Spelling{"%", Tok::kPercent},     Spelling{"#", Tok::kHash},
    Spelling{"^", Tok::kCaret},
};

const std::unordered_map<std::string_view, Tok>& Keywords() {
  static const std::unordered_map<std::string_view, Tok> words = {
      {"and", Tok::kAnd},           {"or", Tok::kOr},
      {"not", Tok::kNot},           {"if", Tok::kIf},
      {"then", Tok::kThen},         {"else", Tok::kElse},
      {"let", Tok::kLet},           {"within", Tok::kWithin},
      {"true", Tok::kTrue},         {"false", Tok::kFalse},
      {"channel", Tok::kChannel},   {"datatype", Tok::kDatatype},
      {"subtype", Tok::kSubtype},   {"nametype", Tok::kNametype},
      {"assert", Tok::kAssert},     {"transparent", Tok::kTransparent},
      {"external", Tok::kExternal}, {"print", Tok::kPrint},
      {"include", Tok::kInclude},   {"module", Tok::kModule},
      {"exports", Tok::kExports},   {"endmodule", Tok::kEndModule},
      {"instance", Tok::kInstance}, {"Timed", Tok::kTimed}};
  return words;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNamePart(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

class Lexer {
 public:
  Lexer(const SourceMap& sources, uint32_t file, std::vector<Diagnostic>& diagnostics)
      : file_(file), text_(sources.file(file).text()), diagnostics_(diagnostics) {}

  std::vector<Token> Run() {
    while (true) {
      SkipBlank();
      if (at_ >= text_.size()) break;
      Next();
    }
    Push(Tok::kEnd, text_.size(), text_.size());
    tokens_.back().newline_before = true;
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool Starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  Span SpanFrom(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  void Push(Tok kind, size_t begin, size_t end) {
    Token token;
    token.kind = kind;
    token.newline_before = newline_;
    token.span = SpanFrom(begin, end);
    tokens_.push_back(std::move(token));
    newline_ = false;
  }

  void Report(size_t begin, size_t end, std::string message, std::string help = {}) {
    Diagnostic diagnostic;
    diagnostic.span = SpanFrom(begin, end);
    diagnostic.message = std::move(message);
    diagnostic.help = std::move(help);
    diagnostics_.push_back(std::move(diagnostic));
  }

  void SkipBlank() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') {
        newline_ = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (Starts("--")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (Starts("{-")) {
        SkipBlockComment();
      } else {
        return;
      }
    }
  }

  void SkipBlockComment() {
    size_t begin = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      if (Starts("{-")) {
        ++depth;
        at_ += 2;
      } else if (Starts("-}")) {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        if (text_[at_] == '\n') newline_ = true;
        ++at_;
      }
    }
    Report(begin, begin + 2, "this comment is not closed",
           "end it with `-}`; a set that begins with a negative number is written `{ -1 }`");
  }

  void Next() {
    char c = Peek();
    if (IsLetter(c)) return Name();
    if (IsDigit(c)) return Number();
    if (c == '"') return String();
    if (c == '\'') return Character();
    if (c == '_') return Underscore();
    if (Refinement() || Operator()) return;
    size_t begin = at_++;
    // A character outside ASCII is reported once, not once for each of its bytes.
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) ++at_;
    bool printable = static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
    std::string shown = printable ? std::string(text_.substr(begin, at_ - begin))
                                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    Report(begin, at_, fmt::format("unexpected character `{}`", shown));
  }

  void Name() {
    size_t begin = at_;
    while (IsNamePart(Peek())) ++at_;
    while (Peek() == '\'') ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    auto keyword = Keywords().find(word);
    Push(keyword == Keywords().end() ? Tok::kName : keyword->second, begin, at_);
    tokens_.back().text = std::string(word);
  }

  void Underscore() {
    size_t begin = at_++;
    if (IsNamePart(Peek())) {
      while (IsNamePart(Peek())) ++at_;
      Report(begin, at_, "a name cannot begin with `_`", "begin it with a letter");
    }
    Push(Tok::kUnderscore, begin, begin + 1);
  }

  void Number() {
    size_t begin = at_;
    int64_t value = 0;
    bool overflow = false;
    while (IsDigit(Peek())) {
      overflow |= __builtin_mul_overflow(value, int64_t{10}, &value);
      overflow |= __builtin_add_overflow(value, int64_t{Peek() - '0'}, &value);
      ++at_;
    }
    if (overflow) Report(begin, at_, "this number does not fit in 64 bits");
    if (IsLetter(Peek()) || Peek() == '_') {
      while (IsNamePart(Peek())) ++at_;
      Report(begin, at_, "a name cannot begin with a digit");
    }
    Push(Tok::kNumber, begin, at_);
    tokens_.back().number = overflow ? 0 : value;
  }

  // One character after a possible backslash; false at the end of the line.
  bool Escaped(char& out) {
    char c = Peek();
    if (c == '\0' || c == '\n') return false;
    ++at_;
    if (c != '\\') {
      out = c;
      return true;
    }
    char e = Peek();
    if (e == '\0' || e == '\n') return false;
    ++at_;
    switch (e) {
      case 'n':
        out = '\n';
        break;
      case 't':
        out = '\t';
        break;
      case '0':
        out = '\0';
        break;
      case '\\':
      case '\'':
      case '"':
        out = e;
        break;
      default:
        out = e;
        Report(at_ - 2, at_, fmt::format("unknown escape `\\{}`", e), "known are \\n \\t \\0 \\\\ \\' \\\"");
    }
    return true;
  }

  void String() {
    size_t begin = at_++;
    std::string value;
    char c = 0;
    while (Peek() != '"') {
      if (!Escaped(c)) {
        Report(begin, at_, "this string is not closed", "end it with `\"` on the same line");
        break;
      }
      value.push_back(c);
    }
    if (Peek() == '"') ++at_;
    Push(Tok::kString, begin, at_);
    tokens_.back().text = std::move(value);
  }

  void Character() {
    size_t begin = at_++;
    char c = 0;
    if (Peek() == '\'' || !Escaped(c) || Peek() != '\'') {
      Report(begin, at_, "this character literal is not closed", "write one character between two `'`");
    } else {
      ++at_;
    }
    Push(Tok::kChar, begin, at_);
    tokens_.back().number = static_cast<unsigned char>(c);
  }

  // `[T=`, `[FD=`, ...: a bracket, a model and an equals sign without blanks.
  bool Refinement() {
    if (Peek() != '[') return false;
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] >= 'A' && text_[end] <= 'Z') ++end;
    if (end == at_ + 1 || end - at_ > 4 || end >= text_.size() || text_[end] != '=') return false;
    if (end + 1 < text_.size() && text_[end + 1] == '=') return false;
    std::string_view model = text_.substr(at_ + 1, end - at_ - 1);
    Push(Tok::kRefine, at_, end + 1);
    tokens_.back().text = std::string(model);
    at_ = end + 1;
    return true;
  }

  bool Operator() {
    // `(|` opens a map, except where the bar begins a replicated operator; `<1>==x` compares a sequence.
    if (Starts("(|") && (Peek(2) == '|' || Peek(2) == '~')) return Take(Tok::kLParen, 1);
    if (Starts(">==")) return Take(Tok::kGt, 1);
    for (const Spelling& spelling : kOperators) {
      if (Starts(spelling.text)) return Take(spelling.kind, spelling.text.size());
    }
    return false;
  }

  bool Take(Tok kind, size_t length) {
    Push(kind, at_, at_ + length);
    at_ += length;
    return true;
  }

  uint32_t file_;
  std::string_view text_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  bool newline_ = true;
};

}  // namespace

std::string TokenName(Tok kind) {
  static constexpr std::array<std::string_view, 100> names = {
#define X(name, text) text,
      HEDDLE_CSP_TOKENS(X)
#undef X
  };
  std::string_view text = names[static_cast<size_t>(kind)];
  bool described = text.substr(0, 2) == "a " || text.substr(0, 3) == "end";
  return described && kind != Tok::kEndModule ? std::string(text) : fmt::format("`{}`", text);
}

std::vector<Token> Lex(const SourceMap& sources, uint32_t file, std::vector<Diagnostic>& diagnostics) {
  return Lexer(sources, file, diagnostics).Run();
}

}  // namespace heddle::csp
