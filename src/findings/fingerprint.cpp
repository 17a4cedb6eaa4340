#include "findings/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <set>
#include <vector>

namespace heddle::findings {
namespace {

constexpr char kSeparator = '\x1f';  // not part of any name, so that "a" "bc" and "ab" "c" differ

std::string LineText(const Frame& frame) {
  if (frame.line == 0) return "-";
  if (frame.function_line == 0) return fmt::format("L{}", frame.line);
  // Signed: the first line that the debug info gives may come after a parameter's default or a macro.
  return fmt::format("{:+}", static_cast<int64_t>(frame.line) - static_cast<int64_t>(frame.function_line));
}

std::string SiteText(const Step& step) {
  const Frame* frame = UserFrame(step.stack);
  if (frame == nullptr) return fmt::format("{}{}{}", step.what, kSeparator, step.operand);
  if (!frame->file.empty()) {
    return fmt::format("{}{}{}{}{}", frame->function, kSeparator, Basename(frame->file), kSeparator, LineText(*frame));
  }
  if (!frame->function.empty()) return fmt::format("{}{}{}", frame->function, kSeparator, Basename(frame->module));
  return fmt::format("{}{}{:x}", Basename(frame->module), kSeparator, frame->module_offset);
}

std::vector<const Step*> HashedSteps(const Finding& finding) {
  std::vector<const Step*> steps = Sites(finding);
  if (!steps.empty()) return steps;
  std::set<std::string> seen;
  for (const Step& step : finding.steps) {
    if (seen.insert(step.thread).second) steps.push_back(&step);
  }
  return steps;
}

}  // namespace

std::string Fingerprint(const Finding& finding) {
  std::set<std::string> sites;
  for (const Step* step : HashedSteps(finding)) sites.insert(SiteText(*step));
  std::string text = fmt::format("heddle/fingerprint/1{}{}", kSeparator, KindName(finding.kind));
  for (const std::string& site : sites) text += fmt::format("\n{}", site);
  if (sites.empty()) text += fmt::format("\n{}", finding.message);
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace heddle::findings
