#include "analysis/explore/exploration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analysis/explore/executor.h"
#include "analysis/explore/explored_findings.h"
#include "analysis/explore/race_consequences.h"
#include "analysis/explore/ranked_exploration.h"
#include "analysis/explore/search_coverage.h"
#include "analysis/explore/search_totals.h"
#include "analysis/target/interrupt.h"
#include "explore/trace_estimate.h"

namespace heddle::analysis {
namespace {

using Clock = std::chrono::steady_clock;

// A search that had to cut an execution cannot become complete: without a limit it goes on for so long.
constexpr double kSecondsWithCut = 20;

std::string Times(uint64_t count) { return fmt::format("{} execution{}", count, count == 1 ? "" : "s"); }

// Updates that commute learn nothing from each other in such an execution. What was found may be ordered by that in
// fact: a search in which all of them learn decides.
bool RacesByOpenOrder(const Performed& performed) {
  const std::vector<wire::ExploredEvent>& events = performed.execution.events;
  return !performed.notes.empty() && std::any_of(events.begin(), events.end(), [](const wire::ExploredEvent& event) {
    return event.commutes != wire::Commutes::kNo && event.commutes != wire::Commutes::kArrives;
  });
}

class Exploration {
 public:
  Exploration(const ExplorationOptions& options, const std::function<void(const ExplorationProgress&)>& tell)
      : options_(options), tell_(tell), found_(options), preemptions_(options.preemptions) {}

  Result<findings::Report> Run() {
    ExecutorOptions executor;
    executor.program = options_.target;
    executor.target = TargetOf(options_);
    executor.target.accesses = Prunes();
    executor.jobs = options_.jobs;
    // The log of a search has no accesses: one that prunes cannot go on from it.
    executor.log = Prunes() ? "" : options_.folder + "/search.log";
    executor.resume = options_.resume.empty() ? "" : options_.resume + "/search.log";
    executor.identity = IdentityOf(options_);
    Result<std::unique_ptr<Executor>> started = Executor::Start(executor);
    if (!started) return started.error();
    executor_ = started.Take();
    Interrupt interrupt;
    std::optional<explore::Algorithm> algorithm = explore::AlgorithmNamed(options_.algorithm);
    Status done = algorithm ? Deepen(*algorithm) : Sample();
    // What was found before the target went away is worth telling.
    if (!done && totals_.performed() == 0) return done.error();
    target_gone_ = !done;
    if (!done) stopped_by_ = done.error().message;
    FillReport(algorithm.has_value());
    return found_.report();
  }

  const std::set<uint64_t>& racing() const { return found_.racing(); }
  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  bool IsC11() const { return options_.memory == wire::MemoryModel::kC11; }

  // Only the search that does without bounds. One that goes on does so as it began.
  bool Prunes() const {
    return options_.only_races && options_.algorithm == "optimal" && !IsC11() && !options_.preemptions &&
           !options_.delays && !options_.deepen && options_.resume.empty();
  }

  bool LimitReached() {
    if (options_.executions != 0 && totals_.performed() >= options_.executions) {
      stopped_by_ = fmt::format("the limit of {}", Times(options_.executions));
    } else if (options_.seconds > 0 && Elapsed() > options_.seconds) {
      stopped_by_ = fmt::format("the time limit of {:g} s", options_.seconds);
    } else if (Interrupt::Came()) {
      stopped_by_ = "an interrupt";
    } else if (options_.first && !found_.report().findings.empty()) {
      stopped_by_ = "the first finding";
    } else if (options_.seconds == 0 && first_cut_ && Elapsed() > *first_cut_ + kSecondsWithCut) {
      stopped_by_ = fmt::format("the search itself, {:g} s after the first execution without an end (--time for more)",
                                kSecondsWithCut);
    }
    return !stopped_by_.empty();
  }

  Status Take(const Performed& performed) {
    totals_.Count(performed);
    if (totals_.cut + totals_.hangs != 0 && !first_cut_) first_cut_ = Elapsed();
    Result<bool> fresh = found_.Consider(performed, executor_->threads());
    if (!fresh) return fresh.error();
    return {};
  }

  void Tell(const explore::Search* search) {
    if (Elapsed() < told_ + 0.2) return;
    told_ = Elapsed();
    tell_({totals_.performed(), found_.report().findings.size(), EstimateOf(search), expected_, told_});
  }

  // With what searches before this one performed.
  std::optional<Estimate> EstimateOf(const explore::Search* search) const {
    if (search == nullptr) return std::nullopt;
    Estimate estimate = size_.Now(search->Fraction());
    estimate.executions += static_cast<double>(before_);
    return estimate;
  }

  // Before the search goes on: what its first execution lets expect. With bounds, and for algorithms that perform
  // equivalent executions, that is another number.
  void Expect(const explore::Execution& first, explore::Algorithm algorithm) {
    bool classes = algorithm == explore::Algorithm::kOptimal || algorithm == explore::Algorithm::kSource;
    if (!classes || preemptions_ || options_.delays || Prunes()) return;
    if (std::optional<explore::TraceEstimate> traces = explore::EstimateTraces(first); traces) {
      expected_ = Estimate{traces->executions, traces->error};
    }
  }

  // What needs few preemptions is found first, and shown with few.
  Status Deepen(explore::Algorithm algorithm) {
    if (!options_.deepen) return Search(algorithm);
    for (uint32_t bound = 0;; ++bound) {
      preemptions_ = bound;
      Status done = Search(algorithm);
      bool last = options_.preemptions && bound == *options_.preemptions;
      if (!done || !bounded_ || last || !stopped_by_.empty()) return done;
    }
  }

  Status Search(explore::Algorithm algorithm) {
    // What loads read is a choice within source sets; wakeup sequences do not carry it.
    if (IsC11() && algorithm == explore::Algorithm::kOptimal) algorithm = explore::Algorithm::kSource;
    bool commute = options_.commute && !IsC11();
    auto make = [&] { return explore::MakeSearch({algorithm, preemptions_, options_.delays, Prunes(), commute}); };
    std::unique_ptr<explore::Search> search = make();
    before_ = totals_.performed();
    size_ = {};
    explore::Request request;
    while (search->Next(&request)) {
      if (LimitReached()) {
        estimate_ = EstimateOf(search.get());
        pruning_ = search->PruningText();
        return {};
      }
      Result<Performed> performed = executor_->Perform(request);
      if (!performed) return performed.error();
      if (request.commute && RacesByOpenOrder(*performed)) {
        totals_.Count(*performed);
        commute = false;
        search = make();
        continue;
      }
      Status taken = Take(*performed);
      if (!taken) return taken;
      if (!search->Executed(performed->execution)) totals_.CountDivergence(search->difference(), *executor_);
      totals_.timeouts_cut = totals_.timeouts_cut || executor_->TimeoutsCut();
      if (totals_.performed() == 1) Expect(performed->execution, algorithm);
      size_.Count([&] { return search->Fraction(); });
      executor_->Prepare(*search);
      Tell(search.get());
    }
    bounded_ = search->Cut();
    if (std::string gap = search->Gap(); !gap.empty()) totals_.gaps.insert(gap);
    pruning_ = search->PruningText();
    return {};
  }

  Status Sample() {
    SamplePlan plan;
    if (!wire::FromWord(options_.algorithm, &plan.strategy)) {
      return MakeError(ErrorCode::kUsage, "no such algorithm: " + options_.algorithm);
    }
    for (plan.seed = options_.seed; !LimitReached(); ++plan.seed) {
      Result<Performed> performed = executor_->Sample(plan);
      if (!performed) return performed.error();
      // How long executions are shows in the first.
      if (plan.length == 0) plan.length = std::max<uint64_t>(1, performed->execution.events.size());
      Status taken = Take(*performed);
      if (!taken) return taken;
      if (!performed->notes.empty()) ++racy_;
      Tell(nullptr);
    }
    return {};
  }

  void FillReport(bool searched) {
    totals_.CountTargets(*executor_);
    SearchEnd end;
    end.searched = searched;
    end.stopped_by = stopped_by_;
    end.target_gone = target_gone_;
    end.bounded = bounded_;
    end.preemptions = preemptions_;
    end.estimate = estimate_;
    end.expected = expected_;
    end.racy = racy_;
    end.unrepeated = found_.Settle(totals_.gaps.empty());
    end.pruning = pruning_;
    end.seconds = Elapsed();
    end.threads = executor_->threads().size();
    end.saved = !stopped_by_.empty() && executor_->Saved();
    FillCoverage(options_, totals_, end, found_.report());
    std::error_code failure;
    if (found_.report().coverage.complete) std::filesystem::remove(options_.folder + "/search.log", failure);
  }

  const ExplorationOptions& options_;
  const std::function<void(const ExplorationProgress&)>& tell_;
  ExploredFindings found_;
  std::unique_ptr<Executor> executor_;
  SearchTotals totals_;
  Clock::time_point start_ = Clock::now();
  std::optional<uint32_t> preemptions_;  // the bound of the search under way
  std::optional<double> first_cut_;      // when the first execution was cut or killed
  uint64_t racy_ = 0;
  std::string stopped_by_;
  std::string pruning_;
  std::optional<Estimate> estimate_;  // of a search that was stopped
  std::optional<Estimate> expected_;  // from the first execution
  SearchEstimate size_;
  uint64_t before_ = 0;  // executions of earlier searches
  double told_ = 0;
  bool target_gone_ = false;
  bool bounded_ = false;
};

}  // namespace

TargetOptions TargetOf(const ExplorationOptions& options) {
  TargetOptions target;
  target.command = options.command;
  target.folder = options.folder;
  target.visible = options.visible;
  target.memory = options.memory;
  target.time = options.time;
  target.races = options.races;
  target.in_place = options.in_place;
  target.nondet = options.nondet;
  target.max_steps = options.depth;
  target.execution_seconds = options.execution_seconds;
  target.deadline = options.deadline;
  return target;
}

Result<findings::Report> Explore(const ExplorationOptions& options,
                                 const std::function<void(const ExplorationProgress&)>& tell) {
  if (!options.address_file.empty()) return LeadExploration(options, tell);
  double seconds = 0;
  auto search = [&](const ExplorationOptions& given) -> Result<Searched> {
    Exploration exploration(given, tell);
    Result<findings::Report> report = exploration.Run();
    if (!report) return report.error();
    seconds = exploration.Elapsed();
    return Searched{report.Take(), exploration.racing()};
  };
  Result<Searched> searched = search(options);
  if (!searched) return searched.error();
  FollowRaces(options, seconds, search, *searched);
  return std::move(searched->report);
}

}  // namespace heddle::analysis
