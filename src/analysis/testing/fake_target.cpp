#include "analysis/testing/fake_target.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/file.h"
#include "wire/environment.h"
#include "wire/step_format.h"

namespace heddle::analysis {
namespace {

class FakeExplored final : public ExploredProgram {
 public:
  explicit FakeExplored(FakeTarget& target) : target_(target), names_(target.ThreadNames()) {}

  Status Begin(const explore::Request& request) override {
    request_ = request;
    return {};
  }
  Result<Performed> Finish() override {
    if (target_.explored >= target_.gone_after) return MakeError(ErrorCode::kIo, "the program is gone");
    ++target_.explored;
    Performed performed;
    std::string state;
    performed.execution = target_.program.Run(request_, &state);
    if (performed.execution.end == explore::End::kDone) performed.code = target_.exit_code(state);
    return performed;
  }
  bool Answered() const override { return true; }

  // Walks at random: each step is one of those that the execution so far could go on with.
  Result<Performed> Sample(const SamplePlan& plan) override {
    target_.samples.push_back(plan);
    std::mt19937_64 random(plan.seed);
    explore::Request walk;
    std::string state;
    for (;;) {
      explore::Execution execution = target_.program.Run(walk, &state);
      if (walk.prefix.size() >= execution.events.size()) break;
      wire::ThreadBits enabled = execution.events[walk.prefix.size()].enabled;
      for (uint64_t skip = random() % enabled.count(); skip > 0; --skip) enabled.Remove(enabled.First());
      walk.prefix.push_back({static_cast<uint16_t>(enabled.First()), wire::kAnyValue});
    }
    request_ = walk;
    return Finish();
  }

  std::vector<std::string> ThreadNames() const override { return names_; }
  uint32_t ThreadCount() const override { return static_cast<uint32_t>(names_.size()); }
  void SetThreadNames(const std::vector<std::string>& names) override { names_ = names; }
  std::string ForkedText() const override { return ""; }
  bool TimeoutsCut() const override { return false; }
  std::vector<std::string> Gaps() const override {
    return target_.has_gap ? std::vector<std::string>{"a call that nobody knows"} : std::vector<std::string>{};
  }
  bool MixedSizes() const override { return false; }

 private:
  FakeTarget& target_;
  std::vector<std::string> names_;
  explore::Request request_;
};

// The steps of a compiled schedule, as the runtime reads them.
Result<explore::Request> ReadEnforced(const std::string& path, const std::vector<std::string>& threads) {
  Result<std::string> bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  wire::FixedHeader header{};
  if (bytes->size() < sizeof header) return MakeError(ErrorCode::kBadInput, path + ": no schedule");
  std::memcpy(&header, bytes->data(), sizeof header);
  const char* names = bytes->data() + sizeof header;
  const char* steps = names + header.names_bytes;
  std::vector<uint8_t> numbers;
  for (uint32_t i = 0; i < header.names; ++i, names += std::strlen(names) + 1) {
    auto at = std::find(threads.begin(), threads.end(), names);
    if (at == threads.end()) return MakeError(ErrorCode::kBadInput, path + ": unknown thread");
    numbers.push_back(static_cast<uint8_t>(at - threads.begin()));
  }
  explore::Request request;
  for (uint64_t i = 0; i < header.steps; ++i) {
    wire::Step step{};
    std::memcpy(&step, steps + i * sizeof step, sizeof step);
    request.prefix.push_back({numbers[step.thread], wire::kAnyValue});
  }
  return request;
}

}  // namespace

std::vector<std::string> FakeTarget::ThreadNames() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < program.threads.size(); ++i) names.push_back("T" + std::to_string(i));
  return names;
}

Result<ChildEnd> FakeTarget::Run(const std::vector<std::string>& /*command*/, const ChildOptions& options) {
  std::string variable = std::string(wire::variable::kFindings) + "=";
  for (const std::string& entry : options.environment) {
    if (findings_file.empty() || !entry.starts_with(variable)) continue;
    Status written = WriteFileAtomic(entry.substr(variable.size()), findings_file);
    if (!written) return written.error();
  }
  return free_end;
}

Result<ControlledEnd> FakeTarget::Control(const ControlledRun& run) {
  ++replays;
  std::vector<std::string> threads = ThreadNames();
  Result<explore::Request> request = ReadEnforced(run.enforce, threads);
  if (!request) return request.error();
  if (!repeats) request->prefix.clear();
  std::string state;
  explore::Execution execution = program.Run(*request, &state);
  ControlledEnd end;
  for (uint32_t i = 0; i < threads.size(); ++i) end.found.info.threads[i].id = threads[i];
  for (const wire::ExploredEvent& event : execution.events) {
    end.schedule.Add(end.schedule.ThreadIndex(threads[event.thread]), event.operation, "");
  }
  if (execution.end == explore::End::kDiverged) {
    end.control.divergence = sched::Divergence{execution.events.size() + 1, wire::DivergedBy::kBlocked, "", "", "?", 0};
  } else if (execution.end == explore::End::kDeadlock) {
    detect::Deadlock deadlock;
    deadlock.everybody = true;
    for (const wire::ExploredEvent& event : execution.pending) {
      deadlock.waiters.push_back({event.thread, wire::WaitKind::kLock, event.object, {}, {}});
    }
    end.found.deadlocks.push_back(std::move(deadlock));
    end.child.code = 1;
  } else {
    end.child.code = exit_code(state);
  }
  return end;
}

Result<std::unique_ptr<ExploredProgram>> FakeTarget::Explore(const TargetOptions& /*options*/) {
  return std::unique_ptr<ExploredProgram>(std::make_unique<FakeExplored>(*this));
}

}  // namespace heddle::analysis
