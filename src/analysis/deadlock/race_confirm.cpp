// The part of DeadlockConfirmer that is about data races: some runs by chance, in each of which the detector looks for
// all of them, then runs that are led to the two accesses of each race that was not seen (sched/steer_race.h). There
// the accesses of its two lines are scheduling points; so it is known as well whether a run came to them.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/deadlock/deadlock_confirm.h"
#include "analysis/deadlock/race_match.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

using findings::Finding;
using Range = symbolize::Module::Range;

constexpr uint64_t kChanceRuns = 4;
constexpr uint64_t kReachRuns = 3;      // led to a place that none of them came to: more will not either
constexpr size_t kRangesOfAccess = 32;  // the target has room for 64
constexpr uint64_t kMostTimeouts = 2;   // of runs for one finding

bool Comes(const std::set<uint64_t>& code, const std::vector<Range>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    auto at = code.upper_bound(range.begin);  // return addresses lie behind their calls
    return at != code.end() && *at <= range.end;
  });
}

bool IsRace(const Finding& finding) { return finding.kind == findings::Kind::kDataRace; }
bool IsConfirmed(const Finding& finding) { return finding.status == findings::FindingStatus::kConfirmed; }

std::string Runs(uint64_t count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

}  // namespace

Status DeadlockConfirmer::ConfirmRaces(findings::Report& report) {
  uint64_t by_chance = std::min(settings_.attempts, kChanceRuns);
  for (uint64_t i = 0; races_met_ < static_races_ && i < by_chance && !settings_.deadline.Passed(); ++i) {
    ControlledRun run = Prepare(i % 2 == 0 ? wire::Strategy::kPct : wire::Strategy::kRandom, settings_.seed + i);
    Result<ControlledEnd> end = RunOnce(run);
    if (!end) return end.error();
    ++race_runs_;
    Status looked = Look(run, *end, report);
    if (!looked) return looked;
  }
  for (RaceAim& aim : races_) {
    for (uint64_t attempt = 0; attempt < settings_.attempts && WorthARun(aim, report); ++attempt) {
      Status done = LeadToRace(aim, attempt, report);
      if (!done) return done;
    }
  }
  return {};
}

bool DeadlockConfirmer::WorthARun(const RaceAim& aim, const findings::Report& report) const {
  bool hopeless = aim.runs >= kReachRuns && !(aim.came[0] && aim.came[1]);
  return aim.has_code && !hopeless && aim.timed_out < kMostTimeouts && !settings_.deadline.Passed() &&
         !IsConfirmed(report.findings[aim.finding]);
}

void DeadlockConfirmer::MakeRaceTargets(const std::vector<symbolize::Module>& modules, const findings::Report& report) {
  for (size_t i = 0; i < report.findings.size(); ++i) {
    if (!IsRace(report.findings[i])) continue;
    ++static_races_;
    RaceAim aim;
    aim.finding = i;
    aim.plan = RacePlanOf(report.findings[i]);
    aim.code = symbolize::LineAddresses(modules, LinesOf(aim.plan));
    aim.has_code = aim.plan.edges.size() == 2 && CanBeReached(aim.plan, aim.code);
    races_.push_back(std::move(aim));
  }
}

Status DeadlockConfirmer::LeadToRace(RaceAim& aim, uint64_t attempt, findings::Report& report) {
  ControlledRun run = Prepare(wire::Strategy::kSteer, settings_.seed + attempt);
  std::vector<Range> points;
  for (size_t edge = 0; edge < aim.plan.edges.size(); ++edge) {
    std::vector<Range> ranges = CodeOfEdge(aim.plan, edge, aim.code);
    ranges.resize(std::min(ranges.size(), kRangesOfAccess));
    points.insert(points.end(), ranges.begin(), ranges.end());
  }
  run.options.visible = Visibility::In(points, points.size());
  Status written = AddPlan(aim.plan, aim.code, attempt, run);
  if (!written) return written;
  Result<ControlledEnd> end = RunOnce(run);
  if (!end) return end.error();
  ++aim.runs;
  aim.timed_out += end->timed_out ? 1 : 0;
  for (size_t edge = 0; edge < 2; ++edge) {
    aim.came[edge] = aim.came[edge] || Comes(end->code, CodeOfEdge(aim.plan, edge, aim.code));
  }
  return Look(run, *end, report);
}

Status DeadlockConfirmer::LookForRaces(const ControlledRun& run, const ControlledEnd& end, findings::Report& report) {
  uint64_t number = runs_;
  std::vector<std::pair<size_t, Finding>> seen;  // in the report; as it was seen
  for (Finding& shown : ReportOf(run, end, "").findings) {
    if (!IsRace(shown)) continue;
    auto last = report.findings.begin() + static_cast<std::ptrdiff_t>(stated_);
    auto known = std::find_if(report.findings.begin(), last, [&](const Finding& f) { return SameRace(f, shown); });
    if (known != last && IsConfirmed(*known)) continue;
    size_t before = report.findings.size();
    auto at = static_cast<size_t>(known - report.findings.begin());
    if (known == last) {
      findings::AddFinding(report, shown);
      if (report.findings.size() == before) continue;
      at = before;
    }
    Finding& finding = report.findings[at];
    finding.status = findings::FindingStatus::kConfirmed;
    finding.status_note = fmt::format("seen in run {} of the program{}", number,
                                      at < stated_ ? RaceLines(shown) : ", at places of no finding above");
    races_met_ += at < stated_ ? 1 : 0;
    Status saved = SaveSchedule(finding, end.schedule);
    if (!saved) return saved;
    seen.emplace_back(at, std::move(shown));
  }
  return seen.empty() ? Status{} : ReplayRaces(end.schedule, seen, report);
}

Status DeadlockConfirmer::ReplayRaces(const sched::Schedule& schedule,
                                      const std::vector<std::pair<size_t, Finding>>& seen, findings::Report& report) {
  ControlledRun run;
  Result<ControlledEnd> end = Replay(schedule, &run);
  if (!end) return end.error();
  std::vector<Finding> again = ReportOf(run, *end, "").findings;
  for (const auto& [at, shown] : seen) {
    bool same = std::any_of(again.begin(), again.end(),
                            [&, &first = shown](const Finding& f) { return IsRace(f) && SameRace(first, f); });
    report.findings[at].status_note += same ? ", and by replay" : "; its replay did not show it";
  }
  return {};
}

std::string DeadlockConfirmer::WhyNotSeen(const RaceAim& aim, const Finding& finding) const {
  std::vector<const findings::Step*> sites = findings::Sites(finding);
  std::string runs = fmt::format("not seen in {}", Runs(race_runs_ + 1));
  if (!aim.has_code) return fmt::format("{}; its lines are no code of {}", runs, settings_.command[0]);
  if (aim.runs == 0) return runs + "; no time was left to lead runs to it (--time)";
  std::string missing;
  for (size_t edge = 0; edge < 2; ++edge) {
    std::string line = LineOfAccess(*sites[edge]);
    if (aim.came[edge] || missing == line) continue;
    missing += (missing.empty() ? "" : " and ") + line;
  }
  std::string led = fmt::format("{}, nor in {} led to it", runs, Runs(aim.runs));
  return missing.empty() ? led + ", which came to both lines" : fmt::format("{}: {} was not reached", led, missing);
}

void DeadlockConfirmer::DescribeRaces(findings::Report& report) const {
  for (const RaceAim& aim : races_) {
    Finding& finding = report.findings[aim.finding];
    if (!IsConfirmed(finding)) finding.status_note += "; " + WhyNotSeen(aim, finding);
  }
}

}  // namespace heddle::analysis
