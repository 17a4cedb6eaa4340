// The history of findings: what every command in a results folder has found, in one SQLite file (root/history.db), so
// that it can be said when a finding came, when it was last seen, and whether it is gone (docs/history.md).
//
// A run is one command. Its subjects are what it looked at: a program with its arguments, or each test of a suite. A
// finding that is missing in a later run says something only about subjects that this run looked at and decided.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sqlite.h"
#include "findings/report.h"

namespace heddle::analysis {

struct HistorySubject {
  std::string name;       // "program ./server --once", "test cache_test"
  bool decided = false;   // "not found" means something
  bool searched = false;  // every execution was gone through (findings::SearchedAll)

  bool operator==(const HistorySubject&) const = default;
};

// A finding in one run.
struct HistorySighting {
  std::string fingerprint;
  std::string id;  // "F1" in that run
  findings::Kind kind = findings::Kind::kDataRace;
  findings::FindingStatus status = findings::FindingStatus::kPossible;
  std::string message;
  std::string places;                 // as findings::SitePlaces
  bool active = true;                 // neither suppressed nor in the baseline
  std::vector<std::string> subjects;  // that showed it

  bool operator==(const HistorySighting&) const = default;
};

struct HistoryRun {
  uint64_t number = 0;   // in the order of time
  std::string name;      // of its folder, "check-7"
  std::string time;      // "2026-11-17 07:30:12", UTC
  std::string revision;  // of the source as git names it; "" when unknown
  std::string program;
  std::string undecided;  // Coverage::undecided
  bool searched = false;
  std::vector<HistorySubject> subjects;
  std::vector<HistorySighting> sightings;

  std::string_view Verb() const;  // "check"
};

// `name`: of the results folder.
HistoryRun RunOf(const std::string& name, const findings::Report& report);

// What `findings::Compare` and the writers need of a run whose report may be gone.
findings::Report ReportOf(const HistoryRun& run);

class HistoryFile {
 public:
  // Creates or opens root/history.db. An error when it is no history or one of a later heddle.
  static Result<std::unique_ptr<HistoryFile>> Open(const std::string& root);
  static bool Exists(const std::string& root);

  Status Add(const HistoryRun& run);
  // Oldest first.
  Result<std::vector<HistoryRun>> Runs();

 private:
  explicit HistoryFile(std::unique_ptr<SqlDatabase> file) : file_(std::move(file)) {}
  Status CheckVersion();
  bool Write(const HistoryRun& run);
  void ReadSubjects(HistoryRun& run);
  void ReadSightings(HistoryRun& run);

  std::unique_ptr<SqlDatabase> file_;
};

// The revision of the source in the current folder, "6d8c029ab12f" or "6d8c029ab12f-dirty"; "" without git.
std::string SourceRevision();

// The time now, as HistoryRun has it.
std::string TimeNow();

}  // namespace heddle::analysis
