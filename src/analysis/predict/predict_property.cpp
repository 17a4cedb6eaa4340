// The part of a prediction that checks a property of the user's own (docs/properties.md).
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "analysis/predict/predict_session.h"
#include "analysis/target/share_dir.h"
#include "predict/predicted_findings.h"

namespace heddle::analysis {

using findings::Finding;
using findings::FindingStatus;
using predict::AssertionOutcome;
using predict::Constraints;
using predict::Engine;

Result<Replayed> PredictSession::ConfirmProperty(const predict::Property& property, size_t assertion,
                                                 AssertionOutcome violated, Constraints constraints,
                                                 findings::Report& report) {
  for (uint32_t attempt = 0; attempt <= limits_.retries; ++attempt) {
    Result<TracedReplay> replay = confirmer_->TryTraced(steps_->Make(violated.witness));
    if (!replay) return replay.error();
    ++totals_.replays;
    Result<bool> shown = predict::RunViolates(replay->trace.model, replay->trace.strings, property, assertion,
                                              replay->ended, CspIncludePaths());
    if (!shown) return shown.error();
    if (*shown) {
      Finding finding = predict::FindingOf(violated, Engine::kSearchDataKept, *trace_, *names_);
      finding.status = FindingStatus::kConfirmed;
      finding.status_note = "by replay";
      ++totals_.confirmed;
      Status saved = SaveSchedule(findings::AddFinding(report, std::move(finding)), replay->performed);
      if (!saved) return saved.error();
      return Replayed::kShown;
    }
    if (!replay->divergence && !replay->timed_out) return Replayed::kRuledOut;
    if (!Learn(replay->divergence, violated.witness, &constraints)) return Replayed::kOpen;
    auto next = predict::CheckProperty(trace_->model, trace_->strings, property, constraints, limits_.properties,
                                       CspIncludePaths());
    if (!next) return next.error();
    totals_.states += (*next)[assertion].result.states;
    csp::Verdict verdict = (*next)[assertion].result.verdict;
    if (verdict == csp::Verdict::kPassed) return Replayed::kRuledOut;
    if (verdict != csp::Verdict::kFailed) return Replayed::kOpen;
    violated = std::move((*next)[assertion]);
  }
  return Replayed::kOpen;
}

namespace {

// Of one assertion, while the orders are checked.
struct Checked {
  bool settled = false;
  std::optional<std::pair<Finding, Engine>> predicted;  // the last one, and no replay showed it
  Replayed replayed = Replayed::kOpen;
};

}  // namespace

// First the orders that keep what the threads have read, which the program can most likely follow; then all.
Status PredictSession::Properties(const predict::Property& property, findings::Report& report) {
  std::vector<Checked> checked;
  for (bool keep_data : {true, false}) {
    Constraints constraints{.data = keep_data};
    auto outcomes = predict::CheckProperty(trace_->model, trace_->strings, property, constraints, limits_.properties,
                                           CspIncludePaths());
    if (!outcomes) return outcomes.error();
    checked.resize(outcomes->size());
    for (size_t i = 0; i < outcomes->size(); ++i) {
      AssertionOutcome& outcome = (*outcomes)[i];
      totals_.states += outcome.result.states;
      if (checked[i].settled) continue;
      if (outcome.result.verdict == csp::Verdict::kUndecided && !keep_data) ++totals_.not_decided;
      if (outcome.result.verdict == csp::Verdict::kPassed && !keep_data) ++totals_.refuted;
      // With data kept, a thread that would only read something else stands still as well: that is no refusal.
      bool refusal = outcome.result.kind != "trace";
      if (outcome.result.verdict != csp::Verdict::kFailed || (keep_data && refusal)) continue;
      ++totals_.predicted;
      Engine engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
      Finding finding = predict::FindingOf(outcome, engine, *trace_, *names_);
      checked[i] = {confirmer_ == nullptr, {{std::move(finding), engine}}, Replayed::kOpen};
      if (confirmer_ == nullptr) continue;
      Result<Replayed> replayed = ConfirmProperty(property, i, std::move(outcome), constraints, report);
      if (!replayed) return replayed.error();
      checked[i].replayed = *replayed;
      checked[i].settled = *replayed == Replayed::kShown;
    }
  }
  for (Checked& one : checked) {
    if (one.predicted) Unconfirmed(one.replayed, std::move(one.predicted->first), one.predicted->second, report);
  }
  return {};
}

}  // namespace heddle::analysis
