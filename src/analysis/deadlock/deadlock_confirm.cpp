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

// file:line of the access, without the folder: debug info of the bitcode and of the program name it differently.
std::string LineOf(const findings::Step& step) {
  const Frame* frame = UserFrame(step.stack);
  if (frame == nullptr || frame->line == 0) return "";
  return fmt::format("{}:{}", std::filesystem::path(frame->file).filename().string(), frame->line);
}

std::vector<std::string> LinesOfRace(const Finding& race) {
  std::vector<std::string> lines;
  for (const findings::Step* site : findings::Sites(race)) lines.push_back(LineOf(*site));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string RaceLines(const Finding& race) {
  std::string text;
  for (const std::string& line : LinesOfRace(race)) text += (text.empty() ? " at " : " and ") + line;
  return text;
}

// "stats" of `stats.last`, `stats[1]`.
std::string Variable(const Finding& race) { return race.memory.name.substr(0, race.memory.name.find_first_of(".[-+")); }

// The same two places, or the same variable and one of the places: a static finding stands for all places of its
// variable.
bool SameRace(const Finding& stated, const Finding& shown) {
  if (stated.kind != findings::Kind::kDataRace) return false;
  std::vector<std::string> x = LinesOfRace(stated), y = LinesOfRace(shown);
  if (x == y) return true;
  bool variable = !Variable(stated).empty() && Variable(stated) == Variable(shown);
  return variable && std::any_of(x.begin(), x.end(), [&](const std::string& line) {
           return !line.empty() && std::find(y.begin(), y.end(), line) != y.end();
         });
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
  tried_ = targets_.size();
}

Status DeadlockConfirmer::Confirm(findings::Report& report) {
  stated_ = report.findings.size();
  for (const Finding& finding : report.findings) static_races_ += finding.kind == findings::Kind::kDataRace ? 1 : 0;
  MakeTargets(report);
  Status looked = Look(first_run_, *first_end_, report);
  if (!looked) return looked;
  for (Aim& target : targets_) {
    for (uint64_t attempt = 0; target.reachable && !target.met && attempt < settings_.attempts; ++attempt) {
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

// A race is seen by the order of events, not by accesses that collide: each run looks for all of them.
Status DeadlockConfirmer::ConfirmRaces(findings::Report& report) {
  for (uint64_t attempt = 0; races_met_ < static_races_ && attempt < settings_.attempts; ++attempt) {
    ControlledRun run =
        Prepare(attempt % 2 == 0 ? wire::Strategy::kPct : wire::Strategy::kRandom, settings_.seed + attempt);
    Result<ControlledEnd> end = RunOnce(run);
    if (!end) return end.error();
    ++race_runs_;
    Status looked = Look(run, *end, report);
    if (!looked) return looked;
  }
  return {};
}

Status DeadlockConfirmer::Attempt(Aim& target, uint64_t attempt, findings::Report& report) {
  SteerSettings steer;
  steer.whole_chain = attempt % 2 == 1;
  steer.chance = attempt < kSureAttempts ? 100 : kLaterChance;
  ControlledRun run = Prepare(wire::Strategy::kSteer, settings_.seed + attempt);
  std::string plan = settings_.folder + kPlanName;
  Status written = WriteFileAtomic(plan, CompilePlan(target.plan, target.code, steer));
  if (!written) return written;
  run.environment.push_back(Assign(wire::variable::kPlaces, plan));
  Result<ControlledEnd> end = RunOnce(run);
  if (!end) return end.error();
  ++target.runs;
  MarkPartial(*end);
  return Look(run, *end, report);
}

Status DeadlockConfirmer::LookForRaces(const ControlledRun& run, const ControlledEnd& end, findings::Report& report) {
  for (Finding& shown : ReportOf(run, end, "").findings) {
    if (shown.kind != findings::Kind::kDataRace) continue;
    auto last = report.findings.begin() + static_cast<std::ptrdiff_t>(stated_);
    auto known = std::find_if(report.findings.begin(), last, [&](const Finding& f) { return SameRace(f, shown); });
    if (known != last && known->status == findings::FindingStatus::kConfirmed) continue;
    size_t before = report.findings.size();
    Finding& finding = known != last ? *known : findings::AddFinding(report, shown);
    if (known == last && report.findings.size() == before) continue;
    finding.status = findings::FindingStatus::kConfirmed;
    finding.status_note = fmt::format("seen in run {} of the program{}", runs_,
                                      known != last ? RaceLines(shown) : ", at places of no finding above");
    races_met_ += known != last ? 1 : 0;
    Status saved = SaveSchedule(finding, end.schedule);
    if (!saved) return saved;
  }
  return {};
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

Result<bool> DeadlockConfirmer::Replays(const sched::Schedule& schedule, const Plan& plan) {
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
  Result<ControlledEnd> end = RunOnce(*run);
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
  for (size_t i = 0; i < stated_; ++i) {
    Finding& finding = report.findings[i];
    if (finding.kind != findings::Kind::kDataRace || finding.status == findings::FindingStatus::kConfirmed) continue;
    finding.status_note += fmt::format("; not seen in {}", Times(race_runs_ + 1, "run"));
  }
  report.coverage.runs = runs_;
  std::string note = fmt::format("{} of {} met in {} of {}", met_, Times(targets_.size(), "finding"),
                                 Times(runs_, "run"), settings_.command[0]);
  if (static_races_ > 0) note += fmt::format(", {} of {} seen", races_met_, Times(static_races_, "race"));
  if (timed_out_ > 0) note += fmt::format(", {} stopped after {} s", timed_out_, settings_.seconds);
  for (const auto& [number, count] : signals_) note += fmt::format(", {} ended by SIG{}", count, sigabbrev_np(number));
  report.coverage.note = note;
}

}  // namespace heddle::analysis
