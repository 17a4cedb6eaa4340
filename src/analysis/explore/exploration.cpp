#include "analysis/explore/exploration.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "analysis/explore/executor.h"
#include "analysis/explore/explored_findings.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/outcome.h"
#include "sched/operation.h"

namespace heddle::analysis {
namespace {

using explore::End;
using Clock = std::chrono::steady_clock;

// A search that had to cut an execution cannot become complete: without a limit it goes on for so long.
constexpr double kSecondsWithCut = 20;

std::string Times(uint64_t count) { return fmt::format("{} execution{}", count, count == 1 ? "" : "s"); }

class Exploration {
 public:
  Exploration(const ExplorationOptions& options, const std::function<void(const ExplorationProgress&)>& tell)
      : options_(options), tell_(tell), found_(options), preemptions_(options.preemptions) {}

  Result<findings::Report> Run() {
    ExecutorOptions executor;
    TargetOptions& target = executor.target;
    target.command = options_.command;
    target.folder = options_.folder;
    target.visible = options_.visible;
    target.memory = options_.memory;
    target.races = options_.races;
    target.accesses = Prunes();
    target.in_place = options_.in_place;
    target.nondet = options_.nondet;
    target.max_steps = options_.depth;
    target.execution_seconds = options_.execution_seconds;
    target.deadline = options_.deadline;
    executor.jobs = options_.jobs;
    // The log of a search has no accesses: one that prunes cannot go on from it.
    executor.log = Prunes() ? "" : options_.folder + "/search.log";
    executor.resume = options_.resume.empty() ? "" : options_.resume + "/search.log";
    executor.identity = Identity();
    Result<std::unique_ptr<Executor>> started = Executor::Start(executor);
    if (!started) return started.error();
    executor_ = started.Take();
    Interrupt interrupt;
    std::optional<explore::Algorithm> algorithm = explore::AlgorithmNamed(options_.algorithm);
    Status done = algorithm ? Deepen(*algorithm) : Sample();
    // What was found before the target went away is worth telling.
    if (!done && executions_ + blocked_ == 0) return done.error();
    target_gone_ = !done;
    if (!done) stopped_by_ = done.error().message;
    FillReport(algorithm.has_value());
    return found_.report();
  }

 private:
  bool IsC11() const { return options_.memory == "c11"; }

  // Only the search that does without bounds. One that goes on does so as it began.
  bool Prunes() const {
    return options_.only_races && options_.algorithm == "optimal" && !IsC11() && !options_.preemptions &&
           !options_.delays && !options_.deepen && options_.resume.empty();
  }

  // What a search that goes on must agree with.
  SearchIdentity Identity() const {
    std::string text = fmt::format("program {}", CommandText(options_.command));
    std::error_code failure;
    auto changed = std::filesystem::last_write_time(options_.command[0], failure).time_since_epoch().count();
    if (!failure) text += fmt::format(" of {}", changed);
    text += fmt::format(
        "\nalgorithm {} seed {} visible {} memory {} preemptions {} delays {} deepen {} depth {} nondet {} races {}\n",
        options_.algorithm, options_.seed, options_.visible, options_.memory,
        options_.preemptions ? std::to_string(*options_.preemptions) : "any",
        options_.delays ? std::to_string(*options_.delays) : "any", options_.deepen, options_.depth, options_.nondet,
        options_.races);
    return {text};
  }

  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool LimitReached() {
    if (options_.executions != 0 && executions_ + blocked_ >= options_.executions) {
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
    const explore::Execution& execution = performed.execution;
    bool redundant = execution.end == End::kAsleep || execution.end == End::kBlocked;
    ++(redundant ? blocked_ : executions_);
    events_ += execution.events.size();
    longest_ = std::max<uint64_t>(longest_, execution.events.size());
    cut_ += execution.end == End::kDepth ? 1 : 0;
    hangs_ += performed.hangs ? 1 : 0;
    if (cut_ + hangs_ != 0 && !first_cut_) first_cut_ = Elapsed();
    CountOutcome(performed);
    Result<bool> fresh = found_.Consider(performed, executor_->threads());
    if (!fresh) return fresh.error();
    return {};
  }

  void CountOutcome(const Performed& performed) {
    if (performed.signal != 0 || performed.hangs || performed.execution.end != End::kDone) return;
    ++(performed.code == 0 ? outcomes_.succeeded : outcomes_.failed);
    for (const std::string& test : performed.failed_tests) ++outcomes_.tests[test];
  }

  void Tell(double fraction) {
    if (Elapsed() < told_ + 0.2) return;
    told_ = Elapsed();
    tell_({executions_ + blocked_, found_.report().findings.size(), fraction, told_});
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
    std::unique_ptr<explore::Search> search = explore::MakeSearch({algorithm, preemptions_, options_.delays, Prunes()});
    explore::Request request;
    while (search->Next(&request)) {
      if (LimitReached()) {
        fraction_ = search->Fraction();
        pruning_ = search->PruningText();
        return {};
      }
      Result<Performed> performed = executor_->Perform(request);
      if (!performed) return performed.error();
      Status taken = Take(*performed);
      if (!taken) return taken;
      if (!search->Executed(performed->execution)) Diverged(search->difference());
      timeouts_cut_ = timeouts_cut_ || executor_->TimeoutsCut();
      Prepare(*search);
      Tell(search->Fraction());
    }
    bounded_ = search->Cut();
    gap_ = search->Gap();
    pruning_ = search->PruningText();
    return {};
  }

  void Prepare(const explore::Search& search) {
    if (executor_->jobs() == 1) return;
    std::vector<explore::Request> requests;
    search.Ahead(executor_->jobs(), &requests);
    executor_->Prepare(requests);
  }

  Status Sample() {
    for (uint64_t seed = options_.seed; !LimitReached(); ++seed) {
      Result<Performed> performed = executor_->Sample(options_.algorithm, seed);
      if (!performed) return performed.error();
      Status taken = Take(*performed);
      if (!taken) return taken;
      if (!performed->notes.empty()) ++racy_;
      Tell(0);
    }
    return {};
  }

  static std::string OperationText(const wire::ExploredEvent& event) {
    const char* name = sched::OperationName(event.operation);
    return fmt::format("{} at {:#x}", name == nullptr ? "?" : name, event.pc);
  }

  void Diverged(const explore::Difference& difference) {
    if (difference.absent && executor_->TimeoutsCut()) return;  // it was not let, that is all
    if (++diverged_ > 1) return;
    const std::vector<std::string>& names = executor_->threads();
    auto thread = [&](uint8_t index) { return index < names.size() ? names[index] : "?"; };
    bool same = difference.before.thread == difference.now.thread &&
                OperationText(difference.before) == OperationText(difference.now);
    if (same && !difference.absent) {
      divergence_ = fmt::format("step {}: another value or object than before", difference.step + 1);
      return;
    }
    divergence_ = difference.absent ? fmt::format("step {}: {} ({}) could not be performed again", difference.step + 1,
                                                  thread(difference.before.thread), OperationText(difference.before))
                                    : fmt::format("step {}: before {} {}, now {} {}", difference.step + 1,
                                                  thread(difference.before.thread), OperationText(difference.before),
                                                  thread(difference.now.thread), OperationText(difference.now));
  }

  void FillReport(bool searched) {
    findings::Report& report = found_.report();
    report.tool_version = HEDDLE_VERSION;
    report.program = options_.command[0];
    report.arguments.assign(options_.command.begin() + 1, options_.command.end());
    findings::Coverage& coverage = report.coverage;
    coverage.executions = executions_;
    coverage.blocked = blocked_;
    coverage.events = events_;
    coverage.threads = executor_->threads().size();
    coverage.seconds = Elapsed();
    coverage.complete = searched && stopped_by_.empty() && cut_ == 0 && hangs_ == 0 && diverged_ == 0 && !bounded_ &&
                        !timeouts_cut_ && !executor_->MixedSizes() && executor_->Gaps().empty() && gap_.empty();
    bool undecided = searched && (cut_ != 0 || hangs_ != 0 || diverged_ != 0 || !executor_->Gaps().empty() ||
                                  !gap_.empty() || target_gone_ || timeouts_cut_ || executor_->MixedSizes());
    coverage.scope = coverage.complete ? Scope() : "";
    coverage.succeeded = outcomes_.succeeded;
    coverage.failed = outcomes_.failed;
    ExplainFailures(outcomes_, coverage.complete, report);
    coverage.bound = (undecided ? "not complete: " : "") + Bound(searched);
    coverage.note = executor_->ForkedText();
    if (!pruning_.empty()) coverage.note += (coverage.note.empty() ? "" : "; ") + pruning_;
    std::error_code failure;
    if (coverage.complete) {
      std::filesystem::remove(options_.folder + "/search.log", failure);
    } else if (!stopped_by_.empty() && executor_->Saved()) {
      coverage.note += fmt::format("{}--resume {} goes on", coverage.note.empty() ? "" : "; ", options_.shown);
    }
  }

  std::string Scope() const {
    if (IsC11()) return "all executions that RC11 without load buffering allows explored";
    std::string what = options_.visible == "all" ? "all interleavings" : "all interleavings of visible operations";
    return what + " explored";
  }

  static std::string Executions(uint64_t count) {
    return count == 1 ? "1 execution" : fmt::format("{} executions", count);
  }

  std::string Bound(bool searched) const {
    std::string text;
    auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (!searched) add(fmt::format("{} samples by {}, {} of them racy", executions_, options_.algorithm, racy_));
    if (bounded_ && stopped_by_.empty()) {
      add(options_.delays ? fmt::format("complete up to {} delays", *options_.delays)
                          : fmt::format("complete up to {} preemptions", *preemptions_));
    }
    if (options_.deepen && !stopped_by_.empty() && *preemptions_ > 0) {
      add(fmt::format("complete up to {} preemptions", *preemptions_ - 1));
    }
    if (!stopped_by_.empty()) {
      std::string stopped = "stopped by " + stopped_by_;
      if (fraction_ > 0 && fraction_ < 1) {
        stopped += fmt::format(": {} of about {}", executions_ + blocked_,
                               AboutText(static_cast<double>(executions_ + blocked_) / fraction_));
      }
      add(stopped);
    }
    for (const std::string& gap : executor_->Gaps()) add(gap);
    if (!gap_.empty()) add(gap_);
    if (timeouts_cut_) add("waits with a limit run out at most twice in each thread while others can go");
    if (executor_->MixedSizes()) add("atomics of different sizes at one address read the latest value only");
    if (cut_ != 0) add(fmt::format("{} cut at {} steps", Times(cut_), options_.depth));
    if (hangs_ != 0) add(fmt::format("{} did not end in {:g} s", Times(hangs_), options_.execution_seconds));
    if (diverged_ != 0) add(fmt::format("{} could not be repeated ({})", Times(diverged_), divergence_));
    return text;
  }

  const ExplorationOptions& options_;
  const std::function<void(const ExplorationProgress&)>& tell_;
  ExploredFindings found_;
  std::unique_ptr<Executor> executor_;
  Clock::time_point start_ = Clock::now();
  std::optional<uint32_t> preemptions_;  // the bound of the search under way
  uint64_t executions_ = 0;
  uint64_t blocked_ = 0;
  uint64_t events_ = 0;
  uint64_t longest_ = 0;
  uint64_t cut_ = 0;
  uint64_t hangs_ = 0;
  std::optional<double> first_cut_;  // when the first execution was cut or killed
  Outcomes outcomes_;
  uint64_t racy_ = 0;
  uint64_t diverged_ = 0;
  std::string divergence_;
  std::string stopped_by_;
  std::string pruning_;
  double fraction_ = 0;
  double told_ = 0;
  std::string gap_;  // of the search itself
  bool target_gone_ = false;
  bool bounded_ = false;
  bool timeouts_cut_ = false;
};

}  // namespace

std::string AboutText(double count) {
  constexpr double kReadable = 1e9;
  if (count >= kReadable) return fmt::format("{:.2g}", count);
  double unit = 1;
  while (count / unit >= 100) unit *= 10;
  return fmt::format("{:.0f}", std::round(count / unit) * unit);
}

Result<findings::Report> Explore(const ExplorationOptions& options,
                                 const std::function<void(const ExplorationProgress&)>& tell) {
  return Exploration(options, tell).Run();
}

}  // namespace heddle::analysis
