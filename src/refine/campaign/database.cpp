#include "refine/campaign/database.h"

#include <fmt/format.h>

namespace heddle::refine {
namespace {

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ranges(first INTEGER PRIMARY KEY, count INTEGER NOT NULL, threads INTEGER, pairs INTEGER,
  matched INTEGER, undecided INTEGER, harmless_reads INTEGER, events INTEGER);
CREATE TABLE IF NOT EXISTS failures(key TEXT PRIMARY KEY, seed INTEGER, original TEXT, transformed TEXT,
  violated TEXT, headline TEXT, environment_seed INTEGER, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reasons(reason TEXT PRIMARY KEY, count INTEGER NOT NULL);
)";

// The words of a failure without names of variables: `t7_g3` and `t8_g0` are the same way to fail.
std::string Generalised(const std::string& headline) {
  std::string out;
  bool inside = false;
  for (char c : headline) {
    if (c == '`') inside = !inside;
    if (!inside || c == '`') out += c;
  }
  return out;
}

}  // namespace

RangeResult Summarise(SeedRange range, const BatchResult& result) {
  RangeResult out;
  out.range = range;
  out.threads = result.threads;
  out.pairs = result.pairs;
  out.matched = result.matched;
  out.undecided = result.undecided;
  out.harmless_reads = result.harmless_reads;
  out.events = result.events;
  for (const auto& [reason, count] : result.reasons) out.reasons[Generalised(reason)] += count;
  for (const Failure& failure : result.failures) {
    FailureRow row;
    row.seed = failure.thread.seed;
    row.original = failure.original.Label();
    row.transformed = failure.transformed.Label();
    row.constraint = ConstraintName(failure.result.violation.constraint);
    row.headline = failure.result.explanation.headline;
    row.environment_seed = failure.environment_seed;
    row.key =
        fmt::format("{} | {} | {} | {}", row.constraint, row.original, row.transformed, Generalised(row.headline));
    out.failures.push_back(row);
  }
  return out;
}

Status Database::CheckSettings(const std::map<std::string, std::string>& settings) {
  for (const auto& [key, value] : settings) {
    SqlStatement insert(*file_, "INSERT OR IGNORE INTO settings VALUES(?, ?)");
    if (!insert.Bind(key).Bind(value).Done()) return file_->Failed();
    SqlStatement select(*file_, "SELECT value FROM settings WHERE key = ?");
    if (!select.Bind(key).Row()) return file_->Failed();
    if (select.Text(0) == value) continue;
    return MakeError(ErrorCode::kUsage,
                     fmt::format("{} is a campaign with {} `{}`, not `{}`: give the same options to go on with it, or "
                                 "another database",
                                 file_->path(), key, select.Text(0), value));
  }
  return {};
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const std::map<std::string, std::string>& settings) {
  Result<std::unique_ptr<SqlDatabase>> file = SqlDatabase::Open(path);
  if (!file) return file.error();
  std::unique_ptr<Database> database(new Database(file.Take()));
  if (Status made = database->file_->Execute(kSchema); !made) return made.error();
  if (Status begun = database->file_->Execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  if (Status same = database->CheckSettings(settings); !same) return same.error();
  if (Status done = database->file_->Execute("COMMIT"); !done) return done.error();
  return database;
}

bool Database::Write(const RangeResult& r) {
  // A range that was handed out twice counts once.
  SqlStatement range(*file_, "INSERT OR IGNORE INTO ranges VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  range.Bind(r.range.first).Bind(uint64_t{r.range.count}).Bind(r.threads).Bind(r.pairs).Bind(r.matched);
  if (!range.Bind(r.undecided).Bind(r.harmless_reads).Bind(r.events).Done()) return false;
  if (file_->Changes() == 0) return true;
  for (const FailureRow& row : r.failures) {
    // Of several seeds the lowest, so that the order in which ranges come does not matter.
    SqlStatement failure(*file_,
                         "INSERT INTO failures VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO UPDATE SET "
                         "count = count + excluded.count, headline = CASE WHEN excluded.seed < seed THEN "
                         "excluded.headline ELSE headline END, environment_seed = CASE WHEN excluded.seed < seed THEN "
                         "excluded.environment_seed ELSE environment_seed END, seed = MIN(seed, excluded.seed)");
    failure.Bind(row.key).Bind(row.seed).Bind(row.original).Bind(row.transformed).Bind(row.constraint);
    if (!failure.Bind(row.headline).Bind(row.environment_seed).Bind(row.count).Done()) return false;
  }
  for (const auto& [reason, count] : r.reasons) {
    SqlStatement add(
        *file_, "INSERT INTO reasons VALUES(?, ?) ON CONFLICT(reason) DO UPDATE SET count = count + excluded.count");
    if (!add.Bind(reason).Bind(count).Done()) return false;
  }
  return true;
}

Status Database::Add(const RangeResult& result) {
  return file_->Transaction([&] { return Write(result); });
}

Result<std::map<uint64_t, uint32_t>> Database::Done() {
  std::map<uint64_t, uint32_t> done;
  SqlStatement select(*file_, "SELECT first, count FROM ranges");
  while (select.Row()) done[select.Number(0)] = static_cast<uint32_t>(select.Number(1));
  if (select.Failed()) return file_->Failed();
  return done;
}

Result<RangeResult> Database::Totals() {
  RangeResult all;
  SqlStatement sums(*file_,
                    "SELECT SUM(threads), SUM(pairs), SUM(matched), SUM(undecided), SUM(harmless_reads), SUM(events) "
                    "FROM ranges");
  if (!sums.Row()) return file_->Failed();
  uint64_t* fields[] = {&all.threads, &all.pairs, &all.matched, &all.undecided, &all.harmless_reads, &all.events};
  for (int i = 0; i < 6; ++i) *fields[i] = sums.Number(i);
  SqlStatement failures(*file_,
                        "SELECT key, seed, original, transformed, violated, headline, environment_seed, count FROM "
                        "failures ORDER BY key");
  while (failures.Row()) {
    all.failures.push_back({failures.Text(0), failures.Number(1), failures.Text(2), failures.Text(3), failures.Text(4),
                            failures.Text(5), failures.Number(6), failures.Number(7)});
  }
  SqlStatement reasons(*file_, "SELECT reason, count FROM reasons");
  while (reasons.Row()) all.reasons[reasons.Text(0)] = reasons.Number(1);
  if (failures.Failed() || reasons.Failed()) return file_->Failed();
  return all;
}

}  // namespace heddle::refine
