#include "analysis/explore/race_consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace heddle::analysis {
namespace {

using findings::Finding;
using findings::Kind;

constexpr double kSeconds = 20;     // when there is no limit of time
constexpr size_t kMostPlaces = 64;  // the target has room for so many
constexpr int kMostSearches = 3;    // new places may show new races

// Only where what is done is what was asked for: a search, of this program's races, with nothing found as its end.
bool Wanted(const ExplorationOptions& options, const Searched& searched) {
  return !searched.racing.empty() && searched.racing.size() <= kMostPlaces && options.visible == Visibility{} &&
         options.memory == wire::MemoryModel::kSc && !options.only_races && !options.first &&
         explore::AlgorithmNamed(options.algorithm);
}

std::string Cause(const findings::Report& report) {
  std::string races;
  for (const Finding& finding : report.findings) {
    if (finding.kind == Kind::kDataRace) races += (races.empty() ? "" : "; ") + finding.message;
  }
  return "a data race is the cause: " + races;
}

bool Known(const findings::Report& report, const Finding& finding) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& known) { return known.fingerprint == finding.fingerprint; });
}

}  // namespace

void FollowRaces(const ExplorationOptions& options, double seconds, const SearchAgain& search, Searched& searched) {
  uint64_t executions = 0;
  std::string cut;
  std::set<uint64_t> places;
  for (int i = 0; i < kMostSearches && Wanted(options, searched) && places != searched.racing && cut.empty(); ++i) {
    places = searched.racing;
    ExplorationOptions again = options;
    again.visible = Visibility::At(places);
    again.resume.clear();
    again.commute = false;  // there are races: it would begin anew without
    std::string name = fmt::format("/races-{}", i + 1);
    again.folder += name;
    again.shown += name;
    std::error_code failure;
    std::filesystem::create_directories(again.folder, failure);
    constexpr double kTenths = 10;  // it is shown
    again.seconds = options.seconds > 0 ? std::floor((options.seconds - seconds) * kTenths) / kTenths : kSeconds;
    if (again.seconds <= 0) {
      cut = "no time was left";
      break;
    }
    Result<Searched> more = search(again);
    if (!more) {
      cut = more.error().message;
      break;
    }
    for (Finding& finding : more->report.findings) {
      if (Known(searched.report, finding)) continue;
      if (finding.kind != Kind::kDataRace) {
        finding.why += (finding.why.empty() ? "" : "; ") + Cause(searched.report);
      }
      findings::AddFinding(searched.report, std::move(finding));
    }
    executions += more->report.coverage.executions;
    seconds += more->report.coverage.seconds;
    if (!more->report.coverage.complete) cut = more->report.coverage.bound;
    searched.racing.insert(more->racing.begin(), more->racing.end());
  }
  if (places.empty()) return;
  std::string& note = searched.report.coverage.note;
  note += fmt::format("{}{} more execution{} with the racing accesses as scheduling points{}", note.empty() ? "" : "; ",
                      executions, executions == 1 ? "" : "s", cut.empty() ? "" : " (" + cut + ")");
  searched.report.coverage.seconds = seconds;
}

}  // namespace heddle::analysis
