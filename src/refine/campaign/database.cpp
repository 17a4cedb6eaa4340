#include "refine/campaign/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <functional>

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

// A prepared statement; values are bound in order.
class Statement {
 public:
  Statement(sqlite3* handle, const char* sql) { sqlite3_prepare_v2(handle, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(uint64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value));
    return *this;
  }
  Statement& Bind(const std::string& value) {
    sqlite3_bind_text(statement_, ++bound_, value.c_str(), -1, SQLITE_TRANSIENT);
    return *this;
  }
  int Step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  uint64_t Number(int column) { return static_cast<uint64_t>(sqlite3_column_int64(statement_, column)); }
  std::string Text(int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? "" : text;
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

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

Error Database::Failed() const {
  return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path_, sqlite3_errmsg(handle_)));
}

Status Database::Execute(const std::string& sql) {
  return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status{} : Status{Failed()};
}

Database::~Database() { sqlite3_close(handle_); }

Status Database::CheckSettings(const std::map<std::string, std::string>& settings) {
  for (const auto& [key, value] : settings) {
    Statement insert(handle_, "INSERT OR IGNORE INTO settings VALUES(?, ?)");
    if (insert.Bind(key).Bind(value).Step() != SQLITE_DONE) return Failed();
    Statement select(handle_, "SELECT value FROM settings WHERE key = ?");
    if (select.Bind(key).Step() != SQLITE_ROW) return Failed();
    if (select.Text(0) == value) continue;
    return MakeError(ErrorCode::kUsage,
                     fmt::format("{} is a campaign with {} `{}`, not `{}`: give the same options to go on with it, or "
                                 "another database",
                                 path_, key, select.Text(0), value));
  }
  return {};
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path,
                                                 const std::map<std::string, std::string>& settings) {
  sqlite3* handle = nullptr;
  int opened = sqlite3_open(path.c_str(), &handle);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (opened != SQLITE_OK) return database->Failed();
  sqlite3_busy_timeout(handle, 30'000);
  if (Status made = database->Execute(kSchema); !made) return made.error();
  if (Status begun = database->Execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  if (Status same = database->CheckSettings(settings); !same) return same.error();
  if (Status done = database->Execute("COMMIT"); !done) return done.error();
  return database;
}

Status Database::Add(const RangeResult& r) {
  if (Status begun = Execute("BEGIN IMMEDIATE"); !begun) return begun;
  auto write = [&]() -> bool {
    // A range that was handed out twice counts once.
    Statement range(handle_, "INSERT OR IGNORE INTO ranges VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    range.Bind(r.range.first).Bind(r.range.count).Bind(r.threads).Bind(r.pairs).Bind(r.matched).Bind(r.undecided);
    if (range.Bind(r.harmless_reads).Bind(r.events).Step() != SQLITE_DONE) return false;
    if (sqlite3_changes(handle_) == 0) return true;
    for (const FailureRow& row : r.failures) {
      // Of several seeds the lowest, so that the order in which ranges come does not matter.
      Statement failure(handle_,
                        "INSERT INTO failures VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO UPDATE SET "
                        "count = count + excluded.count, headline = CASE WHEN excluded.seed < seed THEN "
                        "excluded.headline ELSE headline END, environment_seed = CASE WHEN excluded.seed < seed THEN "
                        "excluded.environment_seed ELSE environment_seed END, seed = MIN(seed, excluded.seed)");
      failure.Bind(row.key).Bind(row.seed).Bind(row.original).Bind(row.transformed).Bind(row.constraint);
      if (failure.Bind(row.headline).Bind(row.environment_seed).Bind(row.count).Step() != SQLITE_DONE) return false;
    }
    for (const auto& [reason, count] : r.reasons) {
      Statement add(
          handle_, "INSERT INTO reasons VALUES(?, ?) ON CONFLICT(reason) DO UPDATE SET count = count + excluded.count");
      if (add.Bind(reason).Bind(count).Step() != SQLITE_DONE) return false;
    }
    return true;
  };
  if (write()) return Execute("COMMIT");
  Error error = Failed();
  (void)Execute("ROLLBACK");
  return error;
}

Result<std::map<uint64_t, uint32_t>> Database::Done() {
  std::map<uint64_t, uint32_t> done;
  Statement select(handle_, "SELECT first, count FROM ranges");
  int step = select.Step();
  for (; step == SQLITE_ROW; step = select.Step()) done[select.Number(0)] = static_cast<uint32_t>(select.Number(1));
  if (step != SQLITE_DONE) return Failed();
  return done;
}

Result<RangeResult> Database::Totals() {
  RangeResult all;
  Statement sums(handle_,
                 "SELECT SUM(threads), SUM(pairs), SUM(matched), SUM(undecided), SUM(harmless_reads), SUM(events) "
                 "FROM ranges");
  if (sums.Step() != SQLITE_ROW) return Failed();
  uint64_t* fields[] = {&all.threads, &all.pairs, &all.matched, &all.undecided, &all.harmless_reads, &all.events};
  for (int i = 0; i < 6; ++i) *fields[i] = sums.Number(i);
  Statement failures(handle_,
                     "SELECT key, seed, original, transformed, violated, headline, environment_seed, count FROM "
                     "failures ORDER BY key");
  while (failures.Step() == SQLITE_ROW) {
    all.failures.push_back({failures.Text(0), failures.Number(1), failures.Text(2), failures.Text(3), failures.Text(4),
                            failures.Text(5), failures.Number(6), failures.Number(7)});
  }
  Statement reasons(handle_, "SELECT reason, count FROM reasons");
  while (reasons.Step() == SQLITE_ROW) all.reasons[reasons.Text(0)] = reasons.Number(1);
  return all;
}

}  // namespace heddle::refine
