// The end of every verb that finds something: suppressions, baseline, JSON, SARIF, HTML, JUnit, the text, the exit
// code.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "base/result.h"
#include "findings/html.h"
#include "findings/report.h"

namespace CLI {
class App;
}

namespace heddle::cli {

// The options that such verbs share.
struct ReportOptions {
  std::string json;               // file, "-" for standard output
  std::string sarif;              // the same
  std::string html;               // the same
  std::string junit;              // the same
  std::string baseline;           // file with known findings
  std::string write_baseline;     // file to write one to
  std::string suppressions;       // file; empty: heddle.supp when it is there
  std::string more_suppressions;  // rules from elsewhere (the program itself), one a line; no reasons are asked for
  std::function<void(findings::Report&)> hide;  // marks what else is hidden, after all rules
  bool verbose = false;
};

inline constexpr const char* kSuppressionsFile = "heddle.supp";

// `kOwn`: the verb has an --html of its own.
enum class PageOption { kReport, kOwn };
void AddReportOptions(CLI::App& app, ReportOptions& options, PageOption page = PageOption::kReport);

// The page of `report` with what else it shows (findings/html.h). An error when this heddle was built without it.
Status WritePage(const std::string& path, const findings::Report& report, bool baseline,
                 const findings::PageExtras& extras);

// Whether the files that EmitReport will read are there and right; errors in them are printed. For before a long run.
Status CheckReportInputs(const ReportOptions& options);

// Applies suppressions and baseline to `report`, writes what the options ask for, prints the text to `out` (left out
// when `out` is standard output and that already carries one of these), and returns the verb's exit code: 1 when
// findings are left, 3 when there are none but the run does not let us say so (Coverage::undecided), 0 when none; 2 or
// 3 when a file is wrong.
int EmitReport(std::string_view verb, findings::Report& report, const ReportOptions& options, std::FILE* out);

}  // namespace heddle::cli
