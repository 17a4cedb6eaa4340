#include "in_process/in_process_search.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "explore/answer.h"
#include "explore/call_name.h"
#include "sched/operation.h"

namespace heddle::in_process {
namespace {

using explore::End;
using wire::InProcessNext;
using wire::LinkEnd;

template <size_t kSize>
void Put(char (&to)[kSize], const std::string& text) {
  size_t bytes = std::min(text.size(), kSize - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = '\0';
}

}  // namespace

InProcessSearch::InProcessSearch(const heddle_explore_options& options, wire::ExploreLink* link,
                                 heddle_exploration* result)
    : options_(options), link_(link), result_(result) {
  explore::SearchOptions search;
  if (options.preemptions >= 0) search.preemptions = static_cast<uint32_t>(options.preemptions);
  search.commute = true;
  search_ = explore::MakeSearch(search);
}

InProcessNext InProcessSearch::Step() {
  if (begun_) return Learn();
  begun_ = true;
  result_->ran = 1;
  return Ask();
}

bool InProcessSearch::Bounded(const std::string& by) {
  Put(result_->bound, by);
  return true;
}

bool InProcessSearch::LimitReached() {
  uint64_t performed = result_->executions + result_->blocked;
  if (options_.executions != 0 && performed >= options_.executions) {
    return Bounded("stopped by the limit of " + std::to_string(options_.executions) + " executions");
  }
  if (options_.seconds <= 0) return false;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return elapsed.count() > options_.seconds && Bounded("stopped by the time limit");
}

InProcessNext InProcessSearch::Ask() {
  if (!search_->Next(&request_)) {
    bool whole = result_->bound[0] == '\0';
    if (search_->Cut() && whole) {
      Bounded("complete up to " + std::to_string(options_.preemptions) + " preemptions");
      whole = false;
    }
    result_->complete = whole ? 1 : 0;
    return InProcessNext::kDone;
  }
  if (LimitReached()) return InProcessNext::kDone;
  explore::PutRequest(request_, link_);
  return InProcessNext::kPerform;
}

// What the body did that cannot be repeated.
std::string InProcessSearch::WhyNot() const {
  if (link_->given_up == wire::kGaveUpMemory) return "the body writes more memory than can be restored";
  if (link_->given_up > wire::kGaveUpMemory) {
    return "the body calls " + explore::CallName(link_->given_up - wire::kGaveUpCall) +
           ", which changes more than memory; heddle explore -- PROGRAM runs it in copies of the process";
  }
  if (link_->end == LinkEnd::kManyThreads) return "more than " + std::to_string(wire::kMaxExplored) + " threads";
  if (link_->end == LinkEnd::kLeftThreads) return "the body returned while threads that it made were running";
  return "";
}

std::string InProcessSearch::Failure() const {
  int status = link_->status;
  if (WIFSIGNALED(status)) return std::string("SIG") + sigabbrev_np(WTERMSIG(status));
  if (link_->end == LinkEnd::kLivelock) return "livelock: threads spin for ever on what no other thread will change";
  if (execution_.end == End::kDeadlock) return "deadlock: no thread can go on";
  if (execution_.end == End::kDone && WEXITSTATUS(status) != 0) return "an expectation failed, see above";
  return "";
}

std::string InProcessSearch::ScheduleText() const {
  std::string text;
  uint32_t last = wire::kMaxExplored;
  for (const wire::ExploredEvent& event : execution_.events) {
    const char* name = sched::OperationName(event.operation);
    if (event.thread != last) text += (text.empty() ? "  " : "\n  ") + std::string(link_->names[event.thread]) + ":";
    last = event.thread;
    text += std::string(" ") + (name == nullptr ? "?" : name);
  }
  return text;
}

// Only what the test itself can report is performed once more for it.
InProcessNext InProcessSearch::Fail(const std::string& how) {
  result_->failed = 1;
  Put(result_->failure, how);
  Put(result_->schedule, ScheduleText());
  Bounded("stopped by the first failure");
  if (WIFSIGNALED(link_->status) || execution_.end != End::kDone) return InProcessNext::kDone;
  request_.prefix.clear();
  for (const wire::ExploredEvent& event : execution_.events) {
    bool choice = event.role == wire::Role::kChoice;
    request_.prefix.push_back({event.thread, static_cast<uint8_t>(choice ? event.value : 0)});
  }
  request_.sleeping.clear();
  explore::PutRequest(request_, link_);
  return InProcessNext::kLast;
}

InProcessNext InProcessSearch::Learn() {
  std::string why = WhyNot();
  if (!why.empty()) {
    result_->ran = 0;
    Put(result_->unsupported, why);
    return InProcessNext::kDone;
  }
  explore::TakeAnswer(*link_, &execution_);
  bool redundant = execution_.end == End::kAsleep || execution_.end == End::kBlocked;
  ++(redundant ? result_->blocked : result_->executions);
  result_->events += execution_.events.size();
  if (std::string how = Failure(); !how.empty()) return Fail(how);
  if (execution_.end == End::kDepth) Bounded("executions were cut at the depth");
  if (link_->timeouts != 0) Bounded("waits with a limit run out at most twice in each thread while others can go");
  if (!search_->Executed(execution_)) {
    result_->ran = 0;
    Put(result_->unsupported, "step " + std::to_string(search_->difference().step + 1) +
                                  " was not the same again: the body depends on something besides the schedule");
    return InProcessNext::kDone;
  }
  return Ask();
}

}  // namespace heddle::in_process

// The object is never destroyed: its heap is given back as a whole.
extern "C" __attribute__((visibility("default"))) heddle::wire::InProcessNext heddle_in_process_step(
    void** search, const heddle_explore_options* options, heddle::wire::ExploreLink* link, heddle_exploration* result) {
  auto*& known = *reinterpret_cast<heddle::in_process::InProcessSearch**>(search);
  if (known == nullptr) known = new heddle::in_process::InProcessSearch(*options, link, result);
  return known->Step();
}
