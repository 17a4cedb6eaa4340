#include "findings/source_allow.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::findings {
namespace {

constexpr std::string_view kMark = "heddle-allow(";

std::string_view Trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool StartsComment(std::string_view trimmed) {
  return trimmed.starts_with("//") || trimmed.starts_with("/*") || trimmed.starts_with("*");
}

// Nothing but a comment, as far as one line can tell.
bool IsCommentLine(std::string_view line) {
  std::string_view text = Trimmed(line);
  if (!StartsComment(text)) return false;
  size_t end = text.starts_with("//") ? std::string_view::npos : text.find("*/");
  return end == std::string_view::npos || end + 2 == text.size();
}

// Where the mark is, in a comment; npos when it is not there.
size_t MarkIn(std::string_view line) {
  size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return mark;
  std::string_view before = line.substr(0, mark);
  bool comment = before.find("//") != std::string_view::npos || before.find("/*") != std::string_view::npos;
  return comment || StartsComment(Trimmed(line)) ? mark : std::string_view::npos;
}

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t comma = text.find(',');
    words.emplace_back(Trimmed(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return words;
}

// "  : the reason */" -> "the reason"; empty without the colon.
std::string_view ReasonIn(std::string_view rest) {
  rest = Trimmed(rest);
  if (!rest.starts_with(":")) return {};
  rest = rest.substr(1, rest.find("*/") == std::string_view::npos ? rest.npos : rest.find("*/") - 1);
  return Trimmed(rest);
}

std::vector<Kind> KindsOf(const std::string& word) {
  if (word == "race") return {Kind::kDataRace};
  if (word == "deadlock") return {Kind::kDeadlock, Kind::kLockOrder};
  std::optional<Kind> kind = KindFromName(word);
  return kind ? std::vector<Kind>{*kind} : std::vector<Kind>{};
}

}  // namespace

const std::vector<std::string>& SourceAllow::LinesOf(const std::string& path) {
  auto [at, added] = files_.try_emplace(path);
  if (!added) return at->second;
  std::optional<std::string> text = read_(path);
  if (!text || text->find(kMark) == std::string::npos) return at->second;  // most files: nothing to keep
  for (size_t begin = 0; begin < text->size();) {
    size_t end = std::min(text->find('\n', begin), text->size());
    at->second.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return at->second;
}

std::optional<SourceAllow::Comment> SourceAllow::CommentAt(const std::string& path, uint32_t line) {
  const std::vector<std::string>& lines = LinesOf(path);
  if (line == 0 || line > lines.size()) return std::nullopt;
  uint32_t at = line;
  while (MarkIn(lines[at - 1]) == std::string_view::npos) {
    --at;
    if (at == 0 || !IsCommentLine(lines[at - 1])) return std::nullopt;
  }
  std::string_view text = lines[at - 1];
  std::string_view rest = text.substr(MarkIn(text) + kMark.size());
  size_t close = rest.find(')');
  if (close == std::string_view::npos) {
    Complain(path, at, "heddle-allow: there is no `)`");
    return std::nullopt;
  }
  return Comment{at, SplitWords(rest.substr(0, close)), std::string(ReasonIn(rest.substr(close + 1)))};
}

bool SourceAllow::Allows(const Comment& comment, Kind kind, const std::string& path) {
  bool allows = false;
  for (const std::string& word : comment.words) {
    std::vector<Kind> kinds = KindsOf(word);
    if (kinds.empty()) {
      Complain(path, comment.line,
               fmt::format("heddle-allow: `{}` is no kind of finding ({})", word, fmt::join(KindNames(), ", ")));
    }
    allows = allows || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  if (!comment.reason.empty()) return allows;
  Complain(path, comment.line, "heddle-allow needs a reason and hides nothing: heddle-allow(KIND): why");
  return false;
}

void SourceAllow::Complain(const std::string& path, uint32_t line, const std::string& text) {
  std::string complaint = fmt::format("{}:{}: {}", path, line, text);
  if (std::find(wrong_.begin(), wrong_.end(), complaint) == wrong_.end()) wrong_.push_back(std::move(complaint));
}

std::vector<std::string> SourceAllow::Apply(Report& report) {
  for (Finding& finding : report.findings) {
    for (const Step* site : Sites(finding)) {
      const Frame* frame = finding.suppressed ? nullptr : UserFrame(site->stack);
      if (frame == nullptr || frame->file.empty()) continue;
      std::optional<Comment> comment = CommentAt(frame->file, frame->line);
      if (!comment || !Allows(*comment, finding.kind, frame->file)) continue;
      finding.suppressed =
          Suppressed{fmt::format("heddle-allow at {}:{}", Basename(frame->file), comment->line), comment->reason};
    }
  }
  return std::move(wrong_);
}

}  // namespace heddle::findings
