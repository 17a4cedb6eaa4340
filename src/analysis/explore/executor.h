// Who performs the executions of a search: one program, or several at a time (--jobs), or the log of a search that was
// stopped (--resume). Whatever performs them, the search hears the same executions in the same order.
//
// With several programs, each performs what the search will probably ask for next (Search::Ahead). An answer is used
// only when exactly that is asked for, so the search is the one that a single program gives; a guess that was wrong is
// performed for nothing. Threads have numbers in the order in which they were first seen; all programs are given the
// numbers of the first that saw one, and an execution that has made up other ones meanwhile is performed again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/explore/execution_log.h"
#include "analysis/target/target.h"
#include "explore/search.h"

namespace heddle::analysis {

struct ExecutorOptions {
  Target* program = &Processes();
  TargetOptions target;
  uint32_t jobs = 1;
  std::string log;     // where executions are written; "": nowhere
  std::string resume;  // the log of the search to go on with; "": none
  SearchIdentity identity;
  // Given the names of threads with new ones at the end: those that hold from now on, which may put others before them.
  std::function<Result<std::vector<std::string>>(const std::vector<std::string>&)> agree;
};

class Executor {
 public:
  static Result<std::unique_ptr<Executor>> Start(const ExecutorOptions& options);

  Result<Performed> Perform(const explore::Request& request);
  Result<Performed> Sample(const SamplePlan& plan);
  // Begins what the search will probably ask for.
  void Prepare(const explore::Search& search);
  uint32_t jobs() const { return static_cast<uint32_t>(workers_.size()); }

  const std::vector<std::string>& threads() const { return threads_; }
  // These begin with threads().
  void UseThreads(const std::vector<std::string>& names) { threads_ = names; }
  bool TimeoutsCut() const { return timeouts_cut_; }
  bool MixedSizes() const { return mixed_sizes_; }
  // What executions did that the search does not model.
  std::set<std::string> Gaps() const;
  std::string ForkedText() const;
  // Whether another search can go on from the log.
  bool Saved();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::unique_ptr<ExploredProgram> target;
    std::optional<explore::Request> busy;
  };
  // How many answers are kept until they are asked for.
  size_t MostReady() const { return workers_.size() * 32; }

  struct Ready {
    explore::Request request;
    Performed performed;
  };
  explicit Executor(const ExecutorOptions& options) : options_(options) {}
  Status Open();
  Status Begin(Worker& worker, const explore::Request& request);
  Result<Performed> Finish(Worker& worker);
  bool SameThreads(const Worker& worker);
  Result<bool> Agreed(size_t known);
  void CollectReady(const Worker* except);
  void DropSome(const explore::Search& search);
  bool Idle() const;
  void LookAhead(const explore::Search& search, std::vector<explore::Request>* requests) const;
  bool IsKnown(const explore::Request& request) const;
  void BeginSome(std::vector<explore::Request> requests);
  void ServeOthers(const Worker& worker);
  void NoteCuts(const ExploredProgram& target);
  std::optional<Performed> FromLog();
  Status Log(const Performed& performed);

  ExecutorOptions options_;
  std::vector<Worker> workers_;
  std::vector<Ready> ready_;
  std::vector<explore::Request> waiting_;  // would be begun if somebody were idle
  std::vector<std::string> threads_;
  std::unique_ptr<ExecutionLog> log_;
  std::unique_ptr<ExecutionLog> old_log_;
  Clock::duration waited_{0};  // for workers
  Clock::duration looked_{0};  // ahead
  bool timeouts_cut_ = false;
  bool mixed_sizes_ = false;
};

}  // namespace heddle::analysis
