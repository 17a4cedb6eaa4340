#include "findings/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/markup.h"
#include "findings/text.h"
#include "findings/width.h"

namespace heddle::findings {
namespace {

// Printable makes bytes that are no UTF-8 visible.
std::string Attribute(const std::string& text) { return EscapeMarkup(Printable(text)); }

// The findings of the test that count, as the text report shows them.
std::string FailureOf(const Report& report, const TestResult& test) {
  std::string text;
  std::string first;
  size_t count = 0;
  for (const std::string& id : test.findings) {
    auto found = std::find_if(report.findings.begin(), report.findings.end(),
                              [&](const Finding& finding) { return finding.id == id; });
    if (found == report.findings.end() || !Active(*found)) continue;
    if (count++ == 0) first = fmt::format("{}: {}", KindName(found->kind), found->message);
    text += FindingText(*found, {});
  }
  if (count == 0) return {};
  if (count > 1) first += fmt::format(" (and {} more)", count - 1);
  return fmt::format("      <failure message=\"{}\">{}</failure>\n", Attribute(first), EscapeMarkup(text));
}

std::vector<TestResult> TestsOf(const Report& report) {
  if (!report.tests.empty()) return report.tests;
  TestResult only;
  only.name = report.program;
  only.reason = report.coverage.undecided;
  only.seconds = report.coverage.seconds;
  for (const Finding& finding : report.findings) only.findings.push_back(finding.id);
  return {only};
}

}  // namespace

std::string JunitXml(const Report& report) {
  std::string cases;
  size_t failures = 0;
  size_t errors = 0;
  std::vector<TestResult> tests = TestsOf(report);
  for (const TestResult& test : tests) {
    std::string inside = FailureOf(report, test);
    if (!inside.empty()) {
      ++failures;
    } else if (!test.reason.empty()) {
      ++errors;
      inside = fmt::format("      <error message=\"not decided: {}\"/>\n", Attribute(test.reason));
    }
    cases += fmt::format("    <testcase classname=\"heddle\" name=\"{}\" time=\"{:.3f}\"", Attribute(test.name),
                         test.seconds);
    cases += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n{}  </testsuite>\n"
      "</testsuites>\n",
      Attribute(report.program), tests.size(), failures, errors, report.coverage.seconds, cases);
}

}  // namespace heddle::findings
