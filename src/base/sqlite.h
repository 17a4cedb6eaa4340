// A thin layer over SQLite for the files in which heddle keeps results: the campaigns of refine, the history of
// findings. Errors are values that name the file. One object is used by one thread; several processes may have the same
// file open (a writer waits for the other).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle {

class SqlDatabase {
 public:
  // Creates or opens the file.
  static Result<std::unique_ptr<SqlDatabase>> Open(const std::string& path);
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  Status Execute(const std::string& sql);
  // All that `write` does, or nothing of it. `write` returns false when a statement failed.
  Status Transaction(const std::function<bool()>& write);
  // Rows that the last statement changed.
  int Changes() const;
  // What went wrong last.
  Error Failed() const;
  const std::string& path() const { return path_; }

 private:
  friend class SqlStatement;
  SqlDatabase(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
};

// A prepared statement; values are bound in order.
class SqlStatement {
 public:
  SqlStatement(SqlDatabase& database, const char* sql);
  ~SqlStatement();
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  SqlStatement& Bind(uint64_t value);
  SqlStatement& Bind(double value);
  SqlStatement& Bind(const std::string& value);

  // Whether there is a row; Failed() says whether the rows ended with an error.
  bool Row();
  // For statements without rows: whether it was done.
  bool Done();
  bool Failed() const { return failed_; }

  uint64_t Number(int column);
  double Real(int column);
  std::string Text(int column);

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  bool failed_ = false;
};

}  // namespace heddle
