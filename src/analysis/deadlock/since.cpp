#include "analysis/deadlock/since.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

constexpr uint32_t kLastLine = UINT32_MAX;

bool Overlap(const ChangedLines& change, const deadlock::SourceCode::Function& function) {
  uint32_t last = change.first + std::max<uint32_t>(change.count, 1);  // behind it; of a deletion, the line after it
  if (change.count == 0) ++last;
  return change.first <= function.last && function.first < last;
}

}  // namespace

TouchedFindings::TouchedFindings(const std::vector<ChangedFile>& changes, const deadlock::SourceCode& code) {
  for (const ChangedFile& file : changes) {
    if (code.files.count(file.path) == 0) continue;
    bool outside = file.outside || file.lines.empty();
    for (const ChangedLines& change : file.lines) {
      bool inside = false;
      for (const deadlock::SourceCode::Function& function : code.functions) {
        if (function.file != file.path || !Overlap(change, function)) continue;
        inside = true;
        changed_.push_back({file.path, function.first, function.last});
      }
      outside = outside || !inside;
    }
    if (!outside) continue;
    if (code.units.count(file.path) == 0) everything_ = true;
    changed_.push_back({file.path, 0, kLastLine});
  }
}

bool TouchedFindings::TouchesAny(const Stack& stack) const {
  return std::any_of(stack.begin(), stack.end(), [&](const Frame& frame) {
    return std::any_of(changed_.begin(), changed_.end(), [&](const Lines& lines) {
      return lines.file == frame.file && lines.first <= frame.line && frame.line <= lines.last;
    });
  });
}

bool TouchedFindings::Touches(const findings::Finding& finding) const {
  return everything_ ||
         std::any_of(finding.steps.begin(), finding.steps.end(),
                     [&](const findings::Step& step) { return TouchesAny(step.stack); }) ||
         std::any_of(finding.threads.begin(), finding.threads.end(),
                     [&](const findings::ThreadInfo& thread) { return TouchesAny(thread.creation_stack); });
}

}  // namespace heddle::analysis
