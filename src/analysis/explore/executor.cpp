#include "analysis/explore/executor.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace heddle::analysis {
namespace {

constexpr uint64_t kMostLogged = uint64_t{1} << 30U;

bool SameStep(const explore::Step& a, const explore::Step& b) { return a.thread == b.thread && a.value == b.value; }
bool SameEvent(const wire::ExploredEvent& a, const wire::ExploredEvent& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool Same(const explore::Request& a, const explore::Request& b) {
  return a.sleep_from == b.sleep_from &&
         std::equal(a.prefix.begin(), a.prefix.end(), b.prefix.begin(), b.prefix.end(), SameStep) &&
         std::equal(a.sleeping.begin(), a.sleeping.end(), b.sleeping.begin(), b.sleeping.end(), SameEvent);
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::Start(const ExecutorOptions& options) {
  std::unique_ptr<Executor> executor(new Executor(options));
  Status opened = executor->Open();
  if (!opened) return opened.error();
  return executor;
}

Status Executor::Open() {
  if (!options_.resume.empty()) {
    Result<std::unique_ptr<ExecutionLog>> old = ExecutionLog::Open(options_.resume, options_.identity);
    if (!old) return old.error();
    old_log_ = old.Take();
  }
  for (uint32_t i = 0; i < options_.jobs; ++i) {
    TargetOptions target = options_.target;
    target.name = "target" + (i == 0 ? "" : std::to_string(i));
    Result<std::unique_ptr<ExploredProgram>> started = options_.program->Explore(target);
    if (!started) return started.error();
    workers_.push_back({started.Take(), {}});
  }
  threads_ = workers_[0].target->ThreadNames();
  if (options_.log.empty()) return {};
  Result<std::unique_ptr<ExecutionLog>> log = ExecutionLog::Create(options_.log, options_.identity);
  if (!log) return log.error();
  log_ = log.Take();
  return {};
}

std::optional<Performed> Executor::FromLog() {
  if (old_log_ == nullptr) return std::nullopt;
  std::optional<LoggedExecution> logged = old_log_->Read();
  if (!logged) {
    old_log_.reset();
    return std::nullopt;
  }
  threads_ = logged->threads;
  timeouts_cut_ = logged->timeouts_cut;
  mixed_sizes_ = logged->mixed_sizes;
  return logged->performed;
}

Status Executor::Log(const Performed& performed) {
  if (log_ == nullptr) return {};
  logged_ += (performed.execution.events.size() + performed.execution.pending.size()) * sizeof(wire::ExploredEvent);
  if (logged_ > kMostLogged) {
    log_.reset();
    std::error_code failure;
    std::filesystem::remove(options_.log, failure);
    return {};
  }
  return log_->Append({performed, threads_, timeouts_cut_, mixed_sizes_});
}

bool Executor::Saved() { return log_ != nullptr && log_->Flush(); }

Status Executor::Begin(Worker& worker, const explore::Request& request) {
  worker.target->SetThreadNames(threads_);
  Status begun = worker.target->Begin(request);
  if (begun) worker.busy = request;
  return begun;
}

// Whether the worker's numbers of threads are ours; new ones of either are then those of both.
bool Executor::SameThreads(const Worker& worker) {
  uint32_t count = worker.target->ThreadCount();
  if (count == threads_.size() && jobs() == 1) return true;
  std::vector<std::string> names = worker.target->ThreadNames();
  size_t common = std::min(names.size(), threads_.size());
  if (!std::equal(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(common), threads_.begin())) return false;
  if (names.size() > threads_.size()) threads_ = std::move(names);
  return true;
}

// Whether the names from `known` on are what others call these threads too.
Result<bool> Executor::Agreed(size_t known) {
  if (!options_.agree || threads_.size() == known) return true;
  Result<std::vector<std::string>> all = options_.agree(threads_);
  if (!all) return all.error();
  bool same = all->size() >= threads_.size() && std::equal(threads_.begin(), threads_.end(), all->begin());
  threads_ = all.Take();
  return same;
}

void Executor::NoteCuts(const ExploredProgram& target) {
  timeouts_cut_ = timeouts_cut_ || target.TimeoutsCut();
  mixed_sizes_ = mixed_sizes_ || target.MixedSizes();
}

Result<Performed> Executor::Finish(Worker& worker) {
  for (;;) {
    Result<Performed> performed = worker.target->Finish();
    explore::Request request = *worker.busy;
    worker.busy.reset();
    if (!performed) return performed.error();
    NoteCuts(*worker.target);
    size_t known = threads_.size();
    if (SameThreads(worker)) {
      Result<bool> agreed = Agreed(known);
      if (!agreed) return agreed.error();
      if (*agreed) return performed;
    }
    Status begun = Begin(worker, request);
    if (!begun) return begun.error();
  }
}

void Executor::CollectReady() {
  for (Worker& worker : workers_) {
    if (!worker.busy || !worker.target->Answered()) continue;
    explore::Request request = *worker.busy;
    Result<Performed> performed = Finish(worker);
    // One that failed is performed again when it is asked for, and fails again.
    if (performed) ready_.push_back({std::move(request), performed.Take()});
  }
  size_t most = workers_.size() * 8;
  if (ready_.size() > most) ready_.erase(ready_.begin(), ready_.end() - static_cast<std::ptrdiff_t>(most));
}

void Executor::Prepare(const std::vector<explore::Request>& requests) {
  if (old_log_ != nullptr || workers_.size() == 1) return;
  CollectReady();
  for (const explore::Request& request : requests) {
    auto is_it = [&](const Ready& ready) { return Same(ready.request, request); };
    bool known = std::any_of(ready_.begin(), ready_.end(), is_it) ||
                 std::any_of(workers_.begin(), workers_.end(),
                             [&](const Worker& worker) { return worker.busy && Same(*worker.busy, request); });
    auto idle = std::find_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.busy; });
    if (idle == workers_.end()) return;
    if (!known && !Begin(*idle, request)) return;
  }
}

Result<Performed> Executor::Perform(const explore::Request& request) {
  if (std::optional<Performed> logged = FromLog(); logged) {
    Status again = Log(*logged);
    if (!again) return again.error();
    return std::move(*logged);
  }
  auto ready = std::find_if(ready_.begin(), ready_.end(), [&](const Ready& r) { return Same(r.request, request); });
  Result<Performed> performed = Performed{};
  if (ready != ready_.end()) {
    performed = std::move(ready->performed);
    ready_.erase(ready);
  } else {
    auto worker = std::find_if(workers_.begin(), workers_.end(),
                               [&](const Worker& w) { return w.busy && Same(*w.busy, request); });
    if (worker == workers_.end()) {
      worker = std::find_if(workers_.begin(), workers_.end(), [](const Worker& w) { return !w.busy; });
      if (worker == workers_.end()) {
        worker = workers_.begin();
        Result<Performed> other = Finish(*worker);
        if (!other) return other.error();
      }
      Status begun = Begin(*worker, request);
      if (!begun) return begun.error();
    }
    performed = Finish(*worker);
  }
  if (!performed) return performed.error();
  Status written = Log(*performed);
  if (!written) return written.error();
  return performed;
}

Result<Performed> Executor::Sample(const SamplePlan& plan) {
  if (std::optional<Performed> logged = FromLog(); logged) {
    Status again = Log(*logged);
    if (!again) return again.error();
    return std::move(*logged);
  }
  Worker& worker = workers_[0];
  worker.target->SetThreadNames(threads_);
  Result<Performed> performed = worker.target->Sample(plan);
  if (!performed) return performed.error();
  SameThreads(worker);
  NoteCuts(*worker.target);
  Status written = Log(*performed);
  if (!written) return written.error();
  return performed;
}

std::set<std::string> Executor::Gaps() const {
  std::set<std::string> gaps;
  for (const Worker& worker : workers_) {
    for (const std::string& gap : worker.target->Gaps()) gaps.insert(gap);
  }
  return gaps;
}

std::string Executor::ForkedText() const {
  for (const Worker& worker : workers_) {
    if (std::string text = worker.target->ForkedText(); !text.empty()) return text;
  }
  return "";
}

}  // namespace heddle::analysis
