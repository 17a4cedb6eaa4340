#include "cli/csp_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report_output.h"

namespace heddle::cli {
namespace {

findings::Step StepOf(const std::string& thread, const std::string& event, size_t row, const csp::CheckResult& result) {
  findings::Step step;
  step.thread = thread;
  step.what = "event";
  step.code = event;
  step.row = static_cast<uint32_t>(row);
  Frame frame;
  frame.file = result.file;
  frame.line = result.line;
  step.stack.push_back(std::move(frame));
  return step;
}

// With everything that is hidden, in a column for each process; without it the visible events alone.
void AddSteps(const csp::CheckResult& result, findings::Finding& view) {
  for (size_t i = 0; i < result.steps.size(); ++i) {
    const csp::InternalStep& step = result.steps[i];
    for (const csp::InternalStep::Part& part : step.parts) {
      view.steps.push_back(StepOf(part.component, part.event, i + 1, result));
    }
    if (step.parts.empty()) view.steps.push_back(StepOf("process", step.label, i + 1, result));
  }
  for (size_t i = 0; result.steps.empty() && i < result.trace.size(); ++i) {
    view.steps.push_back(StepOf("process", result.trace[i], i + 1, result));
  }
  if (result.kind != "trace" || view.steps.empty()) return;
  uint32_t last = view.steps.back().row;
  for (findings::Step& step : view.steps) step.site = step.row == last ? 1 : 0;
}

findings::Finding ViewOf(const csp::CheckResult& result) {
  findings::Finding view;
  view.message = result.text;
  view.why = fmt::format("{}{}{}", result.kind, result.explanation.empty() ? "" : ": ", result.explanation);
  AddSteps(result, view);
  for (const findings::Step& step : view.steps) {
    bool known = std::any_of(view.threads.begin(), view.threads.end(),
                             [&](const findings::ThreadInfo& thread) { return thread.id == step.thread; });
    if (!known) view.threads.push_back({step.thread, "", "", {}});
  }
  return view;
}

std::string Heading(const std::vector<csp::CheckResult>& results) {
  size_t passed = 0;
  size_t failed = 0;
  for (const csp::CheckResult& result : results) {
    passed += result.verdict == csp::Verdict::kPassed ? 1 : 0;
    failed += result.verdict == csp::Verdict::kFailed ? 1 : 0;
  }
  return fmt::format("{} assertion{}: {} passed, {} failed, {} not decided", results.size(),
                     results.size() == 1 ? "" : "s", passed, failed, results.size() - passed - failed);
}

}  // namespace

findings::PageExtras CspViews(const std::vector<csp::CheckResult>& results) {
  findings::PageExtras extras;
  extras.heading = Heading(results);
  for (const csp::CheckResult& result : results) {
    if (result.kind.empty()) continue;
    extras.views.findings.push_back(ViewOf(result));
    extras.labels.push_back({"counterexample", result.verdict == csp::Verdict::kFailed ? "failed" : "expected"});
  }
  return extras;
}

Status WriteCspPage(const std::string& path, const std::string& file, const std::vector<csp::CheckResult>& results) {
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = file;
  uint64_t states = 0;
  for (const csp::CheckResult& result : results) {
    report.coverage.seconds += result.seconds;
    states += result.states;
    std::string reason = result.error.empty() ? result.reason : "the script is wrong";
    if (result.verdict != csp::Verdict::kUndecided) continue;
    report.coverage.undecided += fmt::format("{}line {}: {}", report.coverage.undecided.empty() ? "" : "; ",
                                             result.line, reason.empty() ? "not decided" : reason);
  }
  report.coverage.note = fmt::format("{} states", states);
  return WritePage(path, report, false, CspViews(results));
}

}  // namespace heddle::cli
