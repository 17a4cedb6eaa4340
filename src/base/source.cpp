#include "base/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace heddle {
namespace {

constexpr size_t kMaxShown = 120;  // bytes of a source line that a message shows

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

// The part of `line` to show so that `column` (from 1) is visible, and how many bytes were cut on the left.
std::pair<std::string, size_t> Excerpt(std::string_view line, size_t column) {
  size_t cut = 0;
  if (line.size() > kMaxShown && column > kMaxShown * 3 / 4) cut = std::min(column - kMaxShown / 2, line.size());
  std::string shown(line.substr(cut, kMaxShown));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  return {shown, cut};
}

void RenderTo(const SourceMap& sources, const Diagnostic& diagnostic, std::string& out) {
  if (diagnostic.span.file >= sources.size()) {
    out += fmt::format("{}: {}\n", SeverityName(diagnostic.severity), diagnostic.message);
    if (!diagnostic.help.empty()) out += fmt::format("  help: {}\n", diagnostic.help);
  } else {
    const SourceFile& file = sources.file(diagnostic.span.file);
    auto begin = file.PositionOf(diagnostic.span.begin);
    auto end = file.PositionOf(diagnostic.span.end);
    std::string_view text = file.Line(begin.line);
    size_t stop = end.line == begin.line ? end.column - 1 : text.size();
    out += RenderLine({file.name(), begin.line, text, begin.column - 1, stop}, diagnostic.severity, diagnostic.message,
                      diagnostic.help);
  }
  for (const Diagnostic& note : diagnostic.notes) RenderTo(sources, note, out);
}

}  // namespace

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

SourceFile::Position SourceFile::PositionOf(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto line = static_cast<uint32_t>(next - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view SourceFile::Line(uint32_t line) const {
  if (line == 0 || line > line_starts_.size()) return {};
  size_t begin = line_starts_[line - 1];
  size_t end = line < line_starts_.size() ? line_starts_[line] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

Span Span::Join(Span a, Span b) {
  if (a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

uint32_t SourceMap::Add(std::string name, std::string text) {
  files_.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text)));
  return static_cast<uint32_t>(files_.size() - 1);
}

Result<uint32_t> SourceMap::AddFromDisk(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  if (text->size() > UINT32_MAX / 2) {
    return MakeError(ErrorCode::kLimit, fmt::format("{}: larger than 2 GiB", path));
  }
  return Add(path, text.Take());
}

std::string_view SourceMap::TextOf(Span span) const {
  std::string_view text = file(span.file).text();
  size_t begin = std::min<size_t>(span.begin, text.size());
  size_t end = std::clamp<size_t>(span.end, begin, text.size());
  return text.substr(begin, end - begin);
}

SourceFile::Position SourceMap::PositionOf(Span span) const { return file(span.file).PositionOf(span.begin); }

std::string SourceMap::Where(Span span) const {
  auto position = PositionOf(span);
  return fmt::format("{}:{}:{}", file(span.file).name(), position.line, position.column);
}

std::string RenderLine(const LinePlace& place, Severity severity, std::string_view message, std::string_view help) {
  auto [shown, cut] = Excerpt(place.text, place.begin + 1);
  size_t caret = place.begin - cut;
  size_t width = place.end > place.begin ? std::min(place.end - cut, std::max(shown.size(), caret + 1)) - caret : 1;
  std::string out =
      fmt::format("{}:{}:{}: {}: {}\n", place.file, place.line, place.begin + 1, SeverityName(severity), message);
  out += fmt::format("{:5} | {}\n", place.line, shown);
  out += fmt::format("      | {}^{}\n", std::string(caret, ' '), std::string(width > 1 ? width - 1 : 0, '~'));
  if (!help.empty()) out += fmt::format("  help: {}\n", help);
  return out;
}

std::string Render(const SourceMap& sources, const Diagnostic& diagnostic) {
  std::string out;
  RenderTo(sources, diagnostic, out);
  return out;
}

}  // namespace heddle
