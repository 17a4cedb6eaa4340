#include "cli/report_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/report_page.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "findings/baseline.h"
#include "findings/html.h"
#include "findings/junit.h"
#include "findings/report_json.h"
#include "findings/sarif.h"
#include "findings/source_allow.h"
#include "findings/suppressions.h"
#include "findings/text.h"

namespace heddle::cli {
namespace {

using findings::Report;

Status WriteTo(const std::string& path, const std::string& text) {
  if (path != "-") return WriteFileAtomic(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return {};
  return MakeError(ErrorCode::kIo, "standard output: cannot write");
}

// Errors of libraries that no program can mend. libstdc++'s atomic shared_ptr gives its lock back with a relaxed
// operation after a load, so the next store is not ordered with the read of the pointer. Its ctype<char> keeps what it
// has looked up in a table that all threads share (regular expressions, streams): all write the same values.
constexpr std::string_view kLibraryErrors =
    "race_top:std::_Sp_atomic<   # libstdc++ unlocks it without an order\n"
    "race_top:std::ctype<char>::narrow   # libstdc++ fills its table without an order\n"
    "race_top:std::ctype<char>::widen   # libstdc++ fills its table without an order\n";

// The suppression file that is to be used; empty: none.
std::string SuppressionsPath(const ReportOptions& options) {
  if (!options.suppressions.empty()) return options.suppressions;
  return access(kSuppressionsFile, F_OK) == 0 ? kSuppressionsFile : "";
}

// An error in the file stops, since a rule that is not read would show what it hides. `warn`: the others are told too.
Result<findings::SuppressionSet> LoadSuppressions(const std::string& path, SourceMap& sources, bool warn) {
  Result<uint32_t> file = sources.AddFromDisk(path);
  if (!file) return file.error();
  findings::SuppressionSet set = findings::ParseSuppressions(sources, *file);
  size_t errors = 0;
  for (const Diagnostic& diagnostic : set.diagnostics) {
    bool wrong = diagnostic.severity == Severity::kError;
    if (wrong || warn) fmt::print(stderr, "{}", Render(sources, diagnostic));
    errors += wrong ? 1 : 0;
  }
  if (errors == 0) return set;
  return MakeError(ErrorCode::kBadInput, fmt::format("{}: {} wrong line{}", path, errors, errors == 1 ? "" : "s"));
}

// Comments in the source hide what is not hidden yet.
void AllowBySource(Report& report) {
  findings::SourceAllow allow([](const std::string& path) -> std::optional<std::string> {
    Result<std::string> text = ReadFile(path);
    if (!text) return std::nullopt;
    return text.Take();
  });
  for (const std::string& wrong : allow.Apply(report)) fmt::print(stderr, "warning: {}\n", wrong);
}

// Rules from elsewhere hide what is not hidden yet; nobody has to give reasons for them, or use them.
void SuppressMore(const ReportOptions& options, Report& report) {
  AllowBySource(report);
  SourceMap sources;
  uint32_t file = sources.Add("more suppressions", std::string(kLibraryErrors) + options.more_suppressions);
  std::vector<findings::Suppression> rules = findings::ParseSuppressions(sources, file).rules;
  for (findings::Finding& finding : report.findings) {
    if (finding.suppressed) continue;
    auto rule = std::find_if(rules.begin(), rules.end(),
                             [&](const findings::Suppression& candidate) { return Matches(candidate, finding); });
    if (rule == rules.end()) continue;
    finding.suppressed = findings::Suppressed{rule->type + ":" + rule->pattern, rule->reason};
  }
  if (options.hide) options.hide(report);
}

Status Suppress(const ReportOptions& options, Report& report) {
  std::string path = SuppressionsPath(options);
  if (path.empty()) {
    SuppressMore(options, report);
    return {};
  }
  SourceMap sources;
  Result<findings::SuppressionSet> set = LoadSuppressions(path, sources, true);
  if (!set) return set.error();
  findings::ApplySuppressions(*set, report);
  for (const Diagnostic& unused : findings::UnusedSuppressions(*set)) fmt::print(stderr, "{}", Render(sources, unused));
  SuppressMore(options, report);
  return {};
}

Status UseBaseline(const ReportOptions& options, Report& report) {
  if (options.baseline.empty()) return {};
  Result<findings::Baseline> baseline = findings::LoadBaseline(options.baseline);
  if (!baseline) return baseline.error();
  size_t gone = findings::ApplyBaseline(*baseline, report);
  if (gone > 0) {
    fmt::print(stderr, "note: {} finding{} of {} did not occur\n", gone, gone == 1 ? "" : "s", options.baseline);
  }
  return {};
}

Status WriteFiles(const ReportOptions& options, const Report& report) {
  if (!options.json.empty()) {
    if (Status status = WriteTo(options.json, findings::ReportJson(report)); !status) return status;
  }
  if (!options.sarif.empty()) {
    findings::SarifOptions sarif;
    std::error_code ignored;  // without a current folder all paths stay absolute
    sarif.source_root = std::filesystem::current_path(ignored).string();
    sarif.baseline = !options.baseline.empty();
    if (Status status = WriteTo(options.sarif, findings::SarifJson(report, sarif)); !status) return status;
  }
  if (!options.html.empty()) {
    if (Status status = WritePage(options.html, report, !options.baseline.empty(), {}); !status) return status;
  }
  if (!options.junit.empty()) {
    if (Status status = WriteTo(options.junit, findings::JunitXml(report)); !status) return status;
  }
  if (options.write_baseline.empty()) return {};
  return WriteTo(options.write_baseline, findings::BaselineText(report));
}

Status HasPage() {
  if (!ReportPage().empty()) return {};
  return MakeError(ErrorCode::kUnsupported,
                   "--html: this heddle was built without the report page; run scripts/build-web (it needs npm) in "
                   "heddle's source folder and build heddle again");
}

Status CheckPage(const ReportOptions& options) { return options.html.empty() ? Status{} : HasPage(); }

bool UsesStandardOutput(const ReportOptions& options) {
  return options.json == "-" || options.sarif == "-" || options.html == "-" || options.junit == "-" ||
         options.write_baseline == "-";
}

}  // namespace

Status WritePage(const std::string& path, const Report& report, bool baseline, const findings::PageExtras& extras) {
  if (Status there = HasPage(); !there) return there;
  findings::Excerpts sources = findings::SourceExcerpts(report);
  sources.merge(findings::SourceExcerpts(extras.views));
  return WriteTo(path, findings::ReportHtml(ReportPage(), report, sources, baseline, extras));
}

void AddReportOptions(CLI::App& app, ReportOptions& options, PageOption page) {
  app.add_option("--json", options.json, "write the report as JSON (schema heddle/report/1) to FILE, - for stdout")
      ->type_name("FILE");
  app.add_option("--sarif", options.sarif, "write the report as SARIF 2.1.0 to FILE, - for stdout")->type_name("FILE");
  if (page == PageOption::kReport) {
    app.add_option("--html", options.html, "write the report as one HTML page to FILE, - for stdout")
        ->type_name("FILE");
  }
  app.add_option("--junit", options.junit, "write the report as JUnit XML to FILE, - for stdout")->type_name("FILE");
  app.add_option("--baseline", options.baseline, "report only findings that are not in FILE")->type_name("FILE");
  app.add_option("--write-baseline", options.write_baseline, "write the findings to FILE as the new baseline")
      ->type_name("FILE");
  app.add_option("--suppressions", options.suppressions,
                 "hide what FILE names (ThreadSanitizer's grammar; default heddle.supp if it is there)")
      ->type_name("FILE");
  app.add_flag("-v,--verbose", options.verbose, "whole witnesses, and where threads were created");
}

Status CheckReportInputs(const ReportOptions& options) {
  if (Status page = CheckPage(options); !page) return page;
  if (std::string path = SuppressionsPath(options); !path.empty()) {
    SourceMap sources;
    if (Result<findings::SuppressionSet> set = LoadSuppressions(path, sources, false); !set) return set.error();
  }
  if (options.baseline.empty()) return {};
  Result<findings::Baseline> baseline = findings::LoadBaseline(options.baseline);
  return baseline ? Status{} : Status{baseline.error()};
}

int EmitReport(std::string_view verb, Report& report, const ReportOptions& options, std::FILE* out) {
  if (Status page = CheckPage(options); !page) return Fail(verb, page.error());
  if (Status status = Suppress(options, report); !status) return Fail(verb, status.error());
  if (Status status = UseBaseline(options, report); !status) return Fail(verb, status.error());
  if (Status status = WriteFiles(options, report); !status) return Fail(verb, status.error());
  if (out != stdout || !UsesStandardOutput(options)) {
    findings::TextOptions text;
    text.color = UseColor(out);
    text.width = ScreenWidth(out);
    text.wrap = HasScreenWidth(out);
    text.verbose = options.verbose;
    std::fputs(findings::ReportText(report, text).c_str(), out);
  }
  if (findings::ActiveCount(report) > 0) return kExitFindings;
  return report.coverage.undecided.empty() ? kExitClean : kExitUndecided;
}

}  // namespace heddle::cli
