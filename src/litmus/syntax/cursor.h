// A place in the text of a test, with what all its parsers need: blanks, words, numbers, messages with line and column.
// Comments (* ... *) are blanked out before parsing, so that places stay where they are in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/source.h"

namespace heddle::litmus {

class Cursor {
 public:
  Cursor(const SourceMap& sources, uint32_t file, std::string_view text, size_t begin, size_t end)
      : sources_(&sources), file_(file), text_(text), at_(begin), end_(end) {}

  size_t at() const { return at_; }
  size_t end() const { return end_; }
  void Seek(size_t at) { at_ = at; }
  // The same text, from `begin` to `end` only.
  Cursor Within(size_t begin, size_t stop) const { return Cursor(*sources_, file_, text_, begin, stop); }
  std::string_view Text(size_t begin, size_t stop) const { return text_.substr(begin, stop - begin); }
  std::string_view Rest() const { return text_.substr(at_, end_ - at_); }

  void Skip();   // blanks
  bool AtEnd();  // after blanks
  char Peek();   // after blanks; 0 at the end
  bool Take(std::string_view symbol);
  bool TakeWord(std::string_view word);  // a whole word
  std::string_view PeekWord();
  std::string_view Word();          // letters, digits, _ . $ @ # not included; empty when there is none
  std::string_view DottedWord();    // with dots inside: ld.acquire.gpu
  std::optional<int64_t> Number();  // decimal or hexadecimal, with a sign

  Status Need(std::string_view symbol, std::string_view where);
  Error Wrong(std::string message, std::string help = "") const {
    return WrongAt(at_, at_ + 1, std::move(message), std::move(help));
  }
  Error WrongAt(size_t begin, size_t stop, std::string message, std::string help = "") const;
  std::string Shown();  // the next word or character, for messages
  int Line() const;

 private:
  const SourceMap* sources_;
  uint32_t file_;
  std::string_view text_;
  size_t at_;
  size_t end_;
};

// (* ... *) become blanks; with `slashes`, // and /* */ too.
std::string BlankComments(std::string_view text, size_t begin, size_t end, bool parens, bool slashes);

}  // namespace heddle::litmus
