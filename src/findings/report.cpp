#include "findings/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "findings/fingerprint.h"

namespace heddle::findings {
namespace {

// True when `a` tells more than `b`: a stronger status, or a witness or schedule that `b` lacks.
bool Stronger(const Finding& a, const Finding& b) {
  if (a.status != b.status) return a.status > b.status;
  if (a.schedule.empty() != b.schedule.empty()) return !a.schedule.empty();
  if (a.output.empty() != b.output.empty()) return !a.output.empty();
  return HasWitness(a) && !HasWitness(b);
}

std::vector<std::string> Union(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::set<std::string> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return {all.begin(), all.end()};
}

void Join(Finding& into, Finding&& other) {
  uint64_t count = into.count + other.count;
  std::vector<std::string> tests = Union(into.tests, other.tests);
  if (Stronger(other, into)) {
    std::string id = std::move(into.id);
    std::optional<Suppressed> suppressed = into.suppressed;
    bool known = into.known;
    into = std::move(other);
    into.id = std::move(id);
    if (suppressed) into.suppressed = std::move(suppressed);
    into.known = into.known || known;
  }
  into.count = count;
  into.tests = std::move(tests);
}

// The first number that no finding of the report uses; ids of loaded reports may have gaps.
std::string NextId(const Report& report) {
  std::set<std::string> used;
  for (const Finding& finding : report.findings) used.insert(finding.id);
  for (size_t n = report.findings.size() + 1;; ++n) {
    std::string id = fmt::format("F{}", n);
    if (used.count(id) == 0) return id;
  }
}

std::set<std::string> ActiveFingerprints(const Report& report) {
  std::set<std::string> prints;
  for (const Finding& finding : report.findings) {
    if (Active(finding)) prints.insert(finding.fingerprint);
  }
  return prints;
}

std::string JoinTexts(const std::string& a, const std::string& b) {
  if (a.empty() || a == b) return b;
  return b.empty() ? a : a + "; " + b;
}

}  // namespace

std::string_view TestEndName(TestEnd end) {
  switch (end) {
    case TestEnd::kClean:
      return "clean";
    case TestEnd::kFindings:
      return "findings";
    case TestEnd::kUndecided:
      return "undecided";
  }
  return "undecided";
}

Finding& AddFinding(Report& report, Finding finding) {
  if (finding.fingerprint.empty()) finding.fingerprint = Fingerprint(finding);
  auto same = std::find_if(report.findings.begin(), report.findings.end(),
                           [&](const Finding& known) { return known.fingerprint == finding.fingerprint; });
  if (same != report.findings.end()) {
    Join(*same, std::move(finding));
    return *same;
  }
  finding.id = NextId(report);
  report.findings.push_back(std::move(finding));
  return report.findings.back();
}

bool SearchedAll(const Coverage& coverage) {
  return coverage.complete && coverage.undecided.empty() && coverage.executions > 0 && coverage.scope != kOneTrace;
}

void Merge(Report& into, const Report& other) {
  std::map<std::string, std::string> ids;  // of `other` to those of `into`
  for (const Finding& finding : other.findings) ids[finding.id] = AddFinding(into, finding).id;
  for (TestResult test : other.tests) {
    for (std::string& id : test.findings) id = ids[id];
    into.tests.push_back(std::move(test));
  }
  Coverage& sum = into.coverage;
  const Coverage& more = other.coverage;
  sum.complete = sum.complete && more.complete;
  sum.scope = JoinTexts(sum.scope, more.scope);
  sum.bound = JoinTexts(sum.bound, more.bound);
  sum.undecided = JoinTexts(sum.undecided, more.undecided);
  sum.note = JoinTexts(sum.note, more.note);
  sum.runs += more.runs;
  sum.executions += more.executions;
  sum.blocked += more.blocked;
  sum.succeeded += more.succeeded;
  sum.failed += more.failed;
  sum.events += more.events;
  sum.threads = std::max(sum.threads, more.threads);
  sum.seconds += more.seconds;
}

Comparison Compare(const Report& before, const Report& after) {
  std::set<std::string> old_prints = ActiveFingerprints(before);
  std::set<std::string> new_prints = ActiveFingerprints(after);
  Comparison comparison;
  for (const Finding& finding : after.findings) {
    if (!Active(finding)) continue;
    auto& list = old_prints.count(finding.fingerprint) > 0 ? comparison.unchanged : comparison.added;
    list.push_back(&finding);
  }
  for (const Finding& finding : before.findings) {
    if (Active(finding) && new_prints.count(finding.fingerprint) == 0) comparison.gone.push_back(&finding);
  }
  return comparison;
}

uint64_t ActiveCount(const Report& report) {
  return static_cast<uint64_t>(std::count_if(report.findings.begin(), report.findings.end(), Active));
}

}  // namespace heddle::findings
