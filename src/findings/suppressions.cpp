#include "findings/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/near.h"

namespace heddle::findings {
namespace {

constexpr std::array<std::string_view, 8> kTypes = {"race",   "race_top", "deadlock",        "mutex",
                                                    "thread", "signal",   "called_from_lib", "fingerprint"};

std::vector<std::string_view> KnownTypes() {
  std::vector<std::string_view> types(kTypes.begin(), kTypes.end());
  types.insert(types.end(), KindNames().begin(), KindNames().end());
  return types;
}

// A part of the file's text with its place.
struct Piece {
  std::string_view text;
  uint32_t begin = 0;
};

Piece Trim(Piece piece) {
  size_t first = piece.text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {{}, piece.begin};
  size_t last = piece.text.find_last_not_of(" \t\r");
  return {piece.text.substr(first, last + 1 - first), piece.begin + static_cast<uint32_t>(first)};
}

class Parser {
 public:
  Parser(std::string_view text, uint32_t file) : text_(text), file_(file) {}

  SuppressionSet Run() {
    for (size_t begin = 0; begin < text_.size();) {
      size_t end = std::min(text_.find('\n', begin), text_.size());
      Line(Trim({text_.substr(begin, end - begin), static_cast<uint32_t>(begin)}));
      begin = end + 1;
    }
    return std::move(set_);
  }

 private:
  void Line(Piece line) {
    if (line.text.empty()) {
      comment_.clear();
    } else if (line.text[0] == '#') {
      std::string_view words = Trim({line.text.substr(1), 0}).text;
      comment_ += (comment_.empty() || words.empty() ? "" : " ") + std::string(words);
    } else {
      Rule(line);
      comment_.clear();
    }
  }

  void Rule(Piece line) {
    std::string reason = comment_;
    if (size_t hash = TrailingComment(line.text); hash != std::string_view::npos) {
      reason = Trim({line.text.substr(hash + 1), 0}).text;
      line = Trim({line.text.substr(0, hash), line.begin});
    }
    size_t colon = line.text.find(':');
    if (colon == std::string_view::npos) {
      return Report(Severity::kError, SpanOf(line), "expected `TYPE:PATTERN`", "for example `race:function_name`");
    }
    Piece type = Trim({line.text.substr(0, colon), line.begin});
    Piece pattern = Trim({line.text.substr(colon + 1), line.begin + static_cast<uint32_t>(colon) + 1});
    if (!CheckType(type) || !CheckPattern(line, type, pattern)) return;
    if (reason.empty()) {
      Report(Severity::kWarning, SpanOf(line), "this suppression has no reason",
             "say why in a comment on the line above, or behind it: `" + std::string(line.text) + "  # because ...`");
    }
    set_.rules.push_back({std::string(type.text), std::string(pattern.text), reason, SpanOf(line), 0});
  }

  // The `#` of a trailing comment: one with a blank before it, so that names may contain it.
  static size_t TrailingComment(std::string_view line) {
    size_t blank = line.find(" #");
    size_t tab = line.find("\t#");
    size_t at = std::min(blank, tab);
    return at == std::string_view::npos ? at : at + 1;
  }

  bool CheckType(Piece type) {
    std::vector<std::string_view> known = KnownTypes();
    if (std::find(known.begin(), known.end(), type.text) != known.end()) return true;
    std::string help = DidYouMean(type.text, known);
    if (help.empty()) help = fmt::format("the types are {}", fmt::join(known, ", "));
    Report(Severity::kError, SpanOf(type), fmt::format("unknown suppression type `{}`", type.text), help);
    return false;
  }

  bool CheckPattern(Piece line, Piece type, Piece pattern) {
    if (pattern.text.empty()) {
      Report(Severity::kError, SpanOf(line), "the pattern is missing", "`*` matches everything");
      return false;
    }
    bool hex =
        pattern.text.size() == 16 && pattern.text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (type.text != "fingerprint" || hex) return true;
    Report(Severity::kError, SpanOf(pattern), "expected a fingerprint of 16 hexadecimal digits", "");
    return false;
  }

  Span SpanOf(Piece piece) const {
    return {file_, piece.begin, piece.begin + static_cast<uint32_t>(piece.text.size())};
  }

  void Report(Severity severity, Span span, std::string message, std::string help) {
    set_.diagnostics.push_back({severity, span, std::move(message), std::move(help), {}});
  }

  std::string_view text_;
  uint32_t file_;
  std::string comment_;  // the comment lines directly above
  SuppressionSet set_;
};

}  // namespace

SuppressionSet ParseSuppressions(const SourceMap& sources, uint32_t file) {
  return Parser(sources.file(file).text(), file).Run();
}

void ApplySuppressions(SuppressionSet& set, Report& report) {
  for (Finding& finding : report.findings) {
    finding.suppressed.reset();
    auto rule = std::find_if(set.rules.begin(), set.rules.end(),
                             [&](const Suppression& candidate) { return Matches(candidate, finding); });
    if (rule == set.rules.end()) continue;
    ++rule->uses;
    finding.suppressed = Suppressed{rule->type + ":" + rule->pattern, rule->reason};
  }
}

std::vector<Diagnostic> UnusedSuppressions(const SuppressionSet& set) {
  std::vector<Diagnostic> out;
  for (const Suppression& rule : set.rules) {
    if (rule.uses > 0) continue;
    out.push_back(
        {Severity::kWarning, rule.span, "this suppression hides nothing", "remove it if it is out of date", {}});
  }
  return out;
}

}  // namespace heddle::findings
