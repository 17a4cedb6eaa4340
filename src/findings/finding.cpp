#include "findings/finding.h"

#include <algorithm>
#include <array>

namespace heddle::findings {
namespace {

constexpr std::array<std::string_view, 14> kKindNames = {
    "data-race", "lock-order", "deadlock", "misuse",  "atomicity", "order",  "lost-signal",
    "livelock",  "assertion",  "crash",    "failure", "property",  "desync", "refinement"};
constexpr std::array<std::string_view, 3> kStatusNames = {"possible", "proved", "confirmed"};

}  // namespace

std::string_view KindName(Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }
std::string_view StatusName(FindingStatus status) { return kStatusNames[static_cast<size_t>(status)]; }
std::span<const std::string_view> KindNames() { return kKindNames; }

std::optional<Kind> KindFromName(std::string_view name) {
  const auto* found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<Kind>(found - kKindNames.begin());
}

std::optional<FindingStatus> StatusFromName(std::string_view name) {
  const auto* found = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<FindingStatus>(found - kStatusNames.begin());
}

bool Active(const Finding& finding) { return !finding.suppressed && !finding.known; }

bool HasWitness(const Finding& finding) {
  return std::any_of(finding.steps.begin(), finding.steps.end(), [](const Step& step) { return step.row > 0; });
}

std::vector<const Step*> Sites(const Finding& finding) {
  std::vector<const Step*> sites;
  for (const Step& step : finding.steps) {
    if (step.site > 0) sites.push_back(&step);
  }
  // Ties by position: all pointers are into one vector.
  std::sort(sites.begin(), sites.end(),
            [](const Step* a, const Step* b) { return a->site != b->site ? a->site < b->site : a < b; });
  return sites;
}

std::string SitePlaces(const Finding& finding) {
  std::string places;
  for (const Step* site : Sites(finding)) {
    const Frame* frame = UserFrame(site->stack);
    if (frame != nullptr) places += (places.empty() ? "" : ", ") + ShortPlace(*frame);
  }
  return places;
}

std::vector<std::string> ThreadsWithSteps(const Finding& finding, bool witness_only) {
  std::vector<std::string> stepping;
  auto add = [](std::vector<std::string>& list, const std::string& id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  };
  for (const Step& step : finding.steps) {
    if (step.row > 0 || !witness_only) add(stepping, step.thread);
  }
  std::vector<std::string> ordered;
  for (const ThreadInfo& thread : finding.threads) {
    if (std::find(stepping.begin(), stepping.end(), thread.id) != stepping.end()) add(ordered, thread.id);
  }
  for (const std::string& id : stepping) add(ordered, id);
  return ordered;
}

std::string StatusText(const Finding& finding) {
  std::string text(StatusName(finding.status));
  if (finding.status_note.empty()) return text;
  return text + (finding.status_note.starts_with("by ") ? " " : ": ") + finding.status_note;
}

std::string StepText(const Step& step) {
  if (!step.code.empty()) return step.code;
  return step.what + "(" + step.operand + ")";
}

}  // namespace heddle::findings
