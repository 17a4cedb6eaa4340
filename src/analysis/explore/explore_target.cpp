#include "analysis/explore/explore_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "analysis/target/controlled_run.h"
#include "analysis/target/outcome.h"
#include "explore/answer.h"
#include "explore/call_name.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

using wire::LinkEnd;
using Clock = std::chrono::steady_clock;

// Waits until the word is no longer `value`, or for a while.
void WaitAt(uint32_t* word, uint32_t value, int milliseconds) {
  timespec limit{0, milliseconds * 1'000'000L};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

}  // namespace

Result<std::unique_ptr<ExploreTarget>> ExploreTarget::Start(const TargetOptions& options) {
  std::unique_ptr<ExploreTarget> target(new ExploreTarget(options));
  for (auto step : {&ExploreTarget::Map, &ExploreTarget::Launch, &ExploreTarget::AwaitReady}) {
    Status done = (target.get()->*step)();
    if (!done) return done.error();
  }
  return target;
}

ExploreTarget::~ExploreTarget() {
  if (link_ != nullptr && link_->child > 0) kill(link_->child, SIGKILL);
  if (link_ != nullptr) {
    __atomic_store_n(&link_->turn, static_cast<uint32_t>(wire::kLinkQuit), __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &link_->turn, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }
  child_.reset();
  if (link_ != nullptr) munmap(link_, sizeof(wire::ExploreLink));
  if (fd_ >= 0) close(fd_);
  if (output_ >= 0) close(output_);
}

Status ExploreTarget::Map() {
  fd_ = memfd_create("heddle-explore", 0);
  output_ = memfd_create("heddle-output", MFD_CLOEXEC);
  if (output_ >= 0) fcntl(output_, F_SETFL, O_APPEND);
  if (fd_ < 0 || output_ < 0 || ftruncate(fd_, sizeof(wire::ExploreLink)) != 0) {
    return MakeError(ErrorCode::kIo, "no memory for the search");
  }
  void* at = mmap(nullptr, sizeof(wire::ExploreLink), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (at == MAP_FAILED) return MakeError(ErrorCode::kIo, "no memory for the search");
  link_ = static_cast<wire::ExploreLink*>(at);
  link_->magic = wire::kLinkMagic;
  link_->in_place = options_.in_place ? 1 : 0;
  link_->log_accesses = options_.accesses ? 1 : 0;
  link_->max_steps = std::min(options_.max_steps, wire::kLinkSteps - 1);
  return {};
}

Status ExploreTarget::Launch() {
  ChildOptions child;
  child.environment = {
      Assign(wire::variable::kMode, options_.races ? "detect" : "off"),
      Assign(wire::variable::kFindings, options_.folder + "/" + options_.name + ".record"),
      Assign(wire::variable::kExplore, fmt::format("/proc/self/fd/{}", fd_)), "LD_BIND_NOW=1",
      Assign(
          wire::variable::kOptions,
          fmt::format("strategy=explore:carrier=fiber:then=rr:nondet={}:visible={}:memory={}:time={}", options_.nondet,
                      options_.visible.Text(), wire::WordOf(options_.memory), wire::WordOf(options_.time)))};
  AddPadding(child.environment);
  child.fixed_addresses = true;
  child.quiet = true;
  child.output = output_;
  Result<std::unique_ptr<Child>> started = Child::Start(options_.command, child);
  if (!started) return started.error();
  child_ = started.Take();
  return {};
}

// Why a deadline has passed.
static const char* EndOfTime() { return StopAsked() ? "an interrupt" : "the time limit"; }

Status ExploreTarget::AwaitReady() {
  auto start = Clock::now();
  while (__atomic_load_n(&link_->ready, __ATOMIC_SEQ_CST) == 0) {
    if (std::optional<ChildEnd> end = child_->Poll(); end) {
      if (link_->threads == 0 && end->code != 5) {
        return MakeError(ErrorCode::kUnsupported,
                         fmt::format("{}: the program was not built with heddle cc", options_.command[0]));
      }
      if (link_->threads == 0) return MakeError(ErrorCode::kUnsupported, "this machine cannot explore: see above");
      return MakeError(ErrorCode::kLimit,
                       end->signal != 0 ? fmt::format("the program was killed by SIG{} before it created a thread",
                                                      sigabbrev_np(end->signal))
                                        : "the program ended before it created a thread");
    }
    if (options_.deadline.Passed()) {
      return MakeError(ErrorCode::kLimit, fmt::format("{} came before the program created a thread", EndOfTime()));
    }
    if (Seconds(start) > 60) {
      return MakeError(ErrorCode::kLimit, "the program created no thread and did not end within 60 s");
    }
    WaitAt(&link_->ready, 0, 20);
  }
  return {};
}

// The end of what was printed since the last call.
std::string ExploreTarget::TakeOutput() {
  constexpr off_t kMostShown = 64 * 1024;
  off_t size = lseek(output_, 0, SEEK_END);
  if (size <= 0) return "";
  off_t bytes = std::min(size, kMostShown);
  std::string text(static_cast<size_t>(bytes), '\0');
  ssize_t n = pread(output_, text.data(), text.size(), size - bytes);
  text.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return ftruncate(output_, 0) == 0 ? text : "";
}

Status ExploreTarget::AwaitAnswer() {
  for (;;) {
    uint32_t turn = __atomic_load_n(&link_->turn, __ATOMIC_SEQ_CST);
    if (turn != wire::kLinkTarget) return {};
    WaitAt(&link_->turn, turn, 100);
    if (__atomic_load_n(&link_->turn, __ATOMIC_SEQ_CST) != wire::kLinkTarget) return {};
    if (std::optional<ChildEnd> end = child_->Poll(); end) {
      bool interrupted = end->signal == SIGINT || end->signal == SIGTERM;
      return MakeError(ErrorCode::kLimit, interrupted ? "an interrupt" : "the end of the explored program");
    }
    if (options_.deadline.Passed()) return MakeError(ErrorCode::kLimit, EndOfTime());
    constexpr off_t kTooMuch = 1 << 24U;  // memory, until the execution ends
    if (lseek(output_, 0, SEEK_END) > kTooMuch) TakeOutput();
    if (Seconds(asked_) > options_.execution_seconds && link_->child > 0 && !killed_) {
      killed_ = true;
      link_->killed = 1;
      kill(link_->child, SIGKILL);
    }
  }
}

Status ExploreTarget::Refusal() const {
  bool c11 = options_.memory == wire::MemoryModel::kC11;
  switch (link_->end) {
    case LinkEnd::kManyThreads:
      return MakeError(ErrorCode::kUnsupported, fmt::format("more than {} threads cannot be explored; a smaller "
                                                            "number of workers shows the same bugs",
                                                            wire::MostThreads(link_->strategy, c11)));
    case LinkEnd::kNoFork:
      return MakeError(ErrorCode::kLimit, "the program could not be copied: not enough memory or processes");
    default:
      return {};
  }
}

void ExploreTarget::Ask() {
  killed_ = false;
  asked_ = Clock::now();
  // Between executions a process that is there performs them in place.
  if (options_.alternates) core_.Hold(link_->child, asked_);
  link_->killed = 0;
  __atomic_store_n(&link_->turn, static_cast<uint32_t>(wire::kLinkTarget), __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &link_->turn, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

bool ExploreTarget::Answered() const {
  return __atomic_load_n(&link_->turn, __ATOMIC_SEQ_CST) != static_cast<uint32_t>(wire::kLinkTarget);
}

Result<Performed> ExploreTarget::Finish() {
  Status answered = AwaitAnswer();
  if (!answered) return answered.error();
  Status refused = Refusal();
  if (!refused) return refused.error();
  Performed performed;
  performed.hangs = killed_;
  int status = link_->status;
  performed.signal = WIFSIGNALED(status) && !killed_ ? WTERMSIG(status) : 0;
  performed.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  std::string output = TakeOutput();
  if (performed.code != 0 && performed.signal == 0) performed.failed_tests = FailedTests(output);
  if (performed.signal == SIGABRT) performed.assertion = AssertionIn(output);
  if (link_->crash_signal != 0) performed.crash = link_->crash_step;
  performed.notes.assign(link_->note, link_->note + link_->notes);
  explore::TakeAnswer(*link_, &performed.execution);
  performed.spins = link_->end == LinkEnd::kLivelock;
  return performed;
}

Status ExploreTarget::Begin(const explore::Request& request) {
  if (request.prefix.size() >= wire::kLinkSteps) {
    return MakeError(ErrorCode::kUnsupported, "executions are too long to be explored: --depth cuts them");
  }
  explore::PutRequest(request, link_);
  Ask();
  return {};
}

Result<Performed> ExploreTarget::Sample(const SamplePlan& plan) {
  link_->strategy = plan.strategy;
  link_->seed = plan.seed;
  link_->pct_length = plan.length;
  Ask();
  return Finish();
}

void ExploreTarget::SetThreadNames(const std::vector<std::string>& names) {
  if (names.size() == link_->threads && names.back() == link_->names[names.size() - 1]) return;
  for (size_t i = 0; i < names.size() && i < wire::kMaxSampled; ++i) {
    std::fill(std::begin(link_->names[i]), std::end(link_->names[i]), '\0');
    names[i].copy(link_->names[i], sizeof link_->names[i] - 1);
  }
  link_->threads = static_cast<uint32_t>(names.size());
}

std::string ExploreTarget::ForkedText() const {
  if (link_->redone == 0) return "";
  std::string why = link_->first_cause == wire::kGaveUpCrash    ? "they crash"
                    : link_->first_cause == wire::kGaveUpMemory ? "they write too much memory to restore"
                                                                : "the program calls ";
  if (link_->first_cause >= wire::kGaveUpCall) why += explore::CallName(link_->first_cause - wire::kGaveUpCall);
  if (link_->in_place != 0 && link_->redone == 1) return "1 execution ran in a copy of the process: " + why;
  std::string which = link_->in_place != 0 ? fmt::format("{} executions", link_->redone) : "executions";
  return fmt::format("{} ran in copies of the process: {}", which, why);
}

std::vector<std::string> ExploreTarget::Gaps() const {
  std::vector<std::string> gaps;
  for (uint32_t i = 0; i < link_->gaps && i < wire::kLinkGaps; ++i) gaps.emplace_back(link_->gap[i]);
  return gaps;
}

std::vector<std::string> ExploreTarget::ThreadNames() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < link_->threads; ++i) names.emplace_back(link_->names[i]);
  return names;
}

}  // namespace heddle::analysis
