// Which names of a finding a suppression looks at, and how a pattern matches a name.
#include <algorithm>
#include <array>

#include "findings/suppressions.h"

namespace heddle::findings {
namespace {

// Whole-string match with `*`, by going back to the last star: no recursion, at most |glob| * |name| steps.
bool GlobMatches(std::string_view glob, std::string_view name) {
  size_t g = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (g < glob.size() && glob[g] == name[n]) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool FrameMatches(std::string_view pattern, const Frame& frame) {
  return PatternMatches(pattern, frame.function) || PatternMatches(pattern, frame.file) ||
         PatternMatches(pattern, frame.module);
}

bool StackMatches(std::string_view pattern, const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(), [&](const Frame& frame) { return FrameMatches(pattern, frame); });
}

// The innermost frame that is not heddle's own runtime: the code that did the operation.
const Frame* TopFrame(const Stack& stack) {
  auto own = std::find_if(stack.begin(), stack.end(),
                          [](const Frame& frame) { return Basename(frame.module).rfind("libheddle_rt", 0) != 0; });
  return own == stack.end() ? nullptr : &*own;
}

// Sites where there are any, else all steps.
template <typename Test>
bool AnySite(const Finding& finding, const Test& test) {
  std::vector<const Step*> sites = Sites(finding);
  if (!sites.empty()) return std::any_of(sites.begin(), sites.end(), [&](const Step* step) { return test(*step); });
  return std::any_of(finding.steps.begin(), finding.steps.end(), test);
}

bool SiteStacksMatch(std::string_view pattern, const Finding& finding) {
  return AnySite(finding, [&](const Step& step) { return StackMatches(pattern, step.stack); });
}

bool VariableMatches(std::string_view pattern, const Finding& finding) {
  return PatternMatches(pattern, finding.memory.name) || StackMatches(pattern, finding.memory.allocation_stack);
}

// Lock and variable names as the sites give them.
bool OperandsMatch(std::string_view pattern, const Finding& finding) {
  return AnySite(finding, [&](const Step& step) {
    return PatternMatches(pattern, step.operand) ||
           std::any_of(step.locks.begin(), step.locks.end(),
                       [&](const std::string& lock) { return PatternMatches(pattern, lock); });
  });
}

bool ThreadsMatch(std::string_view pattern, const Finding& finding) {
  return std::any_of(finding.threads.begin(), finding.threads.end(), [&](const ThreadInfo& thread) {
    return PatternMatches(pattern, thread.name) || StackMatches(pattern, thread.creation_stack);
  });
}

enum class MisuseOf { kLock, kThread, kHandler };

// Which primitive a misuse is about, by what its sites do; so that `signal:*` in a file made for ThreadSanitizer does
// not hide an unlock of a free mutex.
MisuseOf MisuseClass(const Finding& finding) {
  static constexpr std::array<std::string_view, 5> kThreadWords = {"fork", "join", "detach", "thread-exit", "cancel"};
  bool thread = AnySite(finding, [](const Step& step) {
    return std::find(kThreadWords.begin(), kThreadWords.end(), step.what) != kThreadWords.end();
  });
  if (thread) return MisuseOf::kThread;
  bool handler = AnySite(finding, [](const Step& step) { return step.what == "signal-handler"; });
  return handler ? MisuseOf::kHandler : MisuseOf::kLock;
}

bool IsMisuse(const Finding& finding, MisuseOf of) {
  return finding.kind == Kind::kMisuse && MisuseClass(finding) == of;
}

bool KindRuleMatches(const Suppression& rule, const Finding& finding) {
  return rule.type == KindName(finding.kind) &&
         (SiteStacksMatch(rule.pattern, finding) || VariableMatches(rule.pattern, finding) ||
          OperandsMatch(rule.pattern, finding) || ThreadsMatch(rule.pattern, finding));
}

}  // namespace

bool PatternMatches(std::string_view pattern, std::string_view name) {
  if (name.empty()) return false;
  bool at_start = !pattern.empty() && pattern.front() == '^';
  if (at_start) pattern.remove_prefix(1);
  bool at_end = !pattern.empty() && pattern.back() == '$';
  if (at_end) pattern.remove_suffix(1);
  std::string glob = (at_start ? "" : "*") + std::string(pattern) + (at_end ? "" : "*");
  return GlobMatches(glob, name);
}

bool Matches(const Suppression& rule, const Finding& finding) {
  const std::string& pattern = rule.pattern;
  if (rule.type == "fingerprint") return finding.fingerprint == pattern;
  if (rule.type == "called_from_lib") {
    return AnySite(finding, [&](const Step& step) {
      const Frame* top = TopFrame(step.stack);
      return top != nullptr && PatternMatches(pattern, top->module);
    });
  }
  if (rule.type == "race_top") {
    return finding.kind == Kind::kDataRace && AnySite(finding, [&](const Step& step) {
             const Frame* top = TopFrame(step.stack);
             return top != nullptr && FrameMatches(pattern, *top);
           });
  }
  if (rule.type == "race") {
    return finding.kind == Kind::kDataRace && (SiteStacksMatch(pattern, finding) || VariableMatches(pattern, finding));
  }
  bool locks = SiteStacksMatch(pattern, finding) || OperandsMatch(pattern, finding);
  if (rule.type == "deadlock" && finding.kind == Kind::kLockOrder) return locks;
  if (rule.type == "mutex") return IsMisuse(finding, MisuseOf::kLock) && locks;
  if (rule.type == "thread") return IsMisuse(finding, MisuseOf::kThread) && ThreadsMatch(pattern, finding);
  if (rule.type == "signal") return IsMisuse(finding, MisuseOf::kHandler) && SiteStacksMatch(pattern, finding);
  return KindRuleMatches(rule, finding);
}

}  // namespace heddle::findings
