// heddle record: runs a program and keeps what a replay needs in a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "analysis/replay/replay_input.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/recorded_processes.h"
#include "analysis/target/results_dir.h"
#include "analysis/target/run_files.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/control_options.h"
#include "cli/record_demo.h"
#include "cli/verb.h"
#include "sched/demo_folder.h"
#include "sched/demo_rules.h"
#include "wire/demo_format.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

constexpr const char* kRecordExamples =
    "Writes a demo: META (command, options), QUEUE (the schedule), SYSCALL (what calls into the system returned),\n"
    "SIGNAL (signals whose handlers ran).\n"
    "docs/record-replay.md says what is recorded and what is not.\n"
    "Examples:\n"
    "  heddle record -o demo -- ./server --once\n"
    "  heddle replay demo\n"
    "  heddle record --ring 64M -- ./server           keeps the end, for a crash after hours\n"
    "  heddle record --strategy random --seed 5 --detect -- ./test\n"
    "  heddle record --recover .heddle/record-3       when heddle itself was killed\n"
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

void TellWaiting(size_t count) {
  fmt::print(stderr, "heddle record: the program has ended; {} that it started run{} on (Ctrl-C ends them)\n",
             count == 1 ? "a process" : fmt::format("{} processes", count), count == 1 ? "s" : "");
}

// Written before the program runs: a recording whose recorder is killed can be made a demo by it.
constexpr const char* kBegunName = "/begun";

Status NoteBegun(const analysis::ControlledRun& run) {
  sched::Schedule begun;
  analysis::AddSettings(run, begun);
  if (run.options.ring != 0) begun.header.emplace_back("ring", std::to_string(run.options.ring));
  return WriteFileAtomic(run.folder + kBegunName, sched::PrintSchedule(begun));
}

// The folder of a new demo: what a program read may hold secrets. One that is there already stays as its owner made it.
Status MakeDemoFolder(const std::string& folder) {
  std::error_code failure;
  if (sched::IsDemo(folder)) return MakeError(ErrorCode::kUsage, folder + " is a demo already");
  std::filesystem::create_directories(folder, failure);
  if (failure) return ErrnoError(folder, failure.value());
  if (std::filesystem::is_empty(folder, failure)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
  }
  return {};
}

int Record(analysis::ControlledRun& run, const std::string& demo_option, const std::string& rules) {
  std::string root = analysis::ResultsRoot("");
  Result<std::string> results = analysis::NewResults(root, "record");
  if (!results) return Fail("record", results.error());
  std::error_code failure;
  std::filesystem::permissions(*results, std::filesystem::perms::owner_all, failure);
  std::string folder = demo_option.empty() ? *results + "/demo" : demo_option;
  Status made = MakeDemoFolder(folder);
  if (!made) return Fail("record", made.error());
  run.judge_exit = false;
  run.folder = std::filesystem::absolute(*results, failure).string();
  std::string calls = run.folder + analysis::kCallsName;
  run.environment = {analysis::Assign(wire::variable::kDemoOut, calls), rules};
  Status noted = NoteBegun(run);
  if (!noted) return Fail("record", noted.error());
  Result<analysis::ControlledEnd> end = analysis::RunControlled(run);
  if (!end) {
    Fail("record", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  if (run.options.ring == 0 && !analysis::AwaitProcesses(run.folder, TellWaiting)) {
    fmt::print(stderr, "heddle record: stopped: the processes that the program left were ended\n");
  }
  if (int code = KeepDemo(run, *end, {root, *results, folder}); code != kExitClean) return code;
  std::filesystem::remove(run.folder + kBegunName, failure);
  return end->child.code;
}

// What a recorder that was killed left in its results folder.
int Recover(const std::string& results, const std::string& demo_option) {
  Result<std::string> text = ReadFile(results + kBegunName);
  if (!text) {
    return Fail("record", MakeError(ErrorCode::kNotFound, results + ": no recording was left here unfinished"));
  }
  Result<sched::Schedule> begun = sched::ParseSchedule(results + kBegunName, *text);
  if (!begun) return Fail("record", begun.error());
  analysis::ReplayInput input{results, *begun, "", ""};
  Result<analysis::ControlledRun> run = analysis::PrepareReplay(input, {});
  if (!run) return Fail("record", run.error());
  wire::FromWord(begun->Value("strategy"), &run->options.strategy);
  std::string_view ring = begun->Value("ring");
  std::from_chars(ring.data(), ring.data() + ring.size(), run->options.ring);
  std::error_code failure;
  run->folder = std::filesystem::absolute(results, failure).string();
  std::string folder =
      std::filesystem::absolute(demo_option.empty() ? results + "/demo" : demo_option, failure).string();
  Status made = MakeDemoFolder(folder);
  if (!made) return Fail("record", made.error());
  std::filesystem::current_path(begun->Value("folder"), failure);
  Result<analysis::ControlledEnd> end = analysis::ReadEnd(*run);
  if (!end) return Fail("record", end.error());
  std::string root = std::filesystem::path(run->folder).parent_path().string();
  int code = KeepDemo(*run, *end, {root, run->folder, folder});
  if (code == kExitClean) std::filesystem::remove(run->folder + kBegunName, failure);
  return code;
}

int RunRecord(const Arguments& arguments) {
  CLI::App app("Records a run so that it can be replayed", "heddle record");
  analysis::ControlledRun run;
  run.options.strategy = wire::Strategy::kQueue;
  std::string demo;
  std::string rules;
  std::vector<std::string> ignored;
  std::string every;
  std::string unfinished;
  auto* command = app.add_option("COMMAND", run.command, "after --: the program and its arguments");
  app.add_option("--recover", unfinished, "makes a demo of what a recorder that was killed left in this results folder")
      ->type_name("FOLDER")
      ->excludes(command);
  run.options.visible.level = wire::Visible::kVolatile;
  AddControlOptions(app, run.options);
  app.add_option("-o", demo, "the demo folder (default: in the results folder)")->type_name("DEMO");
  app.add_option("--rules", rules, "a file that says which descriptors and calls are recorded")->type_name("FILE");
  app.add_option("--ignore", ignored,
                 "a call that is not recorded but made again: ioctl, clock, stat, ... (any number)")
      ->type_name("CALL");
  auto* ring = app.add_option("--ring", run.options.ring,
                              "keep the end of the run only, about so many bytes: 64M; replay --from LAST starts there")
                   ->transform(CLI::AsSizeValue(false))
                   ->type_name("BYTES");
  app.add_option("--every", every, "with --ring: time between checkpoints (default 10s)")
      ->type_name("TIME")
      ->needs(ring);
  app.add_option("--every-steps", run.options.every_steps, "with --ring: steps between checkpoints instead")
      ->type_name("N")
      ->needs(ring);
  app.footer(kRecordExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (!unfinished.empty()) return Recover(unfinished, demo);
  if (run.command.empty())
    return Fail("record", MakeError(ErrorCode::kUsage, "COMMAND is required: heddle record -- PROGRAM"));
  if (ring->count() > 0 && run.options.detect) {
    return Fail("record", MakeError(ErrorCode::kUsage,
                                    "--ring and --detect exclude each other: a checkpoint does not "
                                    "hold what the detector knows"));
  }
  if (ring->count() > 0 && run.options.ring == 0) {
    return Fail("record", MakeError(ErrorCode::kUsage, "--ring 0 keeps nothing"));
  }
  if (!every.empty()) {
    Result<double> interval = ParseDuration(every);
    if (!interval) return Fail("record", interval.error());
    run.options.every_milliseconds = std::max<uint64_t>(1, static_cast<uint64_t>(*interval * 1000));
  }
  Result<std::string> variable = RuleVariable(rules, ignored);
  if (!variable) return Fail("record", variable.error());
  return Record(run, demo, *variable);
}

}  // namespace

extern const Verb kRecordVerb;
const Verb kRecordVerb{"record", "record a run so that it can be replayed", RunRecord};

}  // namespace heddle::cli
