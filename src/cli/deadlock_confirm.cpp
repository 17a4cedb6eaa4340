#include "cli/deadlock_confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "cli/replay_input.h"

namespace heddle::cli {
namespace {

using findings::Finding;

constexpr uint64_t kSureAttempts = 2;  // that hold every thread in position
constexpr uint32_t kLaterChance = 75;

std::vector<symbolize::Module> ModulesOf(const trace::TraceInfo& info) {
  std::vector<symbolize::Module> modules;
  for (const trace::Module& module : info.modules) {
    modules.push_back({module.path, module.base, module.build_id, {{module.begin, module.end}}});
  }
  return modules;
}

std::string Times(uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Of a deadlock beside threads that go on, a replay must not wait for the end of these.
void MarkPartial(ControlledEnd& end) {
  bool partial = std::any_of(end.record.deadlocks.begin(), end.record.deadlocks.end(),
                             [](const detect::Deadlock& deadlock) { return !deadlock.everybody; });
  if (partial) end.schedule.header.emplace_back("stuck", "yes");
}

}  // namespace

DeadlockConfirmer::DeadlockConfirmer(ConfirmSettings settings)
    : settings_(std::move(settings)), places_(std::make_shared<StepPlaces>()) {}

// The detector notes the calls of each thread, by which places are known, and deadlocks beside threads that go on.
ControlledRun DeadlockConfirmer::Prepare(const char* strategy, uint64_t seed) const {
  ControlledRun run;
  run.command = settings_.command;
  run.options.strategy = strategy;
  run.options.seed = seed;
  run.options.carrier = settings_.carrier;
  run.options.detect = true;
  run.folder = settings_.folder;
  run.seconds = settings_.seconds;
  run.quiet = true;
  run.places = places_;
  return run;
}

Result<ControlledEnd> DeadlockConfirmer::RunOnce(ControlledRun run) {
  Result<ControlledEnd> end = RunControlled(run);
  if (!end) return end;
  ++runs_;
  if (end->timed_out) ++timed_out_;
  if (end->child.signal != 0 && !end->timed_out) ++signals_[end->child.signal];
  std::error_code failure;
  for (const char* name : {"/steps", "/findings.record", "/plan", "/enforce"}) {
    std::filesystem::remove(settings_.folder + name, failure);
  }
  return end;
}

Status DeadlockConfirmer::FirstRun() {
  first_run_ = Prepare("random", settings_.seed);
  Result<ControlledEnd> end = RunOnce(first_run_);
  if (!end) return end.error();
  MarkPartial(*end);
  first_end_ = std::make_unique<ControlledEnd>(end.Take());
  return {};
}

void DeadlockConfirmer::MakeTargets(const findings::Report& report) {
  std::vector<symbolize::Module> modules = ModulesOf(first_end_->record.info);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    if (report.findings[i].kind != findings::Kind::kDeadlock) continue;
    Target target;
    target.finding = i;
    target.plan = PlanOf(report.findings[i]);
    target.code = symbolize::LineAddresses(modules, LinesOf(target.plan));
    target.reachable = CanBeReached(target.plan, target.code);
    reachable_ += target.reachable ? 1 : 0;
    targets_.push_back(std::move(target));
  }
  tried_ = targets_.size();
}

Status DeadlockConfirmer::Confirm(findings::Report& report) {
  MakeTargets(report);
  Status looked = Look(first_run_, *first_end_, report);
  if (!looked) return looked;
  for (Target& target : targets_) {
    for (uint64_t attempt = 0; target.reachable && !target.met && attempt < settings_.attempts; ++attempt) {
      Status done = Attempt(target, attempt, report);
      if (!done) return done;
    }
  }
  Describe(report);
  return {};
}

Status DeadlockConfirmer::Attempt(Target& target, uint64_t attempt, findings::Report& report) {
  SteerSettings steer;
  steer.whole_chain = attempt % 2 == 1;
  steer.chance = attempt < kSureAttempts ? 100 : kLaterChance;
  ControlledRun run = Prepare("steer", settings_.seed + attempt);
  std::string plan = settings_.folder + "/plan";
  Status written = WriteFileAtomic(plan, CompilePlan(target.plan, target.code, steer));
  if (!written) return written;
  run.environment.push_back("HEDDLE_PLACES=" + plan);
  Result<ControlledEnd> end = RunOnce(run);
  if (!end) return end.error();
  ++target.runs;
  MarkPartial(*end);
  return Look(run, *end, report);
}

Status DeadlockConfirmer::Look(const ControlledRun& run, const ControlledEnd& end, findings::Report& report) {
  std::vector<StuckThreads> all = StuckIn(end.record);
  if (all.empty()) return {};
  bool known = false;
  for (Target& target : targets_) {
    bool meets = std::any_of(all.begin(), all.end(), [&](const StuckThreads& s) { return Meets(target.plan, s); });
    known = known || meets;
    if (!meets || target.met) continue;
    target.met = true;
    ++met_;
    Status kept = Met(report.findings[target.finding], target.plan, end);
    if (!kept) return kept;
  }
  return known ? Status{} : AddOwn(run, end, report);
}

Status DeadlockConfirmer::SaveSchedule(Finding& finding, const sched::Schedule& schedule) const {
  finding.schedule = fmt::format("{}/{}.schedule", settings_.folder, finding.id);
  finding.replay = fmt::format("heddle replay {}", finding.id);
  return WriteFileAtomic(finding.schedule, sched::PrintSchedule(schedule));
}

Status DeadlockConfirmer::Met(Finding& finding, const Plan& plan, const ControlledEnd& end) {
  finding.status = findings::FindingStatus::kConfirmed;
  finding.status_note = fmt::format("met in run {} of the program", runs_);
  Status saved = SaveSchedule(finding, end.schedule);
  if (!saved) return saved;
  Result<bool> again = Replays(end.schedule, plan);
  if (!again) return again.error();
  finding.status_note += *again ? ", and by replay" : "; its replay did not show it";
  return {};
}

Result<bool> DeadlockConfirmer::Replays(const sched::Schedule& schedule, const Plan& plan) {
  Result<ControlledRun> run = PrepareReplay({"schedule", schedule, ""}, settings_.command);
  if (!run) return run.error();
  run->folder = settings_.folder;
  run->enforce = settings_.folder + "/enforce";
  run->options.detect = true;
  run->seconds = settings_.seconds;
  run->quiet = true;
  run->places = places_;
  Status written = WriteFileAtomic(run->enforce, sched::CompileSchedule(schedule));
  if (!written) return written.error();
  Result<ControlledEnd> end = RunOnce(*run);
  if (!end) return end.error();
  std::vector<StuckThreads> all = StuckIn(end->record);
  return std::any_of(all.begin(), all.end(), [&](const StuckThreads& stuck) { return Meets(plan, stuck); });
}

// A deadlock is one, whoever expected it.
Status DeadlockConfirmer::AddOwn(const ControlledRun& run, const ControlledEnd& end, findings::Report& report) {
  for (Finding& shown : ReportOf(run, end, "").findings) {
    if (shown.kind != findings::Kind::kDeadlock) continue;
    size_t before = report.findings.size();
    Finding& added = findings::AddFinding(report, std::move(shown));
    if (report.findings.size() == before) continue;
    added.status_note = fmt::format("it happened in run {} of the program, at places of no finding above", runs_);
    Status saved = SaveSchedule(added, end.schedule);
    if (!saved) return saved;
  }
  return {};
}

void DeadlockConfirmer::Describe(findings::Report& report) const {
  for (const Target& target : targets_) {
    Finding& finding = report.findings[target.finding];
    if (target.met) continue;
    finding.status_note += target.reachable ? fmt::format("; not met in {}", Times(target.runs, "run"))
                                            : fmt::format("; its lines are no code of {}", settings_.command[0]);
  }
  report.coverage.runs = runs_;
  std::string note = fmt::format("{} of {} met in {} of {}", met_, Times(targets_.size(), "finding"),
                                 Times(runs_, "run"), settings_.command[0]);
  if (timed_out_ > 0) note += fmt::format(", {} stopped after {} s", timed_out_, settings_.seconds);
  for (const auto& [number, count] : signals_) note += fmt::format(", {} ended by SIG{}", count, sigabbrev_np(number));
  report.coverage.note = note;
}

}  // namespace heddle::cli
