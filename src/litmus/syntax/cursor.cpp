#include "litmus/syntax/cursor.h"

#include <cctype>
#include <cstdlib>

namespace heddle::litmus {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

void Cursor::Skip() {
  while (at_ < end_ && IsSpace(text_[at_])) ++at_;
}

bool Cursor::AtEnd() {
  Skip();
  return at_ >= end_;
}

char Cursor::Peek() {
  Skip();
  return at_ < end_ ? text_[at_] : '\0';
}

bool Cursor::Take(std::string_view symbol) {
  Skip();
  if (text_.substr(at_, end_ - at_).substr(0, symbol.size()) != symbol) return false;
  at_ += symbol.size();
  return true;
}

bool Cursor::TakeWord(std::string_view word) {
  if (PeekWord() != word) return false;
  Word();
  return true;
}

std::string_view Cursor::PeekWord() {
  size_t before = at_;
  std::string_view word = Word();
  at_ = before;
  return word;
}

std::string_view Cursor::Word() {
  Skip();
  size_t begin = at_;
  if (at_ < end_ && IsWordStart(text_[at_])) {
    while (at_ < end_ && IsWordChar(text_[at_])) ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view Cursor::DottedWord() {
  Skip();
  size_t begin = at_;
  if (at_ < end_ && IsWordStart(text_[at_])) {
    while (at_ < end_ &&
           (IsWordChar(text_[at_]) || (text_[at_] == '.' && at_ + 1 < end_ && IsWordChar(text_[at_ + 1])))) {
      ++at_;
    }
  }
  return text_.substr(begin, at_ - begin);
}

std::optional<int64_t> Cursor::Number() {
  Skip();
  size_t at = at_;
  bool negative = at < end_ && text_[at] == '-';
  if (negative || (at < end_ && text_[at] == '+')) ++at;
  if (at >= end_ || !IsDigit(text_[at])) return std::nullopt;
  int base = 10;
  if (text_[at] == '0' && at + 1 < end_ && (text_[at + 1] == 'x' || text_[at + 1] == 'X')) {
    base = 16;
    at += 2;
  }
  uint64_t value = 0;
  size_t first = at;
  while (at < end_ && std::isxdigit(static_cast<unsigned char>(text_[at])) != 0) {
    int digit = IsDigit(text_[at]) ? text_[at] - '0' : std::tolower(text_[at]) - 'a' + 10;
    if (digit >= base) break;
    value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
    ++at;
  }
  if (at == first) return std::nullopt;
  while (at < end_ && (text_[at] == 'u' || text_[at] == 'U' || text_[at] == 'l' || text_[at] == 'L')) ++at;
  if (at < end_ && IsWordChar(text_[at])) return std::nullopt;
  at_ = at;
  return static_cast<int64_t>(negative ? ~value + 1 : value);
}

Status Cursor::Need(std::string_view symbol, std::string_view where) {
  if (Take(symbol)) return {};
  return Wrong("expected `" + std::string(symbol) + "` " + std::string(where) + ", found " + Shown());
}

std::string Cursor::Shown() {
  if (AtEnd()) return "the end";
  std::string_view word = PeekWord();
  return "`" + std::string(word.empty() ? text_.substr(at_, 1) : word) + "`";
}

Error Cursor::WrongAt(size_t begin, size_t stop, std::string message, std::string help) const {
  Span span{file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(stop)};
  return MakeError(ErrorCode::kBadInput,
                   Render(*sources_, {Severity::kError, span, std::move(message), std::move(help), {}}));
}

int Cursor::Line() const {
  return static_cast<int>(sources_->PositionOf({file_, static_cast<uint32_t>(at_), static_cast<uint32_t>(at_)}).line);
}

std::string BlankComments(std::string_view text, size_t begin, size_t end, bool parens, bool slashes) {
  std::string out(text);
  auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  for (size_t i = begin; i + 1 < end; ++i) {
    std::string_view two = text.substr(i, 2);
    size_t from = i;
    if (parens && two == "(*") {
      int depth = 0;
      do {
        if (text.substr(i, 2) == "(*") {
          ++depth;
          i += 2;
        } else if (text.substr(i, 2) == "*)") {
          --depth;
          i += 2;
        } else {
          ++i;
        }
      } while (depth > 0 && i < end);
      blank(from, std::min(i, end));
      --i;
    } else if (slashes && (two == "//" || two == "/*")) {
      size_t stop = text.find(two == "//" ? "\n" : "*/", i + 2);
      stop = stop == std::string_view::npos ? end : std::min(end, stop + (two == "//" ? 0 : 2));
      blank(from, stop);
      i = stop - 1;
    }
  }
  return out;
}

}  // namespace heddle::litmus
