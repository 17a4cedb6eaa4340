#include "analysis/explore/executor.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace heddle::analysis {
namespace {

constexpr uint64_t kMostLogged = uint64_t{1} << 30U;

bool SameStep(const explore::Step& a, const explore::Step& b) { return a.thread == b.thread && a.value == b.value; }
// For the target, which asks of a sleeper what depends on it and no more. A guess has the event as it was somewhere
// else, with other threads enabled.
bool SameSleeper(const wire::ExploredEvent& a, const wire::ExploredEvent& b) {
  return a.thread == b.thread && a.object == b.object && a.second == b.second && a.role == b.role &&
         a.flags == b.flags && a.bytes == b.bytes && a.value == b.value && a.own == b.own && a.commutes == b.commutes;
}
bool Same(const explore::Request& a, const explore::Request& b) {
  return a.sleep_from == b.sleep_from && a.commute == b.commute &&
         std::equal(a.prefix.begin(), a.prefix.end(), b.prefix.begin(), b.prefix.end(), SameStep) &&
         std::equal(a.sleeping.begin(), a.sleeping.end(), b.sleeping.begin(), b.sleeping.end(), SameSleeper);
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
    target.alternates = options_.jobs == 1 && !options_.agree;
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
  if (log_->bytes() > kMostLogged) {
    log_.reset();
    std::error_code failure;
    std::filesystem::remove(options_.log, failure);
    return {};
  }
  return log_->Append(performed, threads_, timeouts_cut_, mixed_sizes_);
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

void Executor::CollectReady(const Worker* except) {
  for (Worker& worker : workers_) {
    if (&worker == except || !worker.busy || !worker.target->Answered()) continue;
    explore::Request request = *worker.busy;
    Result<Performed> performed = Finish(worker);
    // One that failed is performed again when it is asked for, and fails again.
    if (performed) ready_.push_back({std::move(request), performed.Take()});
  }
}

// Answers that will not be asked for, and when there are too many, those that will be asked for last: these leave the
// path nearest to its beginning.
void Executor::DropSome(const explore::Search& search) {
  std::erase_if(ready_, [&](const Ready& ready) { return !search.MayAsk(ready.request); });
  constexpr size_t kMostEvents = size_t{1} << 20U;
  size_t events = 0;
  for (const Ready& ready : ready_) events += ready.performed.execution.events.size();
  while (!ready_.empty() && (ready_.size() > MostReady() || events > kMostEvents)) {
    auto last = std::min_element(ready_.begin(), ready_.end(), [](const Ready& a, const Ready& b) {
      return a.request.sleep_from < b.request.sleep_from;
    });
    events -= last->performed.execution.events.size();
    ready_.erase(last);
  }
}

bool Executor::Idle() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.busy; });
}

bool Executor::IsKnown(const explore::Request& request) const {
  return std::any_of(ready_.begin(), ready_.end(), [&](const Ready& ready) { return Same(ready.request, request); }) ||
         std::any_of(workers_.begin(), workers_.end(),
                     [&](const Worker& worker) { return worker.busy && Same(*worker.busy, request); });
}

// Those that find nobody idle wait.
void Executor::BeginSome(std::vector<explore::Request> requests) {
  waiting_.clear();
  for (explore::Request& request : requests) {
    if (IsKnown(request)) continue;
    auto idle = std::find_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.busy; });
    if (idle == workers_.end() || ready_.size() >= MostReady()) {
      waiting_.push_back(std::move(request));
    } else if (!Begin(*idle, request)) {
      return;
    }
  }
}

void Executor::Prepare(const explore::Search& search) {
  if (old_log_ != nullptr || workers_.size() == 1) return;
  CollectReady(nullptr);
  std::vector<explore::Request> requests;
  // Looking far ahead takes longer than short executions do: at most a quarter of the time that is spent waiting.
  bool cheap = looked_ > waited_ / 4;
  auto begin = Clock::now();
  if (cheap) {
    search.Ahead(workers_.size(), &requests);
    if (ready_.size() > MostReady()) DropSome(search);
  } else {
    DropSome(search);
    if (Idle()) LookAhead(search, &requests);
    looked_ += Clock::now() - begin;
  }
  BeginSome(std::move(requests));
}

void Executor::LookAhead(const explore::Search& search, std::vector<explore::Request>* requests) const {
  search.Ahead(2 * workers_.size() + ready_.size(), requests);
  std::erase_if(*requests, [this](const explore::Request& request) { return IsKnown(request); });
  if (requests->size() >= workers_.size()) return;
  // What it has is performed, or under way: the answers that wait show what comes behind them.
  auto known = [this](const explore::Request& request) -> const explore::Execution* {
    auto ready = std::find_if(ready_.begin(), ready_.end(), [&](const Ready& r) { return Same(r.request, request); });
    return ready == ready_.end() ? nullptr : &ready->performed.execution;
  };
  requests->clear();
  search.FurtherAhead(4 * workers_.size(), known, requests);
}

// Until the worker has answered, the others are given what waits.
void Executor::ServeOthers(const Worker& worker) {
  constexpr timespec kPause{0, 50'000};
  while (!waiting_.empty() && !worker.target->Answered()) {
    bool answered = std::any_of(workers_.begin(), workers_.end(), [&](const Worker& other) {
      return &other != &worker && (!other.busy || other.target->Answered());
    });
    if (answered && ready_.size() < MostReady()) {
      CollectReady(&worker);
      BeginSome(std::move(waiting_));
    } else {
      nanosleep(&kPause, nullptr);
    }
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
        explore::Request guessed = *worker->busy;
        Result<Performed> other = Finish(*worker);
        if (!other) return other.error();
        ready_.push_back({std::move(guessed), other.Take()});
      }
      Status begun = Begin(*worker, request);
      if (!begun) return begun.error();
    }
    auto begin = Clock::now();
    ServeOthers(*worker);
    performed = Finish(*worker);
    waited_ += Clock::now() - begin;
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
