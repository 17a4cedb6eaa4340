#include "litmus/model/cat_lexer.h"

#include <array>
#include <cctype>
#include <string_view>

namespace heddle::litmus {
namespace {

bool StartsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool InName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

class Lexer {
 public:
  Lexer(const SourceMap& sources, uint32_t file) : sources_(sources), file_(file), text_(sources.file(file).text()) {}

  Result<std::vector<CatToken>> Run() {
    while (true) {
      if (Status status = SkipBlanks(); !status) return status.error();
      if (at_ >= text_.size()) break;
      if (Status status = Next(); !status) return status.error();
    }
    Push(CatTokenKind::kEnd, at_, at_, "");
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Span SpanOf(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  Error Fail(size_t begin, size_t end, std::string message) const {
    return MakeError(ErrorCode::kBadInput,
                     Render(sources_, {Severity::kError, SpanOf(begin, end), std::move(message), "", {}}));
  }
  void Push(CatTokenKind kind, size_t begin, size_t end, std::string text) {
    tokens_.push_back({kind, std::move(text), SpanOf(begin, end)});
  }

  Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(Peek())) != 0) {
        ++at_;
      } else if (Peek() == '#' || (Peek() == '/' && Peek(1) == '/')) {
        while (at_ < text_.size() && Peek() != '\n') ++at_;
      } else if ((Peek() == '(' && Peek(1) == '*') || (Peek() == '/' && Peek(1) == '*')) {
        if (Status status = SkipComment(Peek() == '('); !status) return status;
      } else {
        return {};
      }
    }
    return {};
  }

  Status SkipComment(bool nests) {
    size_t begin = at_;
    int depth = 0;
    do {
      if (at_ >= text_.size()) return Fail(begin, begin + 2, "this comment does not end");
      bool opens = nests && Peek() == '(' && Peek(1) == '*';
      bool closes = Peek() == '*' && Peek(1) == (nests ? ')' : '/');
      if (opens || (depth == 0 && !nests)) {
        ++depth;
        at_ += 2;
      } else if (closes) {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0);
    return {};
  }

  Status Next() {
    size_t begin = at_;
    char c = Peek();
    if (StartsName(c)) return Name(begin, CatTokenKind::kName);
    if (c == '\'' && StartsName(Peek(1))) {
      ++at_;
      return Name(begin + 1, CatTokenKind::kTag);
    }
    if (c == '"') return Text(begin);
    if (c == '0' && !InName(Peek(1))) return Symbol(begin, 1);
    static constexpr std::array<std::string_view, 9> kLong = {"^-1", "^+", "^*", "^?", "++", "||", "&&", "->", "-1"};
    for (std::string_view word : kLong) {
      if (text_.substr(at_, word.size()) == word) return Symbol(begin, word.size());
    }
    if (std::string_view("|&\\;*~+?[](){},=").find(c) != std::string_view::npos) return Symbol(begin, 1);
    return Fail(begin, begin + 1, std::string("unexpected character `") + c + "`");
  }

  Status Name(size_t begin, CatTokenKind kind) {
    while (InName(Peek())) {
      if (Peek() == '-' && Peek(1) == '>') break;
      ++at_;
    }
    Push(kind, begin, at_, std::string(text_.substr(begin, at_ - begin)));
    return {};
  }
  Status Text(size_t begin) {
    ++at_;
    while (at_ < text_.size() && Peek() != '"') ++at_;
    if (at_ >= text_.size()) return Fail(begin, begin + 1, "this string does not end");
    ++at_;
    Push(CatTokenKind::kString, begin, at_, std::string(text_.substr(begin + 1, at_ - begin - 2)));
    return {};
  }
  Status Symbol(size_t begin, size_t size) {
    at_ += size;
    Push(CatTokenKind::kSymbol, begin, at_, std::string(text_.substr(begin, size)));
    return {};
  }

  const SourceMap& sources_;
  uint32_t file_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<CatToken> tokens_;
};

}  // namespace

Result<std::vector<CatToken>> LexCat(const SourceMap& sources, uint32_t file) { return Lexer(sources, file).Run(); }

}  // namespace heddle::litmus
