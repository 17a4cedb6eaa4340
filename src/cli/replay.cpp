// heddle replay: runs a program under a schedule that an earlier run, a search or a person wrote.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "analysis/debug/gdb_session.h"
#include "analysis/replay/replay_input.h"
#include "analysis/replay/replay_process.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/processor.h"
#include "analysis/target/results_dir.h"
#include "analysis/target/run_files.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "detect/names.h"
#include "findings/report_json.h"
#include "sched/checkpoints.h"
#include "sched/demo_folder.h"
#include "sched/operation.h"
#include "symbolize/symbolizer.h"
#include "wire/demo_format.h"
#include "wire/environment.h"

namespace heddle::cli {
namespace {

constexpr const char* kReplayExamples =
    "SCHEDULE is a file (docs/schedule-format.md), a demo of heddle record, a results folder, or the id of a finding "
    "of the latest report. The\n"
    "program is the one that the schedule names unless another is given. Behind the schedule's end it runs on first "
    "come,\n"
    "first served (--then).\n"
    "Examples:\n"
    "  heddle replay F1\n"
    "  heddle replay bug.schedule -- ./test\n"
    "  heddle replay bug.schedule --until 120 -- ./test\n"
    "  heddle replay bug.schedule --gdb -- ./test\n"
    "  heddle replay F1 --gdb --reverse\n"
    "  heddle replay demo --from LAST\n"
    "  heddle replay demo --process 3        of a program that made others by fork or exec\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 4 the replay diverged.";

// gdb goes with the children that lead to the process that is asked for, and with no others (heddle_at_fork).
constexpr const char* kGdbFollows =
    "break heddle_at_fork\n"
    "commands\n"
    "silent\n"
    "if $rdi\n"
    "set follow-fork-mode child\n"
    "else\n"
    "set follow-fork-mode parent\n"
    "end\n"
    "continue\n"
    "end\n";

struct ReplayOptions {
  std::string input;
  std::vector<std::string> command;
  std::optional<wire::Strategy> then;
  std::optional<wire::Carrier> carrier;
  std::string root;
  std::string from;
  std::string time;
  uint64_t until = 0;
  uint64_t process = 0;  // 0: the first, with those that it forked
  bool detect = false;
  bool gdb = false;
  bool reverse = false;
  std::string gdbserver;  // address
  ReportOptions report;
};

std::string_view WhyText(wire::DivergedBy why) {
  switch (why) {
    case wire::DivergedBy::kBlocked:
      return "it has to wait there";
    case wire::DivergedBy::kEnded:
      return "the thread has ended";
    case wire::DivergedBy::kCall:
      return "it made another system call than the recording has there";
    case wire::DivergedBy::kAbsent:
      return "there is no such thread";
    default:
      return "it came to another operation";
  }
}

// The steps around number `step` (from 1) of the schedule.
void PrintSteps(const analysis::ReplayInput& input, uint64_t first, uint64_t last) {
  const sched::Schedule& schedule = input.schedule;
  for (uint64_t step = first; step <= last; ++step) {
    const sched::ScheduleRun* run = sched::RunOfStep(schedule, step - 1);
    if (run == nullptr) return;
    fmt::print(stderr, "  {:>8}  {:<8} {:<14} {}\n", input.first + step, schedule.threads[run->thread],
               sched::OperationName(run->operation), run->comment);
  }
}

int ReportDivergence(const analysis::ReplayInput& input, const analysis::ControlledEnd& end) {
  const sched::Divergence& at = *end.control.divergence;
  fmt::print(stderr, "error[desync]: the replay diverged at step {} of {}\n", input.first + at.step,
             input.first + input.schedule.Steps());
  fmt::print(stderr, "  expected: {} {}\n", at.thread, at.operation);
  detect::Names names(end.found);
  std::string place;
  Stack stack = at.came_pc == 0 ? Stack{} : names.StackOf({at.came_pc});
  if (!stack.empty()) place = fmt::format(" at {}:{} {}", stack[0].file, stack[0].line, stack[0].function);
  fmt::print(stderr, "  came:     {}{}: {}\n", at.came == "?" ? "nothing" : at.came, place, WhyText(at.why));
  fmt::print(stderr, "  the steps before:\n");
  PrintSteps(input, at.step > 5 ? at.step - 5 : 1, at.step - 1);
  fmt::print(
      stderr,
      "  usual causes: the program was rebuilt or gets other arguments, input or environment; it has a data race\n"
      "  (heddle run --detect; --carrier fiber or --visible all make such runs repeatable); it reads something\n"
      "  that is not under control (docs/record-replay.md)\n");
  return kExitDiverged;
}

// The steps were the recorded ones, what the program printed was not.
int ReportOutput(const analysis::ControlledEnd& end) {
  const sched::OutputDifference& at = *end.control.output;
  detect::Names names(end.found);
  Stack stack = names.StackOf({at.pc});
  std::string place = stack.empty() ? "" : fmt::format(" at {}:{} {}", stack[0].file, stack[0].line, stack[0].function);
  fmt::print(stderr,
             "error[desync]: the output differs from the recording from step {} on\n"
             "  {} printed `{}`{}\n"
             "  usual causes: a data race, or input that is not recorded (docs/record-replay.md)\n",
             at.step, names.ThreadId(at.thread), at.text, place);
  return kExitDiverged;
}

int ReportStop(const analysis::ControlledEnd& end) {
  detect::Names names(end.found);
  fmt::print(stderr, "stopped before step {}\n", *end.control.stopped + 1);
  for (const sched::Standing& standing : end.control.standing) {
    fmt::print(stderr, "  {} stands before {}{}\n", names.ThreadId(standing.thread), standing.operation,
               standing.blocked ? ", which has to wait" : "");
    for (const Frame& frame : names.StackOf(standing.stack)) {
      if (frame.file.empty()) continue;
      fmt::print(stderr, "      {}:{} {}\n", frame.file, frame.line, frame.function);
    }
  }
  return kExitClean;
}

// A build id of the file on disk against the recorded one.
void WarnOfOtherBuild(const analysis::ControlledRun& run, const sched::Schedule& schedule) {
  std::string_view wanted = schedule.Value("build");
  const std::string& file = run.program.empty() ? run.command[0] : run.program;
  std::string found = symbolize::BuildIdOfFile(file);
  if (wanted.empty() || wanted == "-" || found.empty() || found == wanted) return;
  fmt::print(stderr, "heddle replay: {} is another build than the schedule's ({}, not {})\n", file, found.substr(0, 12),
             wanted.substr(0, 12));
}

// Libraries choose their code by what the processor offers.
void WarnOfOtherProcessor(const sched::Schedule& schedule) {
  std::string differs = analysis::FeatureDifference(schedule.Value("processor"), analysis::ProcessorFeatures());
  if (differs.empty()) return;
  fmt::print(stderr, "heddle replay: another processor than the recording's: {}; libraries may choose other code\n",
             differs);
}

// gdb on a replay that it can run backwards.
int ReplayBackwards(const analysis::ControlledRun& run) {
  fmt::print(stderr,
             "heddle replay: gdb stands where the finding shows; reverse-continue, reverse-next and\n"
             "  reverse-step go backwards, also to where a watched variable was written\n");
  analysis::Launch launch{run.command, analysis::ControlledEnvironment(run), run.folder + "/output"};
  Status done = analysis::RunGdbSession(launch, [](std::string_view text) { fmt::print(stderr, "{}", text); });
  if (done) return kExitClean;
  Fail("replay", done.error());
  return done.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(done.error());
}

// A demo is replayed where it was recorded, wherever the user is.
void GoToFolderOf(const analysis::ReplayInput& input) {
  std::string folder = analysis::ReplayFolder(input);
  std::error_code failure;
  if (folder.empty() || std::filesystem::equivalent(folder, std::filesystem::current_path(failure), failure)) return;
  std::filesystem::current_path(folder, failure);
  fmt::print(stderr, "heddle replay: in {}\n", folder);
}

// Which process of how many it is.
void TellProcesses(const analysis::ProcessReplay& replay, uint64_t asked) {
  const sched::DemoProcess* process = sched::FindProcess(replay.all, replay.number);
  if (process == nullptr) return;
  if (asked == 0) {
    fmt::print(stderr, "heddle replay: process 1 of {}; another by --process N (PROCESSES in the demo lists them)\n",
               replay.all.size());
    return;
  }
  fmt::print(stderr, "heddle replay: process {} of {}: {}, {}\n", replay.number, replay.all.size(),
             sched::BeganText(*process), process->program);
}

bool TellDiverged(const analysis::ProcessReplay& replay, const std::string& folder) {
  std::vector<uint64_t> diverged = analysis::DivergedChildren(replay, folder);
  for (uint64_t number : diverged) {
    fmt::print(stderr, "error[desync]: process {} diverged: heddle replay --process {} {}\n", number, number,
               replay.demo);
  }
  return !diverged.empty();
}

int Replay(const ReplayOptions& options, double seconds) {
  auto start = std::chrono::steady_clock::now();
  std::string root = analysis::ResultsRoot(options.root);
  Result<analysis::ProcessReplay> replay = analysis::LoadProcessReplay(root, options.input, options.process);
  if (!replay) return Fail("replay", replay.error());
  analysis::ReplayInput* input = &replay->asked;
  analysis::ReplayInput* first = replay->forks() ? &replay->started : input;
  Status started = analysis::StartFrom(*input, options.from);
  if (!started) return Fail("replay", started.error());
  if (options.reverse && replay->forks()) {
    return Fail("replay", MakeError(ErrorCode::kUsage, "--reverse does not go with a process that fork made"));
  }
  TellProcesses(*replay, options.process);
  bool takes_up = input->checkpoint != 0;
  if (takes_up && (options.detect || options.reverse)) {
    const char* option = options.detect ? "--detect" : "--reverse";
    return Fail("replay", MakeError(ErrorCode::kUsage, fmt::format("{} needs the beginning of the run: it does not go "
                                                                   "with a checkpoint",
                                                                   option)));
  }
  Result<analysis::ControlledRun> prepared = analysis::PrepareReplay(*first, options.command);
  if (!prepared) return Fail("replay", prepared.error());
  analysis::ControlledRun& run = *prepared;
  run.options.then = options.then.value_or(wire::Strategy::kQueue);
  run.options.until = options.until;
  // Behind the end of a recording that was cut, calls would be made for which nothing outside is prepared.
  if (!input->damage.empty())
    fmt::print(stderr, "heddle replay: {}: only the beginning of {} can be read\n", input->path, input->damage);
  bool ended = sched::IsWhole(input->schedule) || !input->schedule.Value("end").empty();
  bool whole = ended && input->damage.empty();
  bool cut = !input->calls.empty() && !options.then && !whole;
  if (cut && options.until == 0) run.options.until = input->first + input->schedule.Steps() + 1;
  run.options.detect = run.options.detect || options.detect;
  if (options.carrier) run.options.carrier = *options.carrier;
  if (options.reverse) {
    run.options.carrier = wire::Carrier::kFiber;
    run.options.watchdog = false;
  } else if (options.gdb) {
    run.options.carrier = wire::Carrier::kOs;
    run.debugger = {"gdb", "--quiet", "-ex", "set breakpoint pending on", "-ex", "break heddle_at_finding", "--args"};
    fmt::print(stderr,
               "heddle replay: type `run`; it stops where the finding shows, `up` goes to the program's own code\n");
  }
  if (!options.gdbserver.empty()) {
    run.options.carrier = wire::Carrier::kOs;
    run.debugger = {"gdbserver", options.gdbserver};
    fmt::print(stderr, "heddle replay: waits for a debugger at {}; break at heddle_at_finding, then continue\n",
               options.gdbserver);
  }
  if (takes_up) run.options.carrier = wire::Carrier::kFiber;  // whatever carried the recorded threads
  run.seconds = seconds;
  run.judge_exit = input->calls.empty();  // a demo is replayed to see the same again, whatever it was
  Result<std::string> folder = analysis::NewResults(root, "replay");
  if (!folder) return Fail("replay", folder.error());
  std::error_code failure;
  run.folder = std::filesystem::absolute(*folder, failure).string();
  run.enforce = run.folder + analysis::kEnforceName;
  if (options.gdb && replay->forks()) {
    Status script = WriteFileAtomic(run.folder + "/gdb", kGdbFollows);
    if (!script) return Fail("replay", script.error());
    run.debugger.insert(run.debugger.end() - 1, {"-x", run.folder + "/gdb"});
  }
  Status written = WriteFileAtomic(run.enforce, sched::CompileSchedule(first->schedule));
  if (!written) return Fail("replay", written.error());
  if (!input->calls.empty()) {
    written = WriteFileAtomic(run.folder + "/calls", first->calls);
    if (!written) return Fail("replay", written.error());
    std::vector<uint64_t> lost;
    if (!takes_up) written = analysis::PlaceStreams(*replay, run, &lost);
    if (!written) return Fail("replay", written.error());
    for (uint64_t number : lost) {
      fmt::print(stderr, "heddle replay: the stream of process {} cannot be read: it runs freely\n", number);
    }
    // As many variables as the recording had: the stack lies below them.
    run.environment = {analysis::Assign(wire::variable::kDemoIn, run.folder + "/calls"),
                       analysis::Assign(wire::variable::kDemoRules, "")};
    std::string image = run.folder + "/image";
    if (takes_up) {
      written = sched::UnpackImage(input->path, input->checkpoint, image);
      if (!written) return Fail("replay", written.error());
      run.environment.push_back(analysis::Assign(wire::variable::kCheckpoint, image));
      fmt::print(stderr, "heddle replay: from checkpoint {}, behind step {}\n", input->checkpoint, input->first);
    }
    std::filesystem::path originals = std::filesystem::absolute(first->path + wire::kOriginalsName, failure);
    if (std::filesystem::exists(originals, failure)) {
      std::filesystem::create_directory_symlink(originals, run.folder + wire::kOriginalsName, failure);
    }
  }
  if (options.command.empty()) GoToFolderOf(*first);
  WarnOfOtherBuild(run, first->schedule);
  WarnOfOtherProcessor(first->schedule);
  if (options.reverse) return ReplayBackwards(run);
  Result<analysis::ControlledEnd> end = analysis::RunControlled(run);
  if (!end && takes_up) {
    Fail("replay",
         MakeError(ErrorCode::kUnsupported, fmt::format("checkpoint {} cannot be taken up", input->checkpoint)));
    return kExitUndecided;
  }
  if (!end) {
    Fail("replay", end.error());
    return end.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(end.error());
  }
  analysis::AwaitFollowers(*replay, run.folder);
  if (end->on_the_way) {
    fmt::print(stderr, "heddle replay: process {} did not begin: this is of the one that leads to it\n",
               replay->number);
    input = first;
  }
  std::string path = run.folder + "/schedule";
  Status saved = WriteFileAtomic(path, sched::PrintSchedule(end->schedule));
  if (!saved) return Fail("replay", saved.error());
  for (const char* name : {analysis::kStepsName, analysis::kEnforceName, "/calls", "/image"})
    std::filesystem::remove(run.folder + name, failure);
  if (end->control.divergence) return ReportDivergence(*input, *end);
  if (end->control.stopped) {
    if (cut && (options.until == 0 || *end->control.stopped + 1 < options.until)) {
      fmt::print(stderr,
                 "the recording ends here: the program was killed, the disk was full, or the demo was damaged\n");
    }
    return ReportStop(*end);
  }
  findings::Report report = analysis::ReportOf(run, *end, path);
  report.coverage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  uint64_t wanted = input->schedule.Steps();
  if (end->schedule.Steps() < wanted) {
    fmt::print(stderr, "heddle replay: the program ended after {} of {} steps\n", end->schedule.Steps(), wanted);
  }
  int code = EmitReport("replay", report, options.report, stderr);
  saved = findings::SaveReport(report, run.folder + "/report.json");
  if (!saved) return Fail("replay", saved.error());
  if (end->control.output && code == kExitClean) return ReportOutput(*end);
  if (end->control.output) ReportOutput(*end);
  return TellDiverged(*replay, run.folder) && code == kExitClean ? kExitDiverged : code;
}

int RunReplay(const Arguments& arguments) {
  CLI::App app("Runs a program under a given schedule", "heddle replay");
  ReplayOptions options;
  app.add_option("SCHEDULE", options.input, "a schedule, a results folder, or the id of a finding")->required();
  app.add_option("COMMAND", options.command, "after --: the program and its arguments");
  AddWordOption(app, "--then", options.then, "strategy behind the end: queue (default), random, pct, pos or rr",
                kChoosable);
  app.add_option("--until", options.until, "stop before this step and show where every thread is")->type_name("STEP");
  app.add_option("--from", options.from,
                 "of a demo with checkpoints: LAST, the number of one, or START (default: as early as it goes)")
      ->type_name("CHECKPOINT");
  auto* process = app.add_option("--process", options.process,
                                 "of a demo with several processes: replay this one (default: the first)");
  process->type_name("N")->check(CLI::PositiveNumber);
  AddWordOption(app, "--carrier", options.carrier, "os or fiber (default: the schedule's)");
  app.add_flag("--detect", options.detect, "look for races and misuse as well");
  auto* gdb = app.add_flag("--gdb", options.gdb, "start gdb on the replay; it stops where the finding shows");
  app.add_flag("--reverse", options.reverse, "with --gdb: gdb can go backwards as well")->needs(gdb);
  app.add_option("--gdbserver", options.gdbserver,
                 "start gdbserver on the replay, for debuggers elsewhere and editors (share/vscode): localhost:2345")
      ->type_name("ADDRESS")
      ->excludes(gdb);
  app.add_option("--time", options.time, "time limit of the run: 500ms, 60s, 5m (default none)")->type_name("TIME");
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options.report);
  app.footer(kReplayExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  double seconds = 0;
  if (!options.time.empty()) {
    Result<double> limit = ParseDuration(options.time);
    if (!limit) return Fail("replay", limit.error());
    seconds = *limit;
  }
  return Replay(options, seconds);
}

}  // namespace

extern const Verb kReplayVerb;
const Verb kReplayVerb{"replay", "run a program under a given schedule", RunReplay};

}  // namespace heddle::cli
