#include "cli/csp_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cli {
namespace {

void PrintSteps(const csp::CheckResult& result) {
  size_t number = 1;
  for (const csp::InternalStep& step : result.steps) {
    std::string who;
    for (const auto& part : step.parts) {
      who += (who.empty() ? "" : ", ") + part.component;
      if (part.event != step.label) who += " (" + part.event + ")";
    }
    bool hidden = step.event == "τ" && step.label != "τ";
    fmt::print("  {:>4}  {:<28}{:<10}{}\n", number++, step.label, hidden ? "[hidden]" : "", who);
  }
}

// The whole as it is seen from outside, and below it each component with its own events. A component's line has a
// place for each step, so that what happened together stands together.
void PrintTree(const csp::CheckResult& result) {
  std::vector<std::string> names = CspComponents(result);
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::vector<size_t> columns;
  for (const csp::InternalStep& step : result.steps) {
    size_t longest = step.event == "τ" ? 1 : step.event.size();
    for (const auto& part : step.parts) longest = std::max(longest, part.event == "τ" ? 1 : part.event.size());
    columns.push_back(longest + 2);
  }
  auto cell = [](const std::string& text, size_t size) {
    size_t shown = text == "τ" || text == "✓" ? 1 : text.size();
    return text + std::string(size > shown ? size - shown : 1, ' ');
  };
  fmt::print("  {:<{}}  ", "the whole", width + 3);
  for (size_t i = 0; i < result.steps.size(); ++i) fmt::print("{}", cell(result.steps[i].event, columns[i]));
  fmt::print("\n");
  for (size_t n = 0; n < names.size(); ++n) {
    fmt::print("  {} {:<{}}  ", n + 1 == names.size() ? "└─" : "├─", names[n], width);
    for (size_t i = 0; i < result.steps.size(); ++i) {
      fmt::print("{}", cell(CspPartOf(result.steps[i], names[n]), columns[i]));
    }
    fmt::print("\n");
  }
}

}  // namespace

std::vector<std::string> CspComponents(const csp::CheckResult& result) {
  std::vector<std::string> names;
  for (const csp::InternalStep& step : result.steps) {
    for (const auto& part : step.parts) {
      if (std::find(names.begin(), names.end(), part.component) == names.end()) names.push_back(part.component);
    }
  }
  return names;
}

std::string CspPartOf(const csp::InternalStep& step, const std::string& component) {
  std::string did;
  for (const auto& part : step.parts) {
    if (part.component == component) did = part.event;
  }
  return did;
}

const char* CspVerdict(csp::Verdict verdict) {
  return verdict == csp::Verdict::kPassed ? "passed" : verdict == csp::Verdict::kFailed ? "FAILED" : "not decided";
}

std::string CspCount(uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

void PrintCspResult(const csp::CheckResult& result, const CspShow& show) {
  if (result.verdict == csp::Verdict::kPassed && show.quiet) return;
  fmt::print("{}:{}: {}: {}\n", result.file, result.line, CspVerdict(result.verdict), result.text);
  if (!result.error.empty()) fmt::print("{}", result.error);
  if (result.verdict == csp::Verdict::kUndecided && result.error.empty()) fmt::print("  {}\n", result.reason);
  if (!result.explanation.empty()) fmt::print("  {}\n", result.explanation);
  if (show.internal && !result.kind.empty()) PrintSteps(result);
  if (show.tree && !result.steps.empty()) PrintTree(result);
  std::string disk = result.disk_bytes == 0 ? "" : fmt::format(", {} MB on disk", (result.disk_bytes >> 20U) + 1);
  fmt::print("  {}, {}, {:.3f} s{}\n", CspCount(result.states, "state"), CspCount(result.transitions, "transition"),
             result.seconds, disk);
}

void PrintCspValues(const std::vector<csp::Printed>& prints, const CspShow& show) {
  for (const csp::Printed& p : prints) {
    if (p.failed) {
      fmt::print("{} fails:\n{}", p.text, p.value);
    } else if (p.stopped) {
      fmt::print("{}: not decided: {}\n", p.text, p.value);
    } else if (!show.quiet) {
      fmt::print("{} = {}\n", p.text, p.value);
    }
  }
}

}  // namespace heddle::cli
