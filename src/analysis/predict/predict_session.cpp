#include "analysis/predict/predict_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.h"
#include "findings/fingerprint.h"
#include "predict/predicted_findings.h"

namespace heddle::analysis {
namespace {

using findings::Finding;
using findings::FindingStatus;
using predict::Act;
using predict::Constraints;
using predict::Engine;

bool IsDeadlock(const Finding& finding) {
  return finding.kind == findings::Kind::kDeadlock || finding.kind == findings::Kind::kLostSignal;
}

// The threads of a finding that stand in it, with the lines at which they do.
std::set<std::string> Standing(const Finding& finding) {
  std::set<std::string> all;
  std::map<std::string, const findings::Step*> last;
  for (const findings::Step* step : findings::Sites(finding)) last[step->thread] = step;
  for (const auto& [thread, step] : last) {
    const Frame* frame = UserFrame(step->stack);
    all.insert(fmt::format("{} {}", thread, frame == nullptr ? "?" : ShortPlace(*frame)));
  }
  return all;
}

// A deadlock is the predicted one when every thread of the prediction waits in it, at the predicted line.
bool SameDeadlock(const Finding& predicted, const Finding& seen) {
  std::set<std::string> wanted = Standing(predicted);
  std::set<std::string> met = Standing(seen);
  return !wanted.empty() && std::includes(met.begin(), met.end(), wanted.begin(), wanted.end());
}

// Whether the replay showed what was predicted: the same pair of sites on the same kind of memory, or the same threads
// that wait at the same lines.
const Finding* Shown(const Confirmation& confirmation, const Finding& predicted) {
  for (const Finding& finding : confirmation.report.findings) {
    if (IsDeadlock(predicted)) {
      if (finding.kind == findings::Kind::kDeadlock && SameDeadlock(predicted, finding)) return &finding;
    } else if (finding.fingerprint == findings::Fingerprint(predicted)) {
      return &finding;
    }
  }
  return nullptr;
}

}  // namespace

void PredictTotals::Add(const PredictTotals& more) {
  reduction.Add(more.reduction);
  predicted += more.predicted;
  confirmed += more.confirmed;
  unconfirmed += more.unconfirmed;
  ruled_out += more.ruled_out;
  refuted += more.refuted;
  not_decided += more.not_decided;
  states += more.states;
  replays += more.replays;
  skipped.insert(skipped.end(), more.skipped.begin(), more.skipped.end());
}

void PredictSession::Skip(std::string what) {
  ++totals_.not_decided;
  totals_.skipped.push_back(std::move(what));
}

bool PredictSession::Begins(const char* what) {
  if (!skip_all_ && !limits_.deadline.Passed()) return true;
  Skip(what);
  return false;
}

bool PredictSession::Known(const findings::Report& report, const Finding& finding) const {
  std::string print = findings::Fingerprint(finding);
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& known) {
    return known.fingerprint == print && known.status == FindingStatus::kConfirmed;
  });
}

Status PredictSession::SaveSchedule(Finding& finding, const sched::Schedule& schedule) {
  if (schedule.runs.empty()) return {};  // it was too long to be read
  sched::Schedule saved = schedule;
  std::erase_if(saved.header, [](const auto& line) { return line.first == "detect"; });
  saved.header.emplace_back("detect", "yes");
  finding.schedule = fmt::format("{}/{}.schedule", folder_, finding.id);
  finding.replay = fmt::format("heddle replay {}", finding.id);
  return WriteFileAtomic(finding.schedule, sched::PrintSchedule(saved));
}

Status PredictSession::Keep(const Confirmation& confirmation, findings::Report& report) {
  for (const Finding& finding : confirmation.report.findings) {
    // One that is only possible is a wait for something outside, which a replay does not give time to act.
    if (finding.status == FindingStatus::kPossible || Known(report, finding)) continue;
    Finding& kept = findings::AddFinding(report, finding);
    Status saved = SaveSchedule(kept, confirmation.performed);
    if (!saved) return saved;
    ++totals_.confirmed;
  }
  return {};
}

Status PredictSession::KeepRecorded(const findings::Report& own, const sched::Schedule& recorded,
                                    findings::Report& report) {
  for (const Finding& finding : own.findings) {
    bool shown = std::any_of(report.findings.begin(), report.findings.end(),
                             [&](const Finding& other) { return other.kind == finding.kind; });
    if (shown) continue;
    Status saved = SaveSchedule(findings::AddFinding(report, finding), recorded);
    if (!saved) return saved;
  }
  return {};
}

Status PredictSession::ConfirmRun(const sched::Schedule& recorded, findings::Report& report) {
  constexpr const char* kWhat = "the run itself with the detector";
  if (!Begins(kWhat)) return {};
  Result<Confirmation> confirmation = confirmer_->Try(recorded);
  if (!confirmation) return confirmation.error();
  ++totals_.replays;
  if (confirmation->timed_out) Skip(kWhat);
  return Keep(*confirmation, report);
}

bool PredictSession::Learn(const std::optional<sched::Divergence>& divergence, const predict::Witness& witness,
                           Constraints* constraints) const {
  if (!divergence) return false;
  std::optional<predict::Place> place = steps_->OperationAt(witness, divergence->step - 1);
  if (!place) return false;
  const predict::SyncEvent& event = trace_->model.At(*place);
  if (event.act == Act::kWait && constraints->lost_signals) return constraints->waits.insert(*place).second;
  constraints->data_until.resize(trace_->model.threads.size());
  uint32_t& until = constraints->data_until[place->thread];
  if (constraints->data || until > place->position) return false;
  until = place->position + 1;
  return true;
}

Result<Replayed> PredictSession::Confirm(Finding finding, predict::Witness witness, const predict::Target& target,
                                         Constraints constraints, findings::Report& report) {
  for (uint32_t attempt = 0; attempt <= limits_.retries; ++attempt) {
    if (limits_.deadline.Passed()) {
      ++totals_.not_decided;
      return Replayed::kOpen;
    }
    Result<Confirmation> confirmation = confirmer_->Try(steps_->Make(witness));
    if (!confirmation) return confirmation.error();
    ++totals_.replays;
    const Finding* shown = Shown(*confirmation, finding);
    if (shown != nullptr) {
      // The prediction has the witness, the replay what the program itself said, of its own memory.
      if (IsDeadlock(finding)) finding.fingerprint = shown->fingerprint;
      if (!IsDeadlock(finding)) finding.memory = shown->memory;
      finding.status = shown->status;
      finding.status_note = shown->status_note;
      Finding& kept = findings::AddFinding(report, std::move(finding));
      ++totals_.confirmed;
      Status saved = SaveSchedule(kept, confirmation->performed);
      if (!saved) return saved.error();
      Status others = Keep(*confirmation, report);
      if (!others) return others.error();
      return Replayed::kShown;
    }
    Status others = Keep(*confirmation, report);
    if (!others) return others.error();
    if (!confirmation->divergence && !confirmation->timed_out) return Replayed::kRuledOut;
    if (!Learn(confirmation->divergence, witness, &constraints)) return Replayed::kOpen;
    predict::SearchResult next = target.empty()
                                     ? predict::SearchStuck(trace_->model, constraints, limits_.deadlocks.stuck)
                                     : predict::SearchTarget(trace_->model, target, constraints, limits_.races.search);
    totals_.states += next.states;
    if (next.verdict == predict::Verdict::kAbsent) return Replayed::kRuledOut;
    if (next.verdict != predict::Verdict::kFound) return Replayed::kOpen;
    witness = std::move(next.witness);
  }
  return Replayed::kOpen;
}

// Without a program, a sound witness is an answer; with one, a witness that the program does not follow is none.
void PredictSession::Unconfirmed(Replayed replayed, Finding finding, Engine engine, findings::Report& report) {
  if (replayed == Replayed::kShown) return;
  ++(replayed == Replayed::kRuledOut ? totals_.ruled_out : totals_.unconfirmed);
  bool shown = all_ || (confirmer_ == nullptr && engine != Engine::kSearchDataFree);
  if (shown) findings::AddFinding(report, std::move(finding));
}

Status PredictSession::Races(findings::Report& report) {
  if (!Begins("races of other orders")) return {};
  predict::RaceOutcome outcome =
      predict::RaceSearch(&trace_->model, &trace_->log, &trace_->locksets, limits_.races).Run();
  totals_.reduction = outcome.reduction;
  totals_.refuted += outcome.refuted;
  totals_.not_decided += outcome.not_decided;
  totals_.states += outcome.states;
  for (predict::PredictedRace& race : outcome.races) {
    ++totals_.predicted;
    targets_.push_back(race.target);
    Finding finding = predict::FindingOf(race, *trace_, *names_);
    if (Known(report, finding)) continue;
    Replayed replayed = Replayed::kOpen;
    if (confirmer_ != nullptr) {
      finding.why = "the recorded run ordered the two by its locks, which hides the race from happens-before detectors";
      Constraints constraints{.data = race.engine != Engine::kSearchDataFree};
      Result<Replayed> result = Confirm(finding, std::move(race.witness), race.target, constraints, report);
      if (!result) return result.error();
      replayed = *result;
    }
    Unconfirmed(replayed, std::move(finding), race.engine, report);
  }
  return {};
}

Status PredictSession::Deadlocks(findings::Report& report) {
  if (!Begins("deadlocks of other orders")) return {};
  predict::DeadlockOutcome outcome = predict::SearchDeadlocks(trace_->model, limits_.deadlocks);
  totals_.refuted += outcome.refuted;
  totals_.not_decided += outcome.not_decided + (outcome.stuck_decided ? 0 : 1);
  totals_.states += outcome.states;
  for (predict::PredictedDeadlock& deadlock : outcome.deadlocks) {
    ++totals_.predicted;
    if (!deadlock.target.empty()) targets_.push_back(deadlock.target);
    Finding finding = predict::FindingOf(deadlock, *trace_, *names_);
    if (Known(report, finding)) continue;
    Replayed replayed = Replayed::kOpen;
    if (confirmer_ != nullptr) {
      Constraints constraints{.data = deadlock.engine != Engine::kSearchDataFree,
                              .lost_signals = deadlock.target.empty()};
      Result<Replayed> result = Confirm(finding, std::move(deadlock.witness), deadlock.target, constraints, report);
      if (!result) return result.error();
      replayed = *result;
    }
    Unconfirmed(replayed, std::move(finding), deadlock.engine, report);
  }
  return {};
}

}  // namespace heddle::analysis
