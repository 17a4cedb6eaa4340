#include "base/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace heddle {
namespace {

constexpr int kBusyMilliseconds = 30'000;

}  // namespace

Result<std::unique_ptr<SqlDatabase>> SqlDatabase::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  int opened = sqlite3_open(path.c_str(), &handle);
  std::unique_ptr<SqlDatabase> database(new SqlDatabase(handle, path));
  if (opened != SQLITE_OK) return database->Failed();
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

SqlDatabase::~SqlDatabase() { sqlite3_close(handle_); }

Error SqlDatabase::Failed() const {
  // A file of something else is the caller's mistake; the rest is the disk's.
  bool foreign = sqlite3_errcode(handle_) == SQLITE_NOTADB;
  return MakeError(foreign ? ErrorCode::kBadInput : ErrorCode::kIo,
                   fmt::format("{}: {}", path_, sqlite3_errmsg(handle_)));
}

Status SqlDatabase::Execute(const std::string& sql) {
  return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Status{} : Status{Failed()};
}

Status SqlDatabase::Transaction(const std::function<bool()>& write) {
  if (Status begun = Execute("BEGIN IMMEDIATE"); !begun) return begun;
  Status done = write() ? Execute("COMMIT") : Status{Failed()};
  if (!done) (void)Execute("ROLLBACK");  // the first error is the one to tell
  return done;
}

int SqlDatabase::Changes() const { return sqlite3_changes(handle_); }

SqlStatement::SqlStatement(SqlDatabase& database, const char* sql) {
  failed_ = sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr) != SQLITE_OK;
}

SqlStatement::~SqlStatement() { sqlite3_finalize(statement_); }

SqlStatement& SqlStatement::Bind(uint64_t value) {
  sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(value));
  return *this;
}

SqlStatement& SqlStatement::Bind(double value) {
  sqlite3_bind_double(statement_, ++bound_, value);
  return *this;
}

SqlStatement& SqlStatement::Bind(const std::string& value) {
  sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  return *this;
}

bool SqlStatement::Row() {
  if (failed_) return false;
  int step = sqlite3_step(statement_);
  failed_ = step != SQLITE_ROW && step != SQLITE_DONE;
  return step == SQLITE_ROW;
}

bool SqlStatement::Done() {
  if (failed_) return false;
  failed_ = sqlite3_step(statement_) != SQLITE_DONE;
  return !failed_;
}

uint64_t SqlStatement::Number(int column) { return static_cast<uint64_t>(sqlite3_column_int64(statement_, column)); }

double SqlStatement::Real(int column) { return sqlite3_column_double(statement_, column); }

std::string SqlStatement::Text(int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? "" : std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace heddle
