#include "findings/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/source.h"
#include "findings/width.h"

namespace heddle::findings {
namespace {

constexpr size_t kFingerprintDigits = 16;

bool IsFingerprint(std::string_view word) {
  return word.size() == kFingerprintDigits && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error Malformed(const std::string& name, const std::string& text, size_t begin, size_t end) {
  SourceMap sources;
  sources.Add(name, text);
  Diagnostic diagnostic{Severity::kError,
                        {0, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
                        "expected a fingerprint of 16 hexadecimal digits",
                        "`heddle report --write-baseline FILE` writes a baseline",
                        {}};
  std::string message = Render(sources, diagnostic);
  message.pop_back();
  return MakeError(ErrorCode::kBadInput, message);
}

}  // namespace

Result<Baseline> ParseBaseline(const std::string& name, const std::string& text) {
  Baseline baseline;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    size_t word = std::min(text.find_first_not_of(" \t\r", begin), end);
    if (word < end && text[word] != '#') {
      size_t stop = std::min(text.find_first_of(" \t\r", word), end);
      std::string print = text.substr(word, stop - word);
      if (!IsFingerprint(print)) return Malformed(name, text, word, stop);
      baseline.fingerprints.insert(std::move(print));
    }
    begin = end + 1;
  }
  return baseline;
}

Result<Baseline> LoadBaseline(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return ParseBaseline(path, *text);
}

std::string BaselineText(const Report& report) {
  std::set<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (finding.suppressed) continue;
    lines.insert(fmt::format("{}  {}  {}\n", finding.fingerprint, KindName(finding.kind), Printable(finding.message)));
  }
  std::string out = "# heddle baseline: findings that are known and not reported as new\n";
  for (const std::string& line : lines) out += line;
  return out;
}

size_t ApplyBaseline(const Baseline& baseline, Report& report) {
  std::set<std::string> present;
  for (Finding& finding : report.findings) {
    finding.known = baseline.fingerprints.count(finding.fingerprint) > 0;
    present.insert(finding.fingerprint);
  }
  return static_cast<size_t>(std::count_if(baseline.fingerprints.begin(), baseline.fingerprints.end(),
                                           [&](const std::string& print) { return present.count(print) == 0; }));
}

}  // namespace heddle::findings
