// heddle refine test: builds, runs and compares a source file or random threads.
#include "cli/refine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include "analysis/target/interrupt.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/refine_source.h"
#include "cli/report_output.h"
#include "findings/report_json.h"
#include "refine/campaign/reduce.h"
#include "refine/campaign/report.h"
#include "refine/campaign/seed_runner.h"
#include "refine/trace/command.h"

namespace heddle::cli {
namespace {

struct RefineTestSettings {
  std::string file;
  std::vector<std::string> threads;
  uint64_t random = 0;
  uint64_t seed = 1;
  uint32_t jobs = 1;
  uint32_t batch = 100;
  uint32_t reductions = 3;
  bool no_reduce = false;
  std::string root;
  std::string outcomes;
  RefineBuilds builds;
  refine::GenOptions gen;
  ReportOptions report;
};

Result<refine::BatchResult> TestFile(const RefineTestSettings& settings, const refine::BatchOptions& options) {
  Result<refine::ScratchFolder> folder = refine::ScratchFolder::Make();
  if (!folder) return folder.error();
  if (Result<std::string> there = ReadFile(settings.file); !there) return there.error();
  if (Status covered = RefineRefuse(settings.file, options.specs[0], folder->path()); !covered) return covered.error();
  Result<std::vector<refine::ThreadCase>> threads =
      RefineThreadsOf(settings.file, settings.threads, options.specs[0], folder->path());
  if (!threads) return threads.error();
  return refine::TestBatch(settings.file, *threads, folder->path(), options);
}

// One line for each comparison, for other programs.
class OutcomeList {
 public:
  explicit OutcomeList(const std::string& path) : file_(path.empty() ? nullptr : std::fopen(path.c_str(), "w")) {
    if (file_ != nullptr) fmt::print(file_, "seed,thread,original,compiled,environment,outcome,constraint\n");
  }
  ~OutcomeList() {
    if (file_ != nullptr) std::fclose(file_);
  }
  OutcomeList(const OutcomeList&) = delete;
  OutcomeList& operator=(const OutcomeList&) = delete;

  bool open() const { return file_ != nullptr; }
  void Add(const refine::ThreadCase& thread, const refine::BuildSpec& original, const refine::BuildSpec& transformed,
           uint64_t environment, const refine::PairResult& result) {
    static constexpr const char* kWords[] = {"equal", "differs", "undecided"};
    std::lock_guard guard(mutex_);
    fmt::print(file_, "{},{},{},{},{},{},{}\n", thread.seed, thread.function, original.Label(), transformed.Label(),
               environment, kWords[static_cast<size_t>(result.outcome)],
               refine::ConstraintName(result.violation.constraint));
  }

 private:
  std::FILE* file_;
  std::mutex mutex_;
};

class Progress {
 public:
  explicit Progress(uint64_t all) : all_(all), start_(MonotonicSeconds()), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { Clear(); }

  void Show(const refine::BatchResult& so_far) {
    double now = MonotonicSeconds();
    if (now - last_ < (terminal_ ? 0.2 : 10)) return;
    last_ = now;
    double rate = static_cast<double>(so_far.threads) / std::max(now - start_, 0.001);
    double left = static_cast<double>(all_ - so_far.threads) / std::max(rate, 0.001);
    fmt::print(stderr, "{}{} of {} threads, {:.0f} a second, about {:.0f} s left, {} findings{}", terminal_ ? "\r" : "",
               so_far.threads, all_, rate, left, so_far.failures.size(), terminal_ ? "\x1b[K" : "\n");
    shown_ = true;
  }
  void Clear() {
    if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  uint64_t all_;
  double start_;
  double last_ = MonotonicSeconds();
  bool terminal_;
  bool shown_ = false;
};

Result<refine::BatchResult> TestRandom(const RefineTestSettings& settings, const refine::BatchOptions& batch) {
  refine::RunnerOptions options{batch, settings.gen, settings.jobs};
  uint64_t next = settings.seed;
  uint64_t end = settings.seed + settings.random;
  refine::BatchResult all;
  Progress progress(settings.random);
  auto hand_out = [&] {
    if (analysis::Interrupt::Came()) all.stopped = true;
    if (next >= end || all.stopped) return refine::SeedRange{};
    refine::SeedRange range{next, static_cast<uint32_t>(std::min<uint64_t>(settings.batch, end - next))};
    next += range.count;
    return range;
  };
  auto done = [&](refine::SeedRange, const refine::BatchResult& result) {
    all.Add(result);
    progress.Show(all);
    return Status{};
  };
  Status ran = refine::RunSeeds(options, hand_out, done);
  if (!ran) return ran.error();
  return all;
}

Result<std::string> SourceOf(const RefineTestSettings& settings, const refine::Failure& failure) {
  if (settings.random == 0) return ReadFile(settings.file);
  Result<refine::GeneratedThread> thread = refine::MakeThread(failure.thread.seed, 0, settings.gen);
  if (!thread) return thread.error();
  return refine::ProgramText({*thread});
}

std::string CommandFor(const refine::Failure& failure, const std::string& program, const RefineBuilds& builds) {
  std::string cc = failure.original.compiler;
  if (failure.transformed.compiler != cc) cc += "," + failure.transformed.compiler;
  std::string levels = failure.original.level;
  if (failure.transformed.level != levels) levels += "," + failure.transformed.level;
  std::string text =
      fmt::format("heddle refine test --cc {} --levels {} --target {}", cc, levels, failure.original.target->name);
  if (!builds.flags.empty()) text += fmt::format(" --cflags='{}'", builds.flags);
  if (builds.strict_reads) text += " --strict-reads";
  return text + " --environments 32 '" + program + "'";
}

// The failure in a file of its own, whose lines and names its report shows. It stays as it is when it does not show
// there.
Status TestAlone(refine::Failure& failure, const std::string& text, const std::string& folder,
                 const refine::BatchOptions& options) {
  std::string source = folder + "/final.c";
  if (Status written = WriteFileAtomic(source, text); !written) return written;
  refine::BatchOptions two = options;
  two.specs = {failure.original, failure.transformed};
  two.environments = 1;
  two.environment_seed = failure.environment_seed;
  two.outcome = nullptr;
  Result<refine::BatchResult> again = refine::TestBatch(source, {failure.thread}, folder + "/final", two);
  if (again && !again->failures.empty()) failure = again->failures[0];
  return {};
}

// The program of a finding beside the report, reduced, and the finding on it.
Result<findings::Finding> MakeFinding(const RefineTestSettings& settings, refine::Failure failure, size_t number,
                                      const std::string& folder, const refine::BatchOptions& options) {
  Result<std::string> source_text = SourceOf(settings, failure);
  if (!source_text) return source_text.error();
  std::string text = source_text.Take();
  if (settings.random > 0) failure.thread = {"thread_0", "t0_", failure.thread.seed};
  bool reduce = !settings.no_reduce && number <= settings.reductions;
  if (reduce || settings.random > 0) {
    Result<refine::ScratchFolder> scratch = refine::ScratchFolder::Make();
    if (!scratch) return scratch.error();
    if (reduce) text = refine::ReduceFailure(failure, text, scratch->path(), options, 400);
    if (Status done = TestAlone(failure, text, scratch->path(), options); !done) return done.error();
  }
  std::string program = fmt::format("{}/F{}.c", folder, number);
  if (Status written = WriteFileAtomic(program, text); !written) return written.error();
  findings::Finding finding = refine::FindingOf(failure, program, text);
  finding.replay = CommandFor(failure, program, settings.builds);
  finding.help = fmt::format("the program{} is {}", reduce ? ", made small," : "", program);
  return finding;
}

std::string Scope(const refine::BatchResult& result, const refine::BatchOptions& options) {
  std::string builds;
  for (const refine::BuildSpec& spec : options.specs) builds += (builds.empty() ? "" : ", ") + spec.Label();
  return fmt::format("{} thread{}, {} environment{} each, {} of {} comparisons equal; builds: {}", result.threads,
                     result.threads == 1 ? "" : "s", options.environments, options.environments == 1 ? "" : "s",
                     result.matched, result.pairs, builds);
}

// Why "no findings" cannot be said; empty when it can.
std::string WhyUndecided(const refine::BatchResult& result) {
  std::string matched = fmt::format("{} of {} comparisons equal", result.matched, result.pairs);
  if (result.stopped) return "interrupted, " + matched;
  if (result.undecided == 0 && result.matched > 0) return "";
  std::string threads = fmt::format("{} thread{}", result.threads, result.threads == 1 ? "" : "s");
  return fmt::format("{}, {}, {} not decided", threads, matched, result.undecided);
}

Result<findings::Report> MakeReport(const RefineTestSettings& settings, const refine::BatchResult& result,
                                    const refine::BatchOptions& options, const std::string& folder) {
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = settings.random > 0 ? "random threads" : settings.file;
  report.coverage.scope = Scope(result, options);
  report.coverage.events = result.events;
  report.coverage.runs = result.pairs;
  if (result.stopped) report.coverage.bound = "an interrupt";
  if (result.failures.empty()) report.coverage.undecided = WhyUndecided(result);
  if (result.harmless_reads > 0) {
    report.coverage.note = fmt::format("{} reads that the original does not do had no effect", result.harmless_reads);
  }
  size_t number = 1;
  for (const refine::Failure& failure : result.failures) {
    Result<findings::Finding> finding = MakeFinding(settings, failure, number, folder, options);
    if (!finding) return finding.error();
    findings::AddFinding(report, finding.Take());
    if (++number > 100) break;
  }
  return report;
}

int Test(const RefineTestSettings& settings) {
  Result<refine::BatchOptions> options = RefineBatchOptions(settings.builds, settings.random > 0 ? 2 : 8);
  if (!options) return Fail("refine test", options.error());
  analysis::Interrupt interrupt;
  options->stop = [] { return analysis::Interrupt::Came(); };
  OutcomeList list(settings.outcomes);
  if (!settings.outcomes.empty() && !list.open()) return Fail("refine test", ErrnoError(settings.outcomes, errno));
  if (list.open()) {
    options->outcome = [&list](const auto& thread, const auto& original, const auto& transformed, uint64_t environment,
                               const auto& result) { list.Add(thread, original, transformed, environment, result); };
  }
  double start = MonotonicSeconds();
  Result<refine::BatchResult> result =
      settings.random > 0 ? TestRandom(settings, *options) : TestFile(settings, *options);
  if (!result) return Fail("refine test", result.error());
  std::string root = analysis::ResultsRoot(settings.root);
  Result<std::string> folder = analysis::NewResults(root, "refine");
  if (!folder) return Fail("refine test", folder.error());
  Result<findings::Report> report = MakeReport(settings, *result, *options, *folder);
  if (!report) return Fail("refine test", report.error());
  report->coverage.seconds = MonotonicSeconds() - start;
  int code = EmitReport("refine test", *report, settings.report, stderr);
  fmt::print(stderr, "{}", UndecidedText(result->reasons));
  Status saved = findings::SaveReport(*report, *folder + "/report.json");
  if (saved) saved = analysis::PublishResults(root, *folder);
  if (!saved) return Fail("refine test", saved.error());
  return code;
}

}  // namespace

int RunRefineTest(const Arguments& arguments) {
  CLI::App app(
      "Builds threads with every compiler, level and target, runs them with the same environments, and compares\n"
      "each build with the lowest level of its compiler and of the first compiler.",
      "heddle refine test");
  RefineTestSettings settings;
  settings.jobs = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("FILE", settings.file, "a C file; its threads are the functions whose names begin with `thread`");
  app.add_option("--thread", settings.threads, "the thread's function (may be repeated)")->allow_extra_args(false);
  auto* random = app.add_option("--random", settings.random, "so many random threads instead of a file")
                     ->check(CLI::Range(uint64_t{1}, uint64_t{100'000'000}));
  app.add_option("--seed", settings.seed, "of the first random thread")->needs(random)->capture_default_str();
  app.add_option("--batch", settings.batch, "random threads of one compilation")
      ->needs(random)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--jobs", settings.jobs, "compilations at a time")->needs(random)->check(CLI::Range(1, 256));
  AddRefineGenerator(app, settings.gen);
  AddRefineBuilds(app, settings.builds);
  app.add_flag("--no-reduce", settings.no_reduce, "keep the programs of findings as they are");
  app.add_option("--outcomes", settings.outcomes, "write a line for each comparison (CSV)")->type_name("FILE");
  app.add_option("-o", settings.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, settings.report);
  app.footer(
      "  heddle refine test thread.c\n"
      "  heddle refine test --cc gcc --levels O0,O2 --cflags=-fallow-store-data-races thread.c\n"
      "  heddle refine test --random 1000 --target x86_64,aarch64,riscv64");
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (settings.file.empty() == (settings.random == 0)) {
    return Fail("refine test", MakeError(ErrorCode::kUsage, "give a C file, or --random N"));
  }
  if (Status right = CheckReportInputs(settings.report); !right) return Fail("refine test", right.error());
  return Test(settings);
}

}  // namespace heddle::cli
