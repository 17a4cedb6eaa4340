// heddle refine check: two traces of one thread.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.h"
#include "cli/refine.h"
#include "cli/report_output.h"
#include "refine/campaign/report.h"
#include "refine/trace/trace_file.h"

namespace heddle::cli {
namespace {

int Undecided(const std::string& why) {
  fmt::print(stderr, "heddle refine check: not decided: {}\n", why);
  return kExitUndecided;
}

findings::Finding FindingFor(const refine::Trace& original, const refine::Trace& transformed,
                             const refine::Violation& violation) {
  refine::PairResult result;
  result.violation = violation;
  result.explanation = refine::Explain(original, transformed, violation);
  Result<std::string> text = ReadFile(original.source);
  return refine::FindingOf(result, original.build, transformed.build, original.thread, original.source,
                           text ? *text : "");
}

int Check(refine::Trace& original, refine::Trace& transformed, bool loose, const ReportOptions& output) {
  for (const refine::Trace* trace : {&original, &transformed}) {
    if (trace->end == refine::RunEnd::kEnded) continue;
    if (trace == &transformed && trace->end == refine::RunEnd::kLockMisuse) continue;  // the check shows it
    return Undecided(fmt::format("the run of {} did not reach its end: {}", trace->build, trace->reason));
  }
  if (Status aligned = refine::AlignTraces(original, transformed); !aligned) return Undecided(aligned.error().message);
  refine::Verdict verdict = refine::CheckTraces(original, transformed, {.reads = !loose});
  if (verdict.vacuous) {
    return Undecided("the environment wrote what only the original accesses there: trace the other build with --like");
  }
  if (!verdict.matches()) {
    if (std::string why = refine::SaysNothing(original, verdict.violation); !why.empty()) return Undecided(why);
  }
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = transformed.build;
  report.coverage.events = original.events.size() + transformed.events.size();
  report.coverage.runs = 2;
  report.coverage.scope = "one run of each build, with one environment";
  if (!verdict.extra_reads.empty()) {
    report.coverage.note =
        fmt::format("{} reads that the original does not do were let pass", verdict.extra_reads.size());
  }
  if (!verdict.matches()) findings::AddFinding(report, FindingFor(original, transformed, verdict.violation));
  return EmitReport("refine check", report, output, stdout);
}

}  // namespace

int RunRefineCheck(const Arguments& arguments) {
  CLI::App app("Compares two traces of one thread: may the second be a compiled version of the first?",
               "heddle refine check");
  std::string original;
  std::string transformed;
  bool loose = false;
  ReportOptions output;
  app.add_option("ORIGINAL", original, "trace of the build that is taken for the source's meaning")->required();
  app.add_option("COMPILED", transformed, "trace of the other build, made with --like ORIGINAL")->required();
  app.add_flag("--loose-reads", loose, "let reads pass that the original does not do (they may be speculation)");
  AddReportOptions(app, output);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (Status right = CheckReportInputs(output); !right) return Fail("refine check", right.error());
  Result<refine::Trace> a = refine::LoadTrace(original);
  if (!a) return Fail("refine check", a.error());
  Result<refine::Trace> b = refine::LoadTrace(transformed);
  if (!b) return Fail("refine check", b.error());
  return Check(*a, *b, loose, output);
}

}  // namespace heddle::cli
