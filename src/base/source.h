// Text that a person wrote (CSP_M, TeSSLa, schedules, suppressions, ...) and messages about places in it.
//
// A SourceFile owns its text and finds lines; a Span is a byte range in one file. Diagnostics render as
//
//   spec.csp:3:7: error: undeclared name `chanel`
//     3 | P = chanel!1 -> P
//       |     ^~~~~~
//     help: did you mean `channel`?
//
// SourceFiles are kept alive by a SourceMap; spans refer to them by index so that they stay small and comparable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle {

class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

  // Line and column of a byte offset, both from 1; columns count bytes. An offset past the end is the end.
  struct Position {
    uint32_t line;
    uint32_t column;
  };
  Position PositionOf(uint32_t offset) const;

  // The text of a line (from 1) without its newline; empty when there is no such line.
  std::string_view Line(uint32_t line) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

// A half-open byte range [begin, end) in file number `file` of a SourceMap.
struct Span {
  uint32_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  // The smallest span that covers both; they must be in one file, else the first wins.
  static Span Join(Span a, Span b);
  bool operator==(const Span&) const = default;
};

// The files of one run. Adding never moves the files that are there.
class SourceMap {
 public:
  uint32_t Add(std::string name, std::string text);
  Result<uint32_t> AddFromDisk(const std::string& path);

  const SourceFile& file(uint32_t index) const { return *files_[index]; }
  size_t size() const { return files_.size(); }

  std::string_view TextOf(Span span) const;
  SourceFile::Position PositionOf(Span span) const;
  // "name:line:column", for messages of one line.
  std::string Where(Span span) const;

 private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

enum class Severity { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  Span span;
  std::string message;
  std::string help;               // one line, empty when there is nothing to suggest
  std::vector<Diagnostic> notes;  // "first declared here", the chain of calls, ...
};

// A place in a line of a text that is not kept in memory: bytes [begin, end) of `text`, line number `line` of `file`.
struct LinePlace {
  std::string_view file;
  uint64_t line;
  std::string_view text;
  size_t begin;
  size_t end;
};

// A diagnostic about such a place, in the same form as Render's.
std::string RenderLine(const LinePlace& place, Severity severity, std::string_view message, std::string_view help);

// The text of a diagnostic, ending in a newline. Long lines are cut around the column; tabs become spaces.
std::string Render(const SourceMap& sources, const Diagnostic& diagnostic);

}  // namespace heddle
