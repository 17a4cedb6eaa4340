// heddle record: runs a program and keeps what a replay needs in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "analysis/target/controlled_run.h"
#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "sched/demo_folder.h"
#include "sched/demo_rules.h"
#include "wire/demo_format.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Writes a demo: META (command, options), QUEUE (the schedule), SYSCALL (what calls into the system returned),\n"
    "SIGNAL (signals whose handlers ran).\n"
    "docs/record-replay.md says what is recorded and what is not.\n"
    "Examples:\n"
    "  heddle record -o demo -- ./server --once\n"
    "  heddle replay demo\n"
    "  heddle record --strategy random --seed 5 --detect -- ./test\n"
    "Exit code: the program's own (findings are printed and are in the results folder); 3, 126 and 127 as elsewhere.";

// What the rule file and --ignore say, for the runtime.
Result<std::string> RuleVariable(const std::string& path, const std::vector<std::string>& ignored) {
  wire::DemoRules rules;
  if (!path.empty()) {
    Result<std::string> text = ReadFile(path);
    if (!text) return text.error();
    Status parsed = sched::ParseDemoRules(path, *text, &rules);
    if (!parsed) return parsed.error();
  }
  for (const std::string& call : ignored) {
    Status parsed = sched::IgnoreCall(call, &rules);
    if (!parsed) return parsed.error();
  }
  return analysis::Assign(wire::variable::kDemoRules, fmt::format("{} {}", rules.reissued, rules.ignored));
}

int Record(analysis::ControlledRun& run, const std::string& demo_option, const std::string& rules) {
  std::string root = analysis::ResultsRoot("");
  Result<std::string> results = analysis::NewResults(root, "record");
  if (!results) return Fail("record", results.error());
  std::string folder = demo_option.empty() ? *results + "/demo" : demo_option;
  std::error_code failure;
  if (sched::IsDemo(folder)) return Fail("record", MakeError(ErrorCode::kUsage, folder + " is a demo already"));
  std::filesystem::create_directories(folder, failure);
  if (failure) return Fail("record", ErrnoError(folder, failure.value()));
  // What a program read may hold secrets. One that is there already stays as its owner made it.
  for (const std::string& mine : {folder, *results}) {
    if (std::filesystem::is_empty(mine, failure)) {
      std::filesystem::permissions(mine, std::filesystem::perms::owner_all, failure);
    }
  }
  run.judge_exit = false;
  run.folder = std::filesystem::absolute(*results, failure).string();
  std::string calls = run.folder + "/calls";
  run.environment = {analysis::Assign(wire::variable::kDemoOut, calls), rules};
  Result<analysis::ControlledEnd> end = analysis::RunControlled(run);
  if (!end) {
    Fail("record", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  Result<std::string> bytes = ReadFile(calls);
  if (!bytes) return Fail("record", bytes.error());
  sched::DemoFolder demo{end->schedule, bytes.Take(), ""};
  // Where the program ran, as seen from the demo: together they can be moved.
  std::string home = std::filesystem::relative(std::filesystem::current_path(failure), folder, failure).string();
  if (!home.empty()) demo.schedule.header.emplace_back("home", home);
  if (sched::CutToRecording(demo)) {
    fmt::print(stderr, "heddle record: the disk was full: the demo ends after {} of {} steps\n", demo.schedule.Steps(),
               end->schedule.Steps());
  }
  if (std::filesystem::exists(run.folder + wire::kOriginalsName, failure)) {
    std::filesystem::copy(run.folder + wire::kOriginalsName, folder + wire::kOriginalsName, failure);
    std::filesystem::remove_all(run.folder + wire::kOriginalsName, failure);
  }
  Status saved = sched::SaveDemo(folder, demo);
  for (const char* name : {"/steps", "/calls"}) std::filesystem::remove(run.folder + name, failure);
  if (!saved) saved = sched::SaveDemo(folder, demo);  // on a full disk these made room
  if (!saved) return Fail("record", saved.error());
  findings::Report report = analysis::ReportOf(run, *end, folder);
  if (!report.findings.empty()) EmitReport("record", report, {}, stderr);
  if (int code = KeepResults("record", root, *results, report, kExitClean); code != kExitClean) return code;
  uint64_t size = 0;
  for (const char* name : {"/META", "/QUEUE", "/SYSCALL", "/SIGNAL"})
    size += std::filesystem::file_size(folder + name, failure);
  fmt::print(stderr, "recorded {} steps, {} switches, {} bytes: heddle replay {}\n", demo.schedule.Steps(),
             demo.schedule.Switches(), size, folder);
  return end->child.code;
}

int Run(const Arguments& arguments) {
  CLI::App app("Records a run so that it can be replayed", "heddle record");
  analysis::ControlledRun run;
  run.options.strategy = wire::Strategy::kQueue;
  std::string demo;
  std::string rules;
  std::vector<std::string> ignored;
  app.add_option("COMMAND", run.command, "after --: the program and its arguments")->required();
  run.options.visible.level = wire::Visible::kVolatile;
  AddControlOptions(app, run.options);
  app.add_option("-o", demo, "the demo folder (default: in the results folder)")->type_name("DEMO");
  app.add_option("--rules", rules, "a file that says which descriptors and calls are recorded")->type_name("FILE");
  app.add_option("--ignore", ignored,
                 "a call that is not recorded but made again: ioctl, clock, stat, ... (any number)")
      ->type_name("CALL");
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<std::string> variable = RuleVariable(rules, ignored);
  if (!variable) return Fail("record", variable.error());
  return Record(run, demo, *variable);
}

}  // namespace

extern const Verb kRecordVerb;
const Verb kRecordVerb{"record", "record a run so that it can be replayed", Run};

}  // namespace heddle::cli
