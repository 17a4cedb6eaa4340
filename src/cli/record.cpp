// heddle record: runs a program and keeps what a replay needs in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/file.h"
#include "cli/controlled_run.h"
#include "cli/report_output.h"
#include "cli/results_dir.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "sched/demo_folder.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Writes a demo: META (command, options), QUEUE (the schedule), SYSCALL (what calls into the system returned).\n"
    "docs/record-replay.md says what is recorded and what is not.\n"
    "Examples:\n"
    "  heddle record -o demo -- ./server --once\n"
    "  heddle replay demo\n"
    "  heddle record --strategy random --seed 5 --detect -- ./test\n"
    "Exit code: the program's own (findings are printed and are in the results folder); 3, 126 and 127 as elsewhere.";

int Record(ControlledRun& run, const std::string& demo_option) {
  std::string root = ResultsRoot("");
  Result<std::string> results = NewResults(root, "record");
  if (!results) return Fail("record", results.error());
  std::string folder = demo_option.empty() ? *results + "/demo" : demo_option;
  std::error_code failure;
  if (sched::IsDemo(folder)) return Fail("record", MakeError(ErrorCode::kUsage, folder + " is a demo already"));
  std::filesystem::create_directories(folder, failure);
  if (failure) return Fail("record", ErrnoError(folder, failure.value()));
  run.folder = std::filesystem::absolute(*results, failure).string();
  std::string calls = run.folder + "/calls";
  run.environment = {"HEDDLE_DEMO_OUT=" + calls};
  Result<ControlledEnd> end = RunControlled(run);
  if (!end) {
    Fail("record", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  Result<std::string> bytes = ReadFile(calls);
  if (!bytes) return Fail("record", bytes.error());
  Status saved = sched::SaveDemo(folder, {end->schedule, *bytes});
  if (!saved) return Fail("record", saved.error());
  for (const char* name : {"/steps", "/calls"}) std::filesystem::remove(run.folder + name, failure);
  findings::Report report = ReportOf(run, *end, folder);
  if (!report.findings.empty()) EmitReport("record", report, {}, stderr);
  saved = findings::SaveReport(report, *results + "/report.json");
  if (saved) saved = PublishResults(root, *results);
  if (!saved) return Fail("record", saved.error());
  uint64_t size = 0;
  for (const char* name : {"/META", "/QUEUE", "/SYSCALL"}) size += std::filesystem::file_size(folder + name, failure);
  fmt::print(stderr, "recorded {} steps, {} switches, {} bytes: heddle replay {}\n", end->schedule.Steps(),
             end->schedule.Switches(), size, folder);
  return end->child.code;
}

int Run(const Arguments& arguments) {
  CLI::App app("Records a run so that it can be replayed", "heddle record");
  ControlledRun run;
  run.options.strategy = "queue";
  std::string demo;
  app.add_option("COMMAND", run.command, "after --: the program and its arguments")->required();
  AddControlOptions(app, run.options);
  app.add_option("-o", demo, "the demo folder (default: in the results folder)")->type_name("DEMO");
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  return Record(run, demo);
}

}  // namespace

extern const Verb kRecordVerb;
const Verb kRecordVerb{"record", "record a run so that it can be replayed", Run};

}  // namespace heddle::cli
