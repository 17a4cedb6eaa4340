// heddle report: shows a saved report again, in any format.
#include <CLI/CLI.hpp>

#include "analysis/target/results_dir.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "findings/report_json.h"

namespace heddle::cli {
namespace {

constexpr const char* kReportExamples =
    "Examples:\n"
    "  heddle report                           the latest report as text\n"
    "  heddle report --sarif out.sarif         for a code host\n"
    "  heddle report --html out.html           to look at in a browser\n"
    "  heddle report --write-baseline known    accept what is there\n"
    "  heddle report new.json --baseline known new findings only\n"
    "Several files are merged: equal findings are counted together. Exit code 1 when findings are left.";

int RunReport(const Arguments& arguments) {
  CLI::App app("Shows saved reports again as text, JSON, SARIF or a page", "heddle report");
  std::vector<std::string> files;
  std::string root;
  ReportOptions options;
  app.add_option("FILE", files, "report files or results folders (default: the latest)");
  app.add_option("-o", root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options);
  app.footer(kReportExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (files.empty()) files.emplace_back();
  std::optional<findings::Report> merged;
  for (const std::string& given : files) {
    Result<std::string> path = analysis::FindReport(analysis::ResultsRoot(root), given);
    if (!path) return Fail("report", path.error());
    Result<findings::Report> report = findings::LoadReport(*path);
    if (!report) return Fail("report", report.error());
    if (merged) {
      findings::Merge(*merged, *report);
    } else {
      merged = report.Take();
    }
  }
  return EmitReport("report", *merged, options, stdout);
}

}  // namespace

extern const Verb kReportVerb;
const Verb kReportVerb{"report", "show a saved report again as text, JSON, SARIF or a page", RunReport};

}  // namespace heddle::cli
