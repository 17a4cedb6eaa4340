// Ends of a program, in this order:
//   stopped by heddle (time limit, interrupt)        not decided; a warning when every thread waited by then
//   killed by a signal that comes from outside        not decided
//   killed by what limits it (seccomp, ulimit)        not decided
//   killed by another signal                          crash, or assertion for SIGABRT with the text of assert
//   an exit code that is not 0                        failure: one for each failed test, else one for the code
// A run that heddle itself ended because of a deadlock has its finding already.
#include "analysis/target/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "detect/detect_findings.h"

namespace heddle::analysis {
namespace {

using findings::Finding;
using findings::FindingStatus;
using findings::Kind;

constexpr size_t kShownLines = 10;
constexpr size_t kShownColumns = 160;

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void AddOnce(std::vector<std::string>& names, std::string_view name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// "[  FAILED  ] Suite.Name (3 ms)", "[  FAILED  ] Suite.Name, where ..."; not "[  FAILED  ] 2 tests, listed below:".
void AddGoogleTest(std::string_view line, std::vector<std::string>& names) {
  constexpr std::string_view kMark = "[  FAILED  ] ";
  if (!line.starts_with(kMark)) return;
  line.remove_prefix(kMark.size());
  std::string_view name = line.substr(0, line.find_first_of(" ,("));
  if (name.find('.') != std::string_view::npos) AddOnce(names, name);
}

bool IsRule(std::string_view line, char c) {
  return line.size() >= 70 && line.find_first_not_of(c) == std::string_view::npos;
}

// The name of a test case stands between two lines of dashes (Catch2), or behind "TEST CASE:" (doctest); a line that
// ends in
// ": FAILED:" or has ": ERROR:" says that it failed.
class TestCases {
 public:
  void Line(std::string_view line, std::vector<std::string>& names) {
    constexpr std::string_view kDoctest = "TEST CASE:";
    if (line.starts_with(kDoctest)) {
      name_ = line.substr(std::min(line.find_first_not_of(' ', kDoctest.size()), line.size()));
    } else if (IsRule(line, '-')) {
      heading_ = !heading_;
      fresh_ = heading_;
    } else if (fresh_) {
      name_ = line;  // lines of sections follow
      fresh_ = false;
    } else if (line.ends_with(": FAILED:") || line.find(": ERROR: ") != std::string_view::npos ||
               line.find(": FATAL ERROR: ") != std::string_view::npos) {
      AddOnce(names, name_);
    }
  }

 private:
  std::string_view name_;
  bool heading_ = false;  // between two lines of dashes
  bool fresh_ = false;    // the line after the first of them
};

void Add(findings::Report& report, Kind kind, std::string message, const ChildEnd& end) {
  Finding finding;
  finding.kind = kind;
  finding.status = FindingStatus::kConfirmed;
  finding.status_note = "seen in this run";
  finding.message = std::move(message);
  finding.output = LastLines(end.output, kShownLines);
  findings::AddFinding(report, std::move(finding));
}

void AddAssertion(const detect::Assertion& assertion, const detect::FindingsFile& file, const ChildEnd& end,
                  findings::Report& report) {
  Finding finding;
  finding.kind = Kind::kAssertion;
  finding.status = FindingStatus::kConfirmed;
  finding.status_note = "seen in this run";
  finding.message = fmt::format("assertion `{}` failed", assertion.text);
  finding.output = LastLines(end.output, kShownLines);
  findings::Step step;
  step.site = 1;
  step.thread = file.info.ThreadId(assertion.thread);
  step.what = "assert";
  step.operand = assertion.text;
  Frame frame;
  frame.function = assertion.function;
  frame.file = assertion.file;
  frame.line = assertion.line;
  step.stack.push_back(std::move(frame));
  finding.threads.push_back({step.thread, "", "", {}});
  finding.steps.push_back(std::move(step));
  findings::AddFinding(report, std::move(finding));
}

// Signals that a program does not get from its own faults.
std::string OutsideSignal(int number, const detect::FindingsFile& file) {
  switch (number) {
    case SIGKILL:
      return "the program was killed by SIGKILL, from outside (the kernel does that when memory is short)";
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGPIPE:
      return fmt::format("the program was killed by SIG{}, from outside", sigabbrev_np(number));
    case SIGXCPU:
    case SIGXFSZ:
      return fmt::format("the program was killed by SIG{}: a limit on {} (ulimit), which heddle needs too",
                         sigabbrev_np(number), number == SIGXCPU ? "processor time" : "the size of files");
    case SIGSYS:
      if (!file.seccomp) return "";
      return "the program forbade system calls (seccomp) and was killed by SIGSYS; heddle needs calls that it forbade";
    default:
      return "";
  }
}

void AddSignal(const ChildEnd& end, const detect::FindingsFile& file, findings::Report& report) {
  std::string outside = OutsideSignal(end.signal, file);
  if (!outside.empty()) {
    report.coverage.undecided = outside;
  } else if (end.signal == SIGABRT && !file.assertions.empty()) {
    AddAssertion(file.assertions.back(), file, end, report);
  } else {
    Add(report, Kind::kCrash, fmt::format("the program was killed by SIG{}", sigabbrev_np(end.signal)), end);
  }
}

constexpr std::string_view kTestWord = "test `";
std::string TestMessage(const std::string& test) { return fmt::format("{}{}` failed", kTestWord, test); }

void AddFailure(const ChildEnd& end, findings::Report& report) {
  std::vector<std::string> tests = FailedTests(end.output);
  for (const std::string& test : tests) Add(report, Kind::kFailure, TestMessage(test), end);
  if (!tests.empty()) return;
  Add(report, Kind::kFailure, fmt::format("the program ended with exit code {}", end.code), end);
}

void AddHang(const detect::FindingsFile& file, findings::Report& report) {
  if (!file.hang) return;
  detect::Names names(file);
  Finding finding = detect::DeadlockFinding(*file.hang, names);
  finding.status = FindingStatus::kPossible;
  finding.status_note = "only a signal, a timer or another process could have ended it";
  finding.message = fmt::format("every thread waited ({}) until the run was stopped", file.hang->waiters.size());
  findings::AddFinding(report, std::move(finding));
}

}  // namespace

std::vector<std::string> FailedTests(std::string_view output) {
  std::vector<std::string> names;
  TestCases cases;
  for (std::string_view line : Lines(output)) {
    AddGoogleTest(line, names);
    cases.Line(line, names);
  }
  return names;
}

std::string AssertionIn(std::string_view output) {
  constexpr std::string_view kWords = ": Assertion `";
  size_t at = output.rfind(kWords);
  if (at == std::string_view::npos) return "";
  size_t begin = output.rfind('\n', at);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(output.substr(begin, output.find('\n', at) - begin));
}

std::vector<std::string> LastLines(std::string_view output, size_t most) {
  std::vector<std::string> last;
  for (std::string_view line : Lines(output)) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    last.emplace_back(line.size() <= kShownColumns ? line : line.substr(0, kShownColumns));
  }
  if (last.size() > most) last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(most));
  return last;
}

std::string AllocatorText(const detect::FindingsFile& file) {
  if (file.allocator.empty()) return "";
  std::string reason = file.allocator_call == "malloc"
                           ? fmt::format("{} replaces malloc, and heddle's cannot be put before it", file.allocator)
                           : fmt::format("the program calls {} of {}, whose memory heddle cannot follow",
                                         file.allocator_call, file.allocator);
  return reason + ": nothing was watched; run the program without that library";
}

void AddOutcome(const ChildEnd& end, const detect::FindingsFile& file, bool exit_counts, findings::Report& report) {
  bool hang_ended = file.hang && file.hang->everybody;  // by the runtime, in a replay
  bool ended_by_us = !file.deadlocks.empty() || hang_ended;
  if (hang_ended) {
    AddHang(file, report);
  } else if (end.timed_out || end.stopped) {
    AddHang(file, report);
    report.coverage.undecided =
        end.timed_out ? "the run did not end within the time limit" : "the run was stopped by a signal to heddle";
  } else if (end.signal != 0) {
    AddSignal(end, file, report);
  } else if (end.code != 0 && exit_counts && !ended_by_us) {
    AddFailure(end, report);
  }
  if (report.coverage.undecided.empty()) report.coverage.undecided = AllocatorText(file);
  for (const std::string& limit : file.limits) {
    std::string note = fmt::format("{} was not applied: heddle's own memory and files would count", limit);
    if (report.coverage.note.find(note) != std::string::npos) continue;
    report.coverage.note += (report.coverage.note.empty() ? "" : "; ") + note;
  }
}

void ExplainFailures(const Outcomes& outcomes, bool complete, findings::Report& report) {
  uint64_t all = outcomes.failed + outcomes.succeeded;
  auto by_code = [](const Finding& finding) {
    return finding.kind == Kind::kFailure && !finding.message.starts_with(kTestWord);
  };
  auto codes = std::count_if(report.findings.begin(), report.findings.end(), by_code);
  for (Finding& finding : report.findings) {
    if (finding.kind != Kind::kFailure || !finding.why.empty()) continue;
    bool is_test = finding.message.starts_with(kTestWord);
    uint64_t failed = outcomes.failed;
    for (const auto& [test, count] : outcomes.tests) {
      if (finding.message != TestMessage(test)) continue;
      failed = count;
      is_test = false;
    }
    if (is_test) continue;  // the exit code says only that some test failed
    if (codes > 1 && by_code(finding)) {
      // How often each of them comes was not counted.
      finding.why =
          fmt::format("{} of {} executions fail, with {} different exit codes: the order of the threads matters",
                      failed, all, codes);
    } else if (failed > 0 && failed < all) {
      finding.why =
          fmt::format("{} of {} executions end so, the others do not: the order of the threads matters", failed, all);
    } else if (failed == all && all > 1) {
      finding.why = fmt::format("all {} executions{} end so: the order of the threads does not matter", all,
                                complete ? "" : " that were performed");
    }
  }
}

}  // namespace heddle::analysis
