// heddle deadlock: the static deadlock analysis of a whole program (docs/deadlock.md).
#include "deadlock/deadlock.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "analysis/deadlock/deadlock_confirm.h"
#include "analysis/deadlock/readable_bitcode.h"
#include "analysis/deadlock/since.h"
#include "analysis/target/process.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "deadlock/input/compile_db.h"

namespace heddle::cli {
namespace {

constexpr const char* kDeadlockExamples =
    "Examples:\n"
    "  heddle deadlock prog.bc              bitcode of the whole program (.bc or .ll; several are linked)\n"
    "  heddle deadlock -p build             every file of build/compile_commands.json\n"
    "  make CC='heddle cc --bitcode'        objects and programs carry bitcode; PROG.bc is left beside PROG\n"
    "  heddle deadlock ./prog               the bitcode that such a program carries\n"
    "  heddle deadlock --confirm -- ./prog arguments    and runs ./prog into the findings\n"
    "Exit code: 0 no deadlock under the assumptions it lists, 1 findings, 2 usage or unreadable bitcode, 3 not "
    "decided;\n"
    "with --confirm, 3 as well: the program is not built with heddle cc, or no finding is code of it; 126, 127: it "
    "cannot be "
    "run.";

struct DeadlockSettings {
  std::vector<std::string> files;
  std::string build_dir;
  deadlock::Options analysis;
  bool no_cut = false;
  bool stats = false;
  bool confirm = false;
  analysis::ConfirmSettings runs;
  std::string run_time = "20s";
  std::string time;
  std::string root;
  std::string prune_list;
  std::string since;  // a revision of git
  ReportOptions report;
};

// A folder that is gone when this is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    char name[] = "/tmp/heddle-deadlock-XXXXXX";
    if (mkdtemp(name) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Compiles every file of the build to bitcode in `folder`.
Result<std::vector<std::string>> CompileAll(const std::string& build_dir, const std::string& folder) {
  Result<std::vector<deadlock::CompileCommand>> commands = deadlock::ReadCompileCommands(build_dir);
  if (!commands) return commands.error();
  std::error_code failure;
  std::filesystem::path here = std::filesystem::current_path(failure);
  std::vector<std::string> outputs;
  std::set<std::filesystem::path> seen;
  for (const deadlock::CompileCommand& command : *commands) {
    if (!seen.insert(std::filesystem::path(command.directory) / command.file).second)
      continue;  // of another target too
    std::string output = fmt::format("{}/{}.bc", folder, outputs.size());
    std::filesystem::current_path(command.directory, failure);
    if (failure) return MakeError(ErrorCode::kNotFound, fmt::format("{}: {}", command.directory, failure.message()));
    Result<analysis::ChildEnd> end = analysis::RunChild(deadlock::BitcodeCommand(command, output));
    std::filesystem::current_path(here, failure);
    if (!end) return end.error();
    if (end->code != 0)
      return MakeError(ErrorCode::kBadInput, fmt::format("{}: it does not compile with clang 19", command.file));
    outputs.push_back(output);
  }
  return outputs;
}

std::string Counted(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void PrintStats(const deadlock::Analysis& analysis) {
  fmt::print(stderr, "{:<20}{:>9}{:>11}\n", "stage", "time s", "peak MiB");
  for (const deadlock::StageCost& stage : analysis.stages) {
    fmt::print(stderr, "{:<20}{:>9.2f}{:>11.0f}   {}\n", stage.name, stage.seconds,
               static_cast<double>(stage.memory_kib) / 1024, stage.note);
  }
  fmt::print(stderr, "{} locks, {} waiting operations ({} unknown), {} threads, {} contexts, {} edges\n",
             analysis.locks, analysis.lock_operations, analysis.unknown_operations, analysis.threads, analysis.contexts,
             analysis.edges);
}

// Bitcode of the program: what was given, or what the build's files compile to.
Result<std::vector<std::string>> Bitcode(const DeadlockSettings& settings, const TemporaryFolder& folder) {
  if (settings.build_dir.empty()) return settings.files;
  if (folder.path().empty()) return ErrnoError("/tmp", errno);
  return CompileAll(settings.build_dir, folder.path());
}

findings::Report ReportOf(const DeadlockSettings& settings, deadlock::Analysis& analysis) {
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = settings.build_dir.empty() ? settings.files[0] : settings.build_dir;
  for (findings::Finding& finding : analysis.findings) findings::AddFinding(report, std::move(finding));
  for (findings::Finding& finding : analysis.undeclared) findings::AddFinding(report, std::move(finding));
  for (findings::Finding& finding : analysis.races) findings::AddFinding(report, std::move(finding));
  report.coverage.complete = analysis.complete;
  report.coverage.scope = fmt::format("{}, {}, all paths and schedules", Counted(analysis.locks, "lock", "locks"),
                                      Counted(analysis.lock_operations, "waiting operation", "waiting operations"));
  if (!analysis.complete) report.coverage.bound = "some locks or calls were taken together";
  if (settings.analysis.races) {
    report.coverage.scope += "; " + Counted(analysis.shared_accesses, "access", "accesses") + " to shared memory";
    if (analysis.more_races > 0) report.coverage.note = fmt::format("{} more races are not shown", analysis.more_races);
    if (analysis.attributes_not_understood > 0) {
      report.coverage.note += fmt::format("{}{} thread-safety attributes not understood, so not checked",
                                          report.coverage.note.empty() ? "" : "; ", analysis.attributes_not_understood);
    }
  }
  report.coverage.threads = analysis.threads;
  return report;
}

void PrintAssumptions(const deadlock::Analysis& analysis, bool nothing_found) {
  for (const std::string& reason : analysis.undecided) fmt::print(stderr, "not decided: {}\n", reason);
  if (nothing_found && !analysis.undecided.empty()) {
    if (!analysis.assumptions.empty()) fmt::print(stderr, "assumed:\n");
  } else if (nothing_found) {
    fmt::print(stderr, "{} among {}{}\n", analysis.proved ? "proved free of deadlocks" : "no deadlock found",
               Counted(analysis.locks, "lock", "locks"), analysis.assumptions.empty() ? "" : ", assuming that");
  } else if (!analysis.assumptions.empty()) {
    fmt::print(stderr, "assumed:\n");
  }
  for (const std::string& assumption : analysis.assumptions) fmt::print(stderr, "  - {}\n", assumption);
}

Status WritePruneList(const DeadlockSettings& settings, const deadlock::Analysis& analysis) {
  if (settings.prune_list.empty()) return {};
  Status written = WriteFileAtomic(settings.prune_list, analysis.prune_list);
  if (written) {
    fmt::print(stderr, "{}: {} of {} loads and stores cannot race\n", settings.prune_list, analysis.pruned_accesses,
               analysis.all_accesses);
  }
  return written;
}

// --since: leaves the findings that the changes touch; `others` is how many it took away.
Status OnlyTouched(const DeadlockSettings& settings, const deadlock::SourceCode& source, findings::Report& report,
                   size_t* others) {
  *others = 0;
  if (settings.since.empty()) return {};
  Result<std::vector<analysis::ChangedFile>> changes =
      analysis::ChangesSince(settings.since, analysis::ResultsRoot(settings.root));
  if (!changes) return changes.error();
  analysis::TouchedFindings touched(*changes, source);
  *others = std::erase_if(report.findings, [&](const findings::Finding& finding) { return !touched.Touches(finding); });
  if (*others == 0) return {};
  report.coverage.note +=
      fmt::format("{}{} other finding{} not shown: their code did not change since {}",
                  report.coverage.note.empty() ? "" : "; ", *others, *others == 1 ? "" : "s", settings.since);
  return {};
}

// The analysis and, with `confirmer`, the runs. Null: only the analysis.
int Analyse(const DeadlockSettings& settings, analysis::DeadlockConfirmer* confirmer) {
  double start = MonotonicSeconds();
  TemporaryFolder folder;
  Result<std::vector<std::string>> files = Bitcode(settings, folder);
  if (!files) return Fail("deadlock", files.error());
  if (Status readable = analysis::CheckReadable(*files, settings.analysis.main_file); !readable) {
    return Fail("deadlock", readable.error());
  }
  Result<deadlock::Analysis> analysis = deadlock::Analyse(*files, settings.analysis);
  if (!analysis) return Fail("deadlock", analysis.error());
  if (settings.stats) PrintStats(*analysis);
  if (Status written = WritePruneList(settings, *analysis); !written) return Fail("deadlock", written.error());
  findings::Report report = ReportOf(settings, *analysis);
  size_t others = 0;
  if (Status touched = OnlyTouched(settings, analysis->source, report, &others); !touched) {
    return Fail("deadlock", touched.error());
  }
  if (confirmer != nullptr) {
    Status confirmed = confirmer->Confirm(report);
    if (!confirmed) return Fail("deadlock", confirmed.error());
  }
  report.coverage.seconds = MonotonicSeconds() - start;
  int code = EmitReport("deadlock", report, settings.report, stderr);
  bool nothing_found = code == kExitClean && report.findings.empty();
  PrintAssumptions(*analysis, nothing_found && others == 0);
  if (nothing_found && !analysis->undecided.empty()) code = kExitUndecided;
  if (confirmer == nullptr) return code;
  code = KeepResults("deadlock", analysis::ResultsRoot(settings.root), settings.runs.folder, report, code);
  if (confirmer->tried() > 0 && confirmer->reachable() == 0) {
    fmt::print(stderr,
               "heddle deadlock: none of the lines above is code of {}: the bitcode is of another program, or the "
               "program was built without -g\n",
               settings.runs.command[0]);
    return kExitUndecided;
  }
  return code;
}

// The program is run before the analysis: when that is not possible, nobody waits for it.
int AnalyseAndRun(DeadlockSettings& settings) {
  std::string root = analysis::ResultsRoot(settings.root);
  Result<std::string> folder = analysis::NewResults(root, "deadlock");
  if (!folder) return Fail("deadlock", folder.error());
  std::error_code failure;
  settings.runs.folder = std::filesystem::absolute(*folder, failure).string();
  analysis::DeadlockConfirmer confirmer(settings.runs);
  Status first = confirmer.FirstRun();
  if (!first) {
    Fail("deadlock", first.error());
    bool cannot_run = first.error().code == ErrorCode::kNotFound || first.error().code == ErrorCode::kIo;
    return cannot_run ? CannotRunCode(first.error()) : kExitUndecided;
  }
  return Analyse(settings, &confirmer);
}

// What `heddle cc --bitcode` left beside the program, or what the program itself carries.
std::string BitcodeOf(const std::string& program) {
  std::error_code failure;
  std::string beside = program + ".bc";
  return std::filesystem::exists(beside, failure) ? beside : program;
}

Status CheckCommand(DeadlockSettings& settings, bool has_dashes) {
  if (settings.confirm != has_dashes || (has_dashes && settings.runs.command.empty())) {
    return MakeError(ErrorCode::kUsage,
                     "--confirm needs a program, and a program --confirm: heddle deadlock "
                     "PROG.bc --confirm -- PROG ARGS");
  }
  if (settings.confirm && settings.files.empty() && settings.build_dir.empty()) {
    settings.files.push_back(BitcodeOf(settings.runs.command[0]));
  }
  if (settings.files.empty() == settings.build_dir.empty()) {
    return MakeError(ErrorCode::kUsage, "give bitcode files, or -p BUILD_DIR; `heddle deadlock --help` has examples");
  }
  Result<double> limit = ParseDuration(settings.run_time);
  if (!limit) return limit.error();
  settings.runs.seconds = *limit;
  if (settings.time.empty()) return {};
  Result<double> all = ParseDuration(settings.time);
  if (!all) return all.error();
  settings.runs.deadline = Deadline::After(*all);
  return {};
}

void AddConfirmOptions(CLI::App& app, DeadlockSettings& settings) {
  auto* confirm = app.add_flag("--confirm", settings.confirm,
                               "run the program after -- and lead its threads into what is reported");
  app.add_option("--attempts", settings.runs.attempts, "with --confirm: runs for each finding")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(confirm)
      ->capture_default_str();
  app.add_option("--seed", settings.runs.seed, "with --confirm: of the first run")
      ->needs(confirm)
      ->capture_default_str();
  AddWordOption(app, "--carrier", settings.runs.carrier,
                "with --confirm: os: a thread of the system each; fiber: all on one")
      ->needs(confirm);
  app.add_option("--run-time", settings.run_time, "with --confirm: time limit of one run")
      ->type_name("TIME")
      ->needs(confirm)
      ->capture_default_str();
  app.add_option("--time", settings.time, "with --confirm: no run begins later than this (default: no limit)")
      ->type_name("TIME")
      ->needs(confirm);
  app.add_option("-o", settings.root, "with --confirm: results folder (default HEDDLE_DIR, else .heddle)")
      ->type_name("DIR")
      ->needs(confirm);
}

int RunDeadlock(const Arguments& arguments) {
  CLI::App app("Finds possible deadlocks in a whole program without running it", "heddle deadlock");
  DeadlockSettings settings;
  settings.analysis.max_findings = 100;
  settings.analysis.max_names = 4;
  app.add_option("FILE", settings.files, "bitcode of the program (.bc, .ll), or what carries it");
  app.add_option("-p", settings.build_dir, "compile what DIR/compile_commands.json lists")->type_name("DIR");
  app.add_option("--main", settings.analysis.main_file,
                 "of several files that define main, the source of the one that is meant")
      ->type_name("FILE");
  app.add_option("--table", settings.analysis.tables,
                 "more functions that lock, create threads, ... (docs/deadlock.md)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_flag("--semaphores", settings.analysis.semaphores, "treat sem_wait and sem_post as lock and unlock");
  app.add_option("--contexts", settings.analysis.contexts_per_function, "contexts of a function before they are joined")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_flag("--no-cut", settings.no_cut, "pointer analysis of everything, also of what cannot matter");
  app.add_flag("--stats", settings.stats, "time and memory, stage by stage");
  auto* races = app.add_flag("--races", settings.analysis.races, "data races on the same facts as well");
  app.add_option("--max-findings", settings.analysis.max_findings, "so many deadlocks are listed, the best; 0: all")
      ->capture_default_str();
  app.add_option("--max-races", settings.analysis.max_races,
                 "with --races: so many are reported, the first to mend; the rest is counted")
      ->needs(races)
      ->capture_default_str();
  app.add_option("--prune-list", settings.prune_list,
                 "with --races: write the accesses that cannot race, for heddle cc --prune")
      ->type_name("FILE")
      ->needs(races);
  app.add_option("--since", settings.since,
                 "only findings with a place in a function that changed since this revision of git; all of these")
      ->type_name("REV");
  bool all = false;
  app.add_flag("--all", all, "list all deadlocks and races");
  AddConfirmOptions(app, settings);
  AddReportOptions(app, settings.report);
  app.footer(kDeadlockExamples);
  // What follows `--` is the program's, whatever it looks like.
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) settings.runs.command.assign(dashes + 1, arguments.end());
  if (int code = Parse(app, {arguments.begin(), dashes}); code >= 0) return code;
  if (all || !settings.since.empty()) {
    settings.analysis.max_findings = 0;
    settings.analysis.max_names = 0;
    settings.analysis.max_races = SIZE_MAX;
  }
  settings.analysis.dependency_cut = !settings.no_cut;
  settings.analysis.prune_list = !settings.prune_list.empty();
  Status right = CheckCommand(settings, dashes != arguments.end());
  if (right) right = CheckReportInputs(settings.report);
  if (!right) return Fail("deadlock", right.error());
  return settings.confirm ? AnalyseAndRun(settings) : Analyse(settings, nullptr);
}

}  // namespace

extern const Verb kDeadlockVerb;
const Verb kDeadlockVerb{"deadlock", "find possible deadlocks in bitcode, without running it", RunDeadlock};

}  // namespace heddle::cli
