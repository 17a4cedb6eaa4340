// What a search has performed, execution by execution, in a file beside its results: a search that was stopped goes on
// by hearing all of it again, without the program (heddle explore --resume). An execution is stored as what differs
// from the one before. Native byte order and layout: the file is for this machine and this version of heddle.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/explore/explore_target.h"
#include "base/result.h"

namespace heddle::analysis {

// Everything that must be the same for a search to go on: the program, its arguments, the options.
struct SearchIdentity {
  std::string text;
};

// As it is read; of the execution written last, its events and the threads.
struct LoggedExecution {
  Performed performed;
  std::vector<std::string> threads;  // all that are known behind it
  bool timeouts_cut = false;
  bool mixed_sizes = false;
};

class ExecutionLog {
 public:
  static Result<std::unique_ptr<ExecutionLog>> Create(const std::string& path, const SearchIdentity& identity);
  // kUsage: another search. kBadInput: not such a file.
  static Result<std::unique_ptr<ExecutionLog>> Open(const std::string& path, const SearchIdentity& identity);
  ~ExecutionLog();
  ExecutionLog(const ExecutionLog&) = delete;
  ExecutionLog& operator=(const ExecutionLog&) = delete;

  // `threads`: all that are known behind it.
  Status Append(const Performed& performed, const std::vector<std::string>& threads, bool timeouts_cut,
                bool mixed_sizes);
  uint64_t bytes() const { return bytes_; }  // written
  // Nothing at the end. What was written last when the machine or heddle was killed may be missing.
  std::optional<LoggedExecution> Read();
  Status Flush();

 private:
  struct Head;
  explicit ExecutionLog(FILE* file) : file_(file) {}
  bool PutEvents(const wire::ExploredEvent* events, size_t count);
  bool GetEvents(std::vector<wire::ExploredEvent>& events, size_t from, size_t count);

  FILE* file_;
  std::vector<char> buffer_;  // the file's
  std::vector<char> packed_;
  uint64_t bytes_ = 0;
  LoggedExecution last_;
};

}  // namespace heddle::analysis
