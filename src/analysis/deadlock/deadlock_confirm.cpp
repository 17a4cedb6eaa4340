#include "analysis/deadlock/deadlock_confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "analysis/replay/replay_input.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "wire/environment.h"

namespace heddle::analysis {
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
  bool partial = std::any_of(end.found.deadlocks.begin(), end.found.deadlocks.end(),
                             [](const detect::Deadlock& deadlock) { return !deadlock.everybody; });
  if (partial) end.schedule.header.emplace_back("stuck", "yes");
}

}  // namespace

DeadlockConfirmer::DeadlockConfirmer(ConfirmSettings settings)
    : settings_(std::move(settings)), places_(std::make_shared<StepPlaces>()) {}

// The detector notes the calls of each thread, by which places are known, and deadlocks beside threads that go on.
ControlledRun DeadlockConfirmer::Prepare(wire::Strategy strategy, uint64_t seed) const {
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
  Result<ControlledEnd> end = settings_.program->Control(run);
  if (!end) return end;
  ++runs_;
  if (end->timed_out) ++timed_out_;
  if (end->child.signal != 0 && !end->timed_out) ++signals_[end->child.signal];
  RemoveRunFiles(settings_.folder);
  return end;
}

Status DeadlockConfirmer::FirstRun() {
  first_run_ = Prepare(wire::Strategy::kRandom, settings_.seed);
  Result<ControlledEnd> end = RunOnce(first_run_);
  if (!end) return end.error();
  MarkPartial(*end);
  first_end_ = std::make_unique<ControlledEnd>(end.Take());
  return {};
}

void DeadlockConfirmer::MakeTargets(const findings::Report& report) {
  std::vector<symbolize::Module> modules = ModulesOf(first_end_->found.info);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    if (report.findings[i].kind != findings::Kind::kDeadlock) continue;
    Aim target;
    target.finding = i;
    target.plan = PlanOf(report.findings[i]);
    target.code = symbolize::LineAddresses(modules, LinesOf(target.plan));
    target.reachable = CanBeReached(target.plan, target.code);
    reachable_ += target.reachable ? 1 : 0;
    targets_.push_back(std::move(target));
  }
  MakeRaceTargets(modules, report);
  for (const RaceAim& race : races_) {
    bool any = std::any_of(race.code.begin(), race.code.end(), [](const auto& ranges) { return !ranges.empty(); });
    reachable_ += any ? 1 : 0;
  }
  tried_ = targets_.size() + races_.size();
}

Status DeadlockConfirmer::Confirm(findings::Report& report) {
  stated_ = report.findings.size();
  MakeTargets(report);
  Status looked = Look(first_run_, *first_end_, report);
  if (!looked) return looked;
  for (Aim& target : targets_) {
    for (uint64_t attempt = 0; target.reachable && !target.met && attempt < settings_.attempts; ++attempt) {
      if (settings_.deadline.Passed()) break;
      Status done = Attempt(target, attempt, report);
      if (!done) return done;
    }
  }
  Status races = ConfirmRaces(report);
  if (!races) return races;
  Describe(report);
  std::vector<Finding> confirmed_first;
  for (bool confirmed : {true, false}) {
    for (const Finding& finding : report.findings) {
      if ((finding.status == findings::FindingStatus::kConfirmed) == confirmed) confirmed_first.push_back(finding);
    }
  }
  report.findings = std::move(confirmed_first);
  return {};
}

Status DeadlockConfirmer::AddPlan(const Plan& plan, const std::vector<std::vector<symbolize::Module::Range>>& code,
                                  uint64_t attempt, ControlledRun& run) const {
  SteerSettings steer;
  steer.whole_chain = attempt % 2 == 1;
  steer.chance = attempt < kSureAttempts ? 100 : kLaterChance;
  std::string path = settings_.folder + kPlanName;
  run.environment.push_back(Assign(wire::variable::kPlaces, path));
  return WriteFileAtomic(path, CompilePlan(plan, code, steer));
}

Status DeadlockConfirmer::Attempt(Aim& target, uint64_t attempt, findings::Report& report) {
  ControlledRun run = Prepare(wire::Strategy::kSteer, settings_.seed + attempt);
  Status written = AddPlan(target.plan, target.code, attempt, run);
  if (!written) return written;
  Result<ControlledEnd> end = RunOnce(run);
  if (!end) return end.error();
  ++target.runs;
  MarkPartial(*end);
  return Look(run, *end, report);
}

Status DeadlockConfirmer::Look(const ControlledRun& run, const ControlledEnd& end, findings::Report& report) {
  if (static_races_ > 0) {
    Status races = LookForRaces(run, end, report);
    if (!races) return races;
  }
  std::vector<StuckThreads> all = StuckIn(end.found);
  if (all.empty()) return {};
  bool known = false;
  for (Aim& target : targets_) {
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

Result<ControlledEnd> DeadlockConfirmer::Replay(const sched::Schedule& schedule, ControlledRun* used) {
  Result<ControlledRun> run = PrepareReplay({"schedule", schedule, ""}, settings_.command);
  if (!run) return run.error();
  run->folder = settings_.folder;
  run->enforce = settings_.folder + kEnforceName;
  run->options.detect = true;
  run->seconds = settings_.seconds;
  run->quiet = true;
  run->places = places_;
  Status written = WriteFileAtomic(run->enforce, sched::CompileSchedule(schedule));
  if (!written) return written.error();
  *used = *run;
  return RunOnce(*run);
}

Result<bool> DeadlockConfirmer::Replays(const sched::Schedule& schedule, const Plan& plan) {
  ControlledRun run;
  Result<ControlledEnd> end = Replay(schedule, &run);
  if (!end) return end.error();
  std::vector<StuckThreads> all = StuckIn(end->found);
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
  for (const Aim& target : targets_) {
    Finding& finding = report.findings[target.finding];
    if (target.met) continue;
    finding.status_note += target.reachable ? fmt::format("; not met in {}", Times(target.runs, "run"))
                                            : fmt::format("; its lines are no code of {}", settings_.command[0]);
  }
  DescribeRaces(report);
  report.coverage.runs = runs_;
  std::string note = fmt::format("{} of {}", Times(runs_, "run"), settings_.command[0]);
  bool only_races = targets_.empty() && static_races_ > 0;
  if (!only_races) note += fmt::format(", {} of {} met", met_, Times(targets_.size(), "deadlock"));
  if (static_races_ > 0) note += fmt::format(", {} of {} seen", races_met_, Times(static_races_, "race"));
  if (settings_.deadline.Passed()) note += ", no time was left for more (--time)";
  if (timed_out_ > 0) note += fmt::format(", {} stopped after {} s", timed_out_, settings_.seconds);
  for (const auto& [number, count] : signals_) note += fmt::format(", {} ended by SIG{}", count, sigabbrev_np(number));
  report.coverage.note += (report.coverage.note.empty() ? "" : "; ") + note;
}

}  // namespace heddle::analysis
