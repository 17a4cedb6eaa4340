#include "analysis/check/static_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "analysis/deadlock/race_match.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/process.h"
#include "base/file.h"
#include "base/frame.h"
#include "deadlock/input/carried.h"
#include "findings/report_json.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

constexpr double kLeast = 1;  // seconds: less is not worth the start
constexpr double kMost = 1e6;
constexpr double kPart = 0.25;  // of the whole time, after which no more runs are led to candidates
constexpr const char* kAttempts = "3";

void Note(findings::Report& report, const std::string& text) {
  std::string& note = report.coverage.note;
  note += (note.empty() ? "" : "; ") + text;
}

std::set<std::string> PlacesOf(const std::vector<const findings::Step*>& steps) {
  std::set<std::string> places;
  for (const findings::Step* step : steps) {
    const Frame* frame = UserFrame(step->stack);
    if (frame != nullptr) places.insert(ShortPlace(*frame));
  }
  return places;
}

// What the runs have shown already. A race: at the same places. A deadlock: each place at which a thread waits is one
// of the candidate's.
bool IsKnown(const findings::Finding& candidate, const findings::Report& report) {
  if (candidate.kind == findings::Kind::kDataRace) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const findings::Finding& finding) {
      return finding.kind == candidate.kind && SameRace(candidate, finding);
    });
  }
  std::vector<const findings::Step*> steps;
  for (const findings::Step& step : candidate.steps) steps.push_back(&step);
  std::set<std::string> all = PlacesOf(steps);
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const findings::Finding& finding) {
    std::set<std::string> waits = PlacesOf(findings::Sites(finding));
    return finding.kind == findings::Kind::kDeadlock && !waits.empty() &&
           std::includes(all.begin(), all.end(), waits.begin(), waits.end());
  });
}

// Beside the program, or what it carries; empty: neither.
std::string BitcodeOf(const std::string& program) {
  std::error_code failure;
  std::string beside = program + ".bc";
  if (std::filesystem::exists(beside, failure)) return beside;
  Result<std::string> bytes = ReadFile(program);
  return bytes && deadlock::CarriedBitcode(program, *bytes) ? program : "";
}

}  // namespace

void TakeCandidates(const findings::Report& candidates, findings::Report& report) {
  size_t met = 0;
  for (const findings::Finding& finding : candidates.findings) {
    if (finding.status != findings::FindingStatus::kConfirmed) continue;
    ++met;
    if (IsKnown(finding, report)) continue;
    findings::Finding& added = findings::AddFinding(report, finding);
    added.replay = fmt::format("heddle replay {}", added.id);
  }
  size_t all = candidates.findings.size();
  Note(report, fmt::format("{} candidate{} in the bitcode, {} met by runs led to {}", all, all == 1 ? "" : "s", met,
                           all == 1 ? "it" : "them"));
}

double SteerToCandidates(const CheckRun& run, findings::Report& report) {
  std::error_code failure;
  std::string bitcode = BitcodeOf(run.command[0]);
  if (run.heddle.empty() || bitcode.empty()) return 0;
  double left = run.deadline.Left(kMost);
  if (left < kLeast) {
    Note(report, "no time for the candidates of the bitcode (--time)");
    return 0;
  }
  auto start = std::chrono::steady_clock::now();
  std::string folder = std::filesystem::absolute(run.folder, failure).string() + "/static";
  std::string file = folder + ".json";
  std::vector<std::string> command = {run.heddle, "deadlock",       bitcode,     "-o",      folder,       "--json",
                                      file,       "--suppressions", "/dev/null", "--races", "--attempts", kAttempts};
  command.insert(command.end(), {"--time", fmt::format("{:.1f}s", std::min(left, run.seconds * kPart)), "--confirm"});
  command.emplace_back("--");
  command.insert(command.end(), run.command.begin(), run.command.end());
  ChildOptions options;
  options.quiet = true;
  options.seconds = left;
  options.environment.push_back(Assign(wire::variable::kConfig, ""));
  Result<ChildEnd> end = RunChild(command, options);
  Result<findings::Report> candidates = findings::LoadReport(file);
  if (end && !end->timed_out && candidates) {
    TakeCandidates(*candidates, report);
  } else {
    Note(report, fmt::format("candidates of the bitcode: not looked at ({})",
                             end && end->timed_out ? "no time" : "the analysis failed"));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace heddle::analysis
