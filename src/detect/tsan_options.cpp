#include "detect/tsan_options.h"

#include <algorithm>
#include <array>

#include "wire/findings_file.h"

namespace heddle::detect {
namespace {

constexpr std::string_view kSeparators = " ,:\n\t\r";

struct Flag {
  std::string_view name;
  bool TsanOptions::* value;
};
constexpr std::array kFlags = {
    Flag{"report_bugs", &TsanOptions::report_bugs},
    Flag{"report_mutex_bugs", &TsanOptions::report_mutex_bugs},
    Flag{"report_destroy_locked", &TsanOptions::report_destroy_locked},
    Flag{"report_signal_unsafe", &TsanOptions::report_signal_unsafe},
    Flag{"report_atomic_races", &TsanOptions::report_atomic_races},
    Flag{"detect_deadlocks", &TsanOptions::detect_deadlocks},
};

bool IsNo(std::string_view value) { return value == "0" || value == "no" || value == "false"; }

void Set(std::string_view name, std::string_view value, TsanOptions* options) {
  if (name == "suppressions") options->suppressions = value;
  for (const Flag& flag : kFlags) {
    if (flag.name == name) options->*flag.value = !IsNo(value);
  }
}

// Takes the next value off the text.
std::string_view TakeValue(std::string_view* text) {
  bool quoted = !text->empty() && (text->front() == '\'' || text->front() == '"');
  size_t begin = quoted ? 1 : 0;
  size_t end = quoted ? text->find(text->front(), 1) : text->find_first_of(kSeparators);
  end = std::min(end, text->size());
  std::string_view value = text->substr(begin, end - begin);
  text->remove_prefix(std::min(text->size(), end + begin));
  return value;
}

bool HasStep(const findings::Finding& finding, std::string_view word, bool whole) {
  return std::any_of(finding.steps.begin(), finding.steps.end(), [&](const findings::Step& step) {
    return whole ? step.what == word : step.what.find(word) != std::string::npos;
  });
}

// The option that hides the finding; empty: none does.
std::string_view HiddenBy(const TsanOptions& options, const findings::Finding& finding) {
  using findings::Kind;
  if (finding.kind == Kind::kCrash || finding.kind == Kind::kDeadlock) return "";
  if (!options.report_bugs) return "report_bugs=0";
  if (!options.detect_deadlocks && finding.kind == Kind::kLockOrder) return "detect_deadlocks=0";
  bool race = finding.kind == Kind::kDataRace;
  if (!options.report_atomic_races && race && HasStep(finding, "atomic-", false)) return "report_atomic_races=0";
  if (finding.kind != Kind::kMisuse) return "";
  bool signal = HasStep(finding, "-in-handler", false);
  if (!options.report_signal_unsafe && signal) return "report_signal_unsafe=0";
  bool memory = HasStep(finding, "free", true);
  if (!options.report_mutex_bugs && !signal && !memory) return "report_mutex_bugs=0";
  if (!options.report_destroy_locked && HasStep(finding, WordOf(wire::Misuse::kDestroyLocked), true))
    return "report_destroy_locked=0";
  return "";
}

}  // namespace

void ReadTsanOptions(std::string_view text, TsanOptions* options) {
  for (;;) {
    size_t begin = text.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    std::string_view name = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    Set(name, TakeValue(&text), options);
  }
}

void ApplyTsanOptions(const TsanOptions& options, findings::Report& report) {
  for (findings::Finding& finding : report.findings) {
    std::string_view option = HiddenBy(options, finding);
    if (option.empty() || finding.suppressed) continue;
    finding.suppressed = findings::Suppressed{std::string(option), "an option of ThreadSanitizer"};
  }
}

}  // namespace heddle::detect
