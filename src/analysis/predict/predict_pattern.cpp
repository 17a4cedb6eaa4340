// The part of a prediction that is about wrong orders of accesses (predict/pattern_search.h).
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "analysis/predict/predict_session.h"
#include "predict/predicted_findings.h"

namespace heddle::analysis {

using findings::Finding;
using predict::Constraints;
using predict::Part;
using predict::PredictedPattern;

namespace {

// Addresses of words that the part accesses in the run, or, of a free, the blocks that it frees.
struct Touched {
  std::set<uint64_t> words;
  bool any = false;
};

Touched TouchedBy(const predict::ModelledTrace& trace, const Part& part, const predict::AccessSite& wanted) {
  Touched touched;
  for (const predict::LoggedAccess& access : trace.log.accesses()) {
    const predict::AccessSite& site = trace.log.sites()[access.site];
    bool same = site.point.thread == part.place.thread && access.segment == part.place.position &&
                site.point.pc == wanted.point.pc && site.frees == wanted.frees &&
                site.point.write == wanted.point.write && (site.mask & wanted.mask) != 0;
    if (same) touched.words.insert(trace.log.words()[access.word].address);
  }
  touched.any = !touched.words.empty();
  if (touched.any || !wanted.frees) return touched;
  // A block that nobody used before its free has no accesses: only that it was freed is known.
  for (const predict::LoggedFree& one : trace.log.frees()) {
    touched.any = touched.any ||
                  (one.thread == part.place.thread && one.segment == part.place.position && one.pc == wanted.point.pc);
  }
  return touched;
}

// Whether the replayed run has the accesses of the prediction, in its order and all to the same word of memory. Its
// threads have the same ids, though perhaps other numbers.
bool Shows(const predict::ModelledTrace& replayed, const predict::ModelledTrace& recorded,
           const PredictedPattern& found) {
  std::vector<Part> parts = found.parts;
  std::optional<std::set<uint64_t>> common;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& id = recorded.threads[parts[i].place.thread];
    auto same = std::find(replayed.threads.begin(), replayed.threads.end(), id);
    if (same == replayed.threads.end()) return false;
    parts[i].place.thread = static_cast<uint32_t>(same - replayed.threads.begin());
    Touched touched = TouchedBy(replayed, parts[i], recorded.log.sites()[found.sites[i]]);
    if (!touched.any) return false;
    if (touched.words.empty()) continue;  // a free, of whose block only that is known
    if (!common) {
      common = std::move(touched.words);
      continue;
    }
    std::set<uint64_t> both;
    std::set_intersection(common->begin(), common->end(), touched.words.begin(), touched.words.end(),
                          std::inserter(both, both.end()));
    common = std::move(both);
  }
  return common && !common->empty() && predict::RunHasOrder(replayed.model, parts);
}

}  // namespace

Result<Replayed> PredictSession::ConfirmPattern(const PredictedPattern& found, findings::Report& report) {
  PredictedPattern tried = found;
  Constraints constraints{.data = found.engine == predict::Engine::kSearchDataKept};
  for (uint32_t attempt = 0; attempt <= limits_.retries; ++attempt) {
    if (limits_.deadline.Passed()) {
      ++totals_.not_decided;
      return Replayed::kOpen;
    }
    Result<TracedReplay> replay = confirmer_->TryTraced(steps_->Make(tried.witness));
    if (!replay) return replay.error();
    ++totals_.replays;
    if (Shows(replay->trace, *trace_, tried)) {
      Finding finding = predict::FindingOf(tried, *trace_, *names_);
      finding.status = findings::FindingStatus::kConfirmed;
      finding.status_note = "by replay";
      ++totals_.confirmed;
      Status saved = SaveSchedule(findings::AddFinding(report, std::move(finding)), replay->performed);
      if (!saved) return saved.error();
      return Replayed::kShown;
    }
    if (!replay->divergence && !replay->timed_out) return Replayed::kRuledOut;
    if (!Learn(replay->divergence, tried.witness, &constraints)) return Replayed::kOpen;
    predict::SearchResult next = predict::SearchOrder(trace_->model, tried.parts, constraints, limits_.patterns.search);
    totals_.states += next.states;
    if (next.verdict == predict::Verdict::kAbsent) return Replayed::kRuledOut;
    if (next.verdict != predict::Verdict::kFound) return Replayed::kOpen;
    tried.witness = std::move(next.witness);
  }
  return Replayed::kOpen;
}

Status PredictSession::Patterns(findings::Report& report) {
  if (!Begins("wrong orders of accesses")) return {};
  predict::PatternOutcome outcome = predict::PatternSearch(trace_, limits_.patterns).Run();
  totals_.refuted += outcome.refuted;
  totals_.not_decided += outcome.not_decided;
  totals_.states += outcome.states;
  for (const PredictedPattern& found : outcome.patterns) {
    ++totals_.predicted;
    Finding finding = predict::FindingOf(found, *trace_, *names_);
    if (Known(report, finding)) continue;
    Replayed replayed = Replayed::kOpen;
    if (confirmer_ != nullptr) {
      Result<Replayed> result = ConfirmPattern(found, report);
      if (!result) return result.error();
      replayed = *result;
    }
    Unconfirmed(replayed, std::move(finding), found.engine, report);
  }
  return {};
}

}  // namespace heddle::analysis
