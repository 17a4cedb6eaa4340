// How the file is kept: a row for each run, for each subject of it, for each finding in it, and for each pair of
// finding and subject. A run is one transaction, so a command that is killed leaves a whole run or none. Nothing is
// ever changed: when a finding came or went is computed from the rows (story.h), so a better rule needs no new file.
#include "analysis/history/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include "analysis/target/command_output.h"
#include "analysis/target/controlled_run.h"
#include "base/frame.h"

namespace heddle::analysis {
namespace {

constexpr uint64_t kVersion = 1;
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS runs(number INTEGER PRIMARY KEY, name TEXT NOT NULL, time TEXT NOT NULL, revision TEXT NOT NULL,
  program TEXT NOT NULL, undecided TEXT NOT NULL, searched INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS subjects(run INTEGER NOT NULL, name TEXT NOT NULL, decided INTEGER NOT NULL,
  searched INTEGER NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sightings(run INTEGER NOT NULL, fingerprint TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,
  status TEXT NOT NULL, message TEXT NOT NULL, places TEXT NOT NULL, active INTEGER NOT NULL,
  PRIMARY KEY(run, fingerprint)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shown(run INTEGER NOT NULL, fingerprint TEXT NOT NULL, subject TEXT NOT NULL,
  PRIMARY KEY(run, fingerprint, subject)) WITHOUT ROWID;
)";

std::string DatabasePath(const std::string& root) { return root + "/history.db"; }

std::vector<HistorySubject> SubjectsOf(const findings::Report& report) {
  std::vector<HistorySubject> subjects;
  for (const findings::TestResult& test : report.tests) {
    subjects.push_back({"test " + test.name, test.reason.empty(), test.searched});
  }
  if (!report.tests.empty()) return subjects;
  std::vector<std::string> command = {report.program};
  command.insert(command.end(), report.arguments.begin(), report.arguments.end());
  subjects.push_back(
      {"program " + CommandText(command), report.coverage.undecided.empty(), findings::SearchedAll(report.coverage)});
  return subjects;
}

// A finding of a suite names its tests; else it is of the one program.
std::vector<std::string> ShownBy(const findings::Finding& finding, const std::vector<HistorySubject>& subjects) {
  std::vector<std::string> names;
  for (const std::string& test : finding.tests) names.push_back("test " + test);
  if (names.empty() && subjects.size() == 1) names.push_back(subjects[0].name);
  return names;
}

// "hb.c:5, hb.c:4" as steps, so that what prints findings prints these too.
std::vector<findings::Step> StepsAt(const std::string& places) {
  std::vector<findings::Step> steps;
  for (size_t begin = 0; begin < places.size();) {
    size_t end = std::min(places.find(", ", begin), places.size());
    std::string place = places.substr(begin, end - begin);
    begin = end + 2;
    findings::Step step;
    step.site = static_cast<uint32_t>(steps.size() + 1);
    Frame frame;
    size_t colon = place.rfind(':');
    frame.file = place.substr(0, colon);
    if (colon != std::string::npos) frame.line = static_cast<uint32_t>(std::atoi(place.c_str() + colon + 1));
    if (frame.line == 0) continue;
    step.stack.push_back(frame);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

std::string_view HistoryRun::Verb() const { return std::string_view(name).substr(0, name.rfind('-')); }

HistoryRun RunOf(const std::string& name, const findings::Report& report) {
  HistoryRun run;
  run.name = name;
  run.program = report.program;
  run.undecided = report.coverage.undecided;
  run.searched = findings::SearchedAll(report.coverage);
  run.subjects = SubjectsOf(report);
  for (const findings::Finding& finding : report.findings) {
    run.sightings.push_back({finding.fingerprint, finding.id, finding.kind, finding.status, finding.message,
                             findings::SitePlaces(finding), findings::Active(finding), ShownBy(finding, run.subjects)});
  }
  return run;
}

findings::Report ReportOf(const HistoryRun& run) {
  findings::Report report;
  report.program = run.program;
  report.coverage.undecided = run.undecided;
  report.coverage.complete = run.searched;
  report.coverage.executions = run.searched ? 1 : 0;
  for (const HistorySighting& sighting : run.sightings) {
    findings::Finding finding;
    finding.id = sighting.id;
    finding.kind = sighting.kind;
    finding.status = sighting.status;
    finding.message = sighting.message;
    finding.fingerprint = sighting.fingerprint;
    finding.steps = StepsAt(sighting.places);
    finding.known = !sighting.active;
    report.findings.push_back(std::move(finding));
  }
  return report;
}

bool HistoryFile::Exists(const std::string& root) { return access(DatabasePath(root).c_str(), F_OK) == 0; }

Result<std::unique_ptr<HistoryFile>> HistoryFile::Open(const std::string& root) {
  Result<std::unique_ptr<SqlDatabase>> file = SqlDatabase::Open(DatabasePath(root));
  if (!file) return file.error();
  std::unique_ptr<HistoryFile> history(new HistoryFile(file.Take()));
  if (Status right = history->CheckVersion(); !right) return right.error();
  return history;
}

Status HistoryFile::CheckVersion() {
  uint64_t version = 0;
  {
    SqlStatement select(*file_, "PRAGMA user_version");
    if (!select.Row()) return file_->Failed();
    version = select.Number(0);
  }
  if (version > kVersion) {
    return MakeError(ErrorCode::kBadInput, fmt::format("{}: made by a later heddle (version {} of the file, this one "
                                                       "knows {})",
                                                       file_->path(), version, kVersion));
  }
  if (version == kVersion) return {};
  if (Status made = file_->Execute(kSchema); !made) return made;
  return file_->Execute(fmt::format("PRAGMA user_version = {}", kVersion));
}

bool HistoryFile::Write(const HistoryRun& run) {
  SqlStatement insert(*file_,
                      "INSERT INTO runs(name, time, revision, program, undecided, searched) VALUES(?, ?, ?, ?, ?, ?)");
  insert.Bind(run.name).Bind(run.time).Bind(run.revision).Bind(run.program).Bind(run.undecided);
  if (!insert.Bind(uint64_t{run.searched}).Done()) return false;
  SqlStatement last(*file_, "SELECT last_insert_rowid()");
  if (!last.Row()) return false;
  uint64_t number = last.Number(0);
  for (const HistorySubject& subject : run.subjects) {
    SqlStatement add(*file_, "INSERT OR REPLACE INTO subjects VALUES(?, ?, ?, ?)");
    add.Bind(number).Bind(subject.name).Bind(uint64_t{subject.decided}).Bind(uint64_t{subject.searched});
    if (!add.Done()) return false;
  }
  for (const HistorySighting& sighting : run.sightings) {
    SqlStatement add(*file_, "INSERT OR REPLACE INTO sightings VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    add.Bind(number).Bind(sighting.fingerprint).Bind(sighting.id);
    add.Bind(std::string(findings::KindName(sighting.kind))).Bind(std::string(findings::StatusName(sighting.status)));
    add.Bind(sighting.message).Bind(sighting.places).Bind(uint64_t{sighting.active});
    if (!add.Done()) return false;
    for (const std::string& subject : sighting.subjects) {
      SqlStatement shown(*file_, "INSERT OR REPLACE INTO shown VALUES(?, ?, ?)");
      if (!shown.Bind(number).Bind(sighting.fingerprint).Bind(subject).Done()) return false;
    }
  }
  return true;
}

Status HistoryFile::Add(const HistoryRun& run) {
  return file_->Transaction([&] { return Write(run); });
}

void HistoryFile::ReadSubjects(HistoryRun& run) {
  SqlStatement select(*file_, "SELECT name, decided, searched FROM subjects WHERE run = ? ORDER BY name");
  select.Bind(run.number);
  while (select.Row()) {
    run.subjects.push_back({select.Text(0), select.Number(1) != 0, select.Number(2) != 0});
  }
}

void HistoryFile::ReadSightings(HistoryRun& run) {
  SqlStatement select(*file_,
                      "SELECT fingerprint, id, kind, status, message, places, active FROM sightings WHERE run = ? "
                      "ORDER BY CAST(SUBSTR(id, 2) AS INTEGER), id");
  select.Bind(run.number);
  while (select.Row()) {
    HistorySighting sighting;
    sighting.fingerprint = select.Text(0);
    sighting.id = select.Text(1);
    sighting.kind = findings::KindFromName(select.Text(2)).value_or(findings::Kind::kFailure);
    sighting.status = findings::StatusFromName(select.Text(3)).value_or(findings::FindingStatus::kPossible);
    sighting.message = select.Text(4);
    sighting.places = select.Text(5);
    sighting.active = select.Number(6) != 0;
    SqlStatement shown(*file_, "SELECT subject FROM shown WHERE run = ? AND fingerprint = ? ORDER BY subject");
    shown.Bind(run.number).Bind(sighting.fingerprint);
    while (shown.Row()) sighting.subjects.push_back(shown.Text(0));
    run.sightings.push_back(std::move(sighting));
  }
}

Result<std::vector<HistoryRun>> HistoryFile::Runs() {
  std::vector<HistoryRun> runs;
  SqlStatement select(*file_,
                      "SELECT number, name, time, revision, program, undecided, searched FROM runs ORDER BY number");
  while (select.Row()) {
    HistoryRun run;
    run.number = select.Number(0);
    run.name = select.Text(1);
    run.time = select.Text(2);
    run.revision = select.Text(3);
    run.program = select.Text(4);
    run.undecided = select.Text(5);
    run.searched = select.Number(6) != 0;
    ReadSubjects(run);
    ReadSightings(run);
    runs.push_back(std::move(run));
  }
  if (select.Failed()) return file_->Failed();
  return runs;
}

std::string SourceRevision() {
  Result<std::string> text = CommandOutput({"git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"});
  if (!text || text->find('\n') + 1 != text->size()) return {};
  return text->substr(0, text->size() - 1);
}

std::string TimeNow() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", parts);
}

}  // namespace heddle::analysis
