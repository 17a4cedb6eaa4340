// heddle deadlock: the static deadlock analysis of a whole program (docs/deadlock.md).
#include "deadlock/deadlock.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "cli/process.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "deadlock/compile_db.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  heddle deadlock prog.bc              bitcode of the whole program (.bc or .ll; several are linked)\n"
    "  heddle deadlock -p build             every file of build/compile_commands.json\n"
    "  make CC='heddle cc --bitcode'        leaves PROG.bc beside PROG\n"
    "Exit code: 0 proved free of deadlocks under the assumptions it lists, 1 findings, 2 usage or unreadable bitcode.";

struct Settings {
  std::vector<std::string> files;
  std::string build_dir;
  deadlock::Options analysis;
  bool no_cut = false;
  bool stats = false;
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
    Result<ChildEnd> end = RunChild(deadlock::BitcodeCommand(command, output));
    std::filesystem::current_path(here, failure);
    if (!end) return end.error();
    if (end->code != 0)
      return MakeError(ErrorCode::kBadInput, fmt::format("{}: it does not compile with clang 19", command.file));
    outputs.push_back(output);
  }
  return outputs;
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

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int Deadlock(const Settings& settings) {
  double start = Now();
  TemporaryFolder folder;
  if (folder.path().empty()) return Fail("deadlock", ErrnoError("/tmp", errno));
  std::vector<std::string> files = settings.files;
  if (!settings.build_dir.empty()) {
    Result<std::vector<std::string>> compiled = CompileAll(settings.build_dir, folder.path());
    if (!compiled) return Fail("deadlock", compiled.error());
    files = *compiled;
  }
  Result<deadlock::Analysis> analysis = deadlock::Analyse(files, settings.analysis);
  if (!analysis) return Fail("deadlock", analysis.error());
  if (settings.stats) PrintStats(*analysis);
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = settings.build_dir.empty() ? settings.files[0] : settings.build_dir;
  for (findings::Finding& finding : analysis->findings) findings::AddFinding(report, std::move(finding));
  report.coverage.complete = analysis->complete;
  report.coverage.scope = fmt::format("{} locks, {} waiting operations, all paths and schedules", analysis->locks,
                                      analysis->lock_operations);
  if (!analysis->complete) report.coverage.bound = "some locks or calls were taken together";
  report.coverage.threads = analysis->threads;
  report.coverage.seconds = Now() - start;
  int code = EmitReport("deadlock", report, settings.report, stderr);
  if (code == kExitClean && report.findings.empty()) {
    fmt::print(stderr, "proved free of deadlocks among {} locks{}\n", analysis->locks,
               analysis->assumptions.empty() ? "" : ", assuming that");
  } else if (!analysis->assumptions.empty()) {
    fmt::print(stderr, "assumed:\n");
  }
  for (const std::string& assumption : analysis->assumptions) fmt::print(stderr, "  - {}\n", assumption);
  return code;
}

int Run(const Arguments& arguments) {
  CLI::App app("Finds possible deadlocks in a whole program without running it", "heddle deadlock");
  Settings settings;
  app.add_option("FILE", settings.files, "bitcode of the program (.bc or .ll)");
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
  AddReportOptions(app, settings.report);
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  settings.analysis.dependency_cut = !settings.no_cut;
  if (settings.files.empty() == settings.build_dir.empty()) {
    return Fail("deadlock", MakeError(ErrorCode::kUsage,
                                      "give bitcode files, or -p BUILD_DIR; `heddle deadlock --help` has examples"));
  }
  return Deadlock(settings);
}

}  // namespace

extern const Verb kDeadlockVerb;
const Verb kDeadlockVerb{"deadlock", "find possible deadlocks in bitcode, without running it", Run};

}  // namespace heddle::cli
