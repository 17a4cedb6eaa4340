// heddle refine campaign: long runs over seeds, results in a database, also over several processes under mpirun.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <thread>

#include "analysis/target/interrupt.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/ranks.h"
#include "cli/refine.h"
#include "cli/refine_html.h"
#include "refine/campaign/database.h"
#include "refine/campaign/ranks.h"
#include "refine/campaign/seed_runner.h"

namespace heddle::cli {
namespace {

struct RefineCampaignSettings {
  std::string database;
  uint64_t threads = 1000;
  uint64_t seed = 1;
  uint32_t batch = 100;
  uint32_t jobs = 1;
  std::string html;
  RefineBuilds builds;
  refine::GenOptions gen;
};

// What a resumed campaign must have in common with its first run; the number of threads may grow.
std::map<std::string, std::string> Identity(const RefineCampaignSettings& settings,
                                            const refine::BatchOptions& options) {
  return {{"compilers", settings.builds.compilers},
          {"levels", settings.builds.levels},
          {"targets", settings.builds.targets},
          {"flags", settings.builds.flags},
          {"first seed", fmt::format("{}", settings.seed)},
          {"batch", fmt::format("{}", settings.batch)},
          {"size", fmt::format("{}", settings.gen.size)},
          {"locks", fmt::format("{}", settings.gen.locks)},
          {"generator", settings.gen.csmith ? "csmith" : "heddle"},
          {"environments", fmt::format("{}", options.environments)},
          {"reads", settings.builds.strict_reads ? "strict" : "by value"}};
}

class Campaign {
 public:
  Campaign(const RefineCampaignSettings& settings, refine::BatchOptions batch, refine::Database& database,
           std::map<uint64_t, uint32_t> done)
      : settings_(settings),
        batch_(std::move(batch)),
        database_(database),
        done_(std::move(done)),
        next_(settings.seed) {}

  refine::SeedRange Next() {
    uint64_t end = settings_.seed + settings_.threads;
    // The last range of a run may be short; a run with more threads goes on behind it.
    auto done = done_.lower_bound(next_);
    while (done != done_.end() && done->first == next_) {
      next_ += done->second;
      ++done;
    }
    if (next_ >= end || analysis::Interrupt::Came()) return {};
    uint64_t stop = std::min(next_ + settings_.batch, done == done_.end() ? end : std::min(end, done->first));
    refine::SeedRange range{next_, static_cast<uint32_t>(stop - next_)};
    next_ = stop;
    return range;
  }

  Status Keep(const refine::RangeResult& result) {
    Status added = database_.Add(result);
    threads_ += result.threads;
    failures_ += result.failures.size();
    Progress();
    return added;
  }

  Status Here(uint32_t jobs) {
    refine::RunnerOptions options{batch_, settings_.gen, jobs};
    return refine::RunSeeds(
        options, [this] { return Next(); },
        [this](refine::SeedRange range, const refine::BatchResult& result) {
          // A range that was interrupted is not done.
          return result.stopped ? Status{} : Keep(refine::Summarise(range, result));
        });
  }

  Status One(refine::SeedRange range) {
    refine::RunnerOptions options{batch_, settings_.gen, 1};
    bool given = false;
    return refine::RunSeeds(
        options, [&] { return std::exchange(given, true) ? refine::SeedRange{} : range; },
        [this](refine::SeedRange r, const refine::BatchResult& result) {
          return result.stopped ? Status{} : Keep(refine::Summarise(r, result));
        });
  }

  void Finish() {
    if (terminal_ && shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  void Progress() {
    double now = MonotonicSeconds();
    if (now - last_ < (terminal_ ? 0.2 : 10)) return;
    last_ = now;
    double rate = static_cast<double>(threads_) / std::max(now - start_, 0.001);
    uint64_t end = settings_.seed + settings_.threads;
    double left = static_cast<double>(end > next_ ? end - next_ : 0) / std::max(rate, 0.001);
    fmt::print(stderr, "{}{} threads in this run, {:.0f} a second, about {:.0f} s left, {} failures{}",
               terminal_ ? "\r" : "", threads_, rate, left, failures_, terminal_ ? "\x1b[K" : "\n");
    shown_ = true;
  }

  const RefineCampaignSettings& settings_;
  refine::BatchOptions batch_;
  refine::Database& database_;
  std::map<uint64_t, uint32_t> done_;
  uint64_t next_;
  uint64_t threads_ = 0;
  uint64_t failures_ = 0;
  double start_ = MonotonicSeconds();
  double last_ = MonotonicSeconds();
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

// Tests the thread of one seed alone, with a finding and a reduced program.
std::string TestCommand(const RefineCampaignSettings& settings, uint64_t seed) {
  RefineBuilds usual;
  std::string text = fmt::format("heddle refine test --random 1 --seed {}{}", seed, RefineGeneratorText(settings.gen));
  const RefineBuilds& builds = settings.builds;
  if (builds.compilers != usual.compilers) text += " --cc " + builds.compilers;
  if (builds.levels != usual.levels) text += " --levels " + builds.levels;
  if (builds.targets != usual.targets) text += " --target " + builds.targets;
  if (!builds.flags.empty()) text += fmt::format(" --cflags='{}'", builds.flags);
  if (builds.environments > 0) text += fmt::format(" --environments {}", builds.environments);
  return text + (builds.strict_reads ? " --strict-reads" : "");
}

int Report(const RefineCampaignSettings& settings, refine::Database& database) {
  Result<refine::RangeResult> all = database.Totals();
  if (!all) return Fail("refine campaign", all.error());
  for (const refine::FailureRow& row : all->failures) {
    fmt::print("failure: {} {}\n  {} against {}, {} time{}, first with seed {}\n  {}\n", row.transformed, row.headline,
               row.constraint, row.original, row.count, row.count == 1 ? "" : "s", row.seed,
               TestCommand(settings, row.seed));
  }
  if (!settings.html.empty()) {
    Status written = WriteFileAtomic(settings.html, RefineHtml(*all, settings.database));
    if (!written) return Fail("refine campaign", written.error());
  }
  fmt::print("{}", UndecidedText(all->reasons));
  bool complete = all->threads >= settings.threads;
  size_t kinds = all->failures.size();
  fmt::print("{}: {} of {} threads, {} comparisons, {} equal, {} not decided, {} kind{} of failure\n",
             settings.database, all->threads, settings.threads, all->pairs, all->matched, all->undecided, kinds,
             kinds == 1 ? "" : "s");
  if (!all->failures.empty()) return kExitFindings;
  return complete && all->undecided == 0 ? kExitClean : kExitUndecided;
}

int Worker(const RefineCampaignSettings& settings, const refine::BatchOptions& batch, const std::string& address_file) {
  auto test = [&](refine::SeedRange range) -> Result<refine::RangeResult> {
    refine::RangeResult kept;
    bool given = false;
    refine::RunnerOptions options{batch, settings.gen, 1};
    Status ran = refine::RunSeeds(
        options, [&] { return std::exchange(given, true) ? refine::SeedRange{} : range; },
        [&](refine::SeedRange r, const refine::BatchResult& result) {
          kept = refine::Summarise(r, result);
          return Status{};
        });
    if (!ran) return ran.error();
    return kept;
  };
  Status worked = refine::Work(address_file, 60, test);
  return worked ? static_cast<int>(kExitClean) : Fail("refine campaign", worked.error());
}

int Leader(const RefineCampaignSettings& settings, Campaign& campaign, const std::string& address_file) {
  refine::LeaderOptions options;
  options.address_file = address_file;
  options.next = [&] { return campaign.Next(); };
  options.done = [&](const refine::RangeResult& result) { return campaign.Keep(result); };
  options.test_here = [&](refine::SeedRange range) { return campaign.One(range); };
  options.stop = [] { return analysis::Interrupt::Came(); };
  Status led = refine::Lead(options);
  (void)settings;
  return led ? -1 : Fail("refine campaign", led.error());
}

int RunCampaign(const RefineCampaignSettings& settings) {
  Result<refine::BatchOptions> batch = RefineBatchOptions(settings.builds, 2);
  if (!batch) return Fail("refine campaign", batch.error());
  analysis::Interrupt interrupt;
  batch->stop = [] { return analysis::Interrupt::Came(); };
  Rank rank = RankOfProcess();
  std::string address_file = settings.database + ".leader";
  if (rank.number > 0) return Worker(settings, *batch, address_file);
  Result<std::unique_ptr<refine::Database>> database =
      refine::Database::Open(settings.database, Identity(settings, *batch));
  if (!database) return Fail("refine campaign", database.error());
  Result<std::map<uint64_t, uint32_t>> done = (*database)->Done();
  if (!done) return Fail("refine campaign", done.error());
  Campaign campaign(settings, *batch, **database, done.Take());
  if (rank.count > 1) {
    if (int code = Leader(settings, campaign, address_file); code >= 0) return code;
  } else if (Status ran = campaign.Here(settings.jobs); !ran) {
    return Fail("refine campaign", ran.error());
  }
  campaign.Finish();
  return Report(settings, **database);
}

}  // namespace

int RunRefineCampaign(const Arguments& arguments) {
  CLI::App app(
      "Tests many random threads and keeps the results in a database. Started again with the same database, it\n"
      "goes on where it was stopped or killed. Under mpirun, rank 0 hands out seeds and the others test.",
      "heddle refine campaign");
  RefineCampaignSettings settings;
  settings.jobs = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("DATABASE", settings.database, "SQLite file; made when it is not there")->required();
  app.add_option("--threads", settings.threads, "random threads in all")->capture_default_str();
  app.add_option("--seed", settings.seed, "of the first one")->capture_default_str();
  app.add_option("--batch", settings.batch, "threads of one compilation")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--jobs", settings.jobs, "compilations at a time")->check(CLI::Range(1, 256));
  app.add_option("--html", settings.html, "write a summary to this file")->type_name("FILE");
  AddRefineGenerator(app, settings.gen);
  AddRefineBuilds(app, settings.builds);
  app.footer(
      "  heddle refine campaign gcc.db --threads 100000 --cc gcc --levels O0,O2,O3\n"
      "  mpirun --enable-recovery -np 4 heddle refine campaign gcc.db --threads 100000");
  if (int code = Parse(app, arguments); code >= 0) return code;
  return RunCampaign(settings);
}

}  // namespace heddle::cli
