// Going backwards in a program that can be run again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/debug/execution.h"
#include "base/result.h"

namespace heddle::analysis {

// A moment: the `arrival`th time (from 1) that the program stands at `pc` after so many visible operations. 0: the
// moment behind the last of these operations itself, wherever it stands.
struct Moment {
  uint64_t steps = 0;
  uint64_t pc = 0;
  uint64_t arrival = 0;
  bool operator==(const Moment&) const = default;
};

class Timeline {
 public:
  using Start = std::function<Result<std::unique_ptr<Execution>>()>;
  explicit Timeline(Start start) : start_(std::move(start)) {}

  // The program from its beginning, anew.
  Status Restart();
  Execution& now() { return *now_; }

  // What gdb asked for. They hold in every run from now on. False: the machine cannot watch that.
  void SetBreakpoints(const std::set<uint64_t>& addresses);
  bool SetWatches(const std::set<Watch>& watches);

  // Forwards. The program has not ended when it stands before its end (Stop::Kind::kEnd).
  Stop Continue(int signal);
  Stop Step(int signal);

  // Backwards to the last breakpoint or watched write before this moment. `begin`: there is none, it stands at the
  // beginning. An error: the program could not be led there again (it is then at another place).
  struct Back {
    Stop stop;
    bool begin = false;
  };
  Result<Back> ReverseContinue();
  // Backwards by one instruction.
  Result<Back> ReverseStep();

 private:
  Stop GoOn(uint64_t pc = 0);
  int SignalFor(int asked);
  Status GoToSteps(uint64_t steps);
  Status GoTo(const Moment& moment);
  Result<Moment> Identify();
  Result<Moment> BestArrival(const MachineState& wanted, uint64_t steps);
  Result<std::optional<Moment>> Before(const Moment& moment);
  Status Walk(uint64_t steps);
  struct Count {
    uint64_t events = 0;
    Stop last;
  };
  Result<Count> CountEvents(const Moment& until);
  Status GoToEvent(uint64_t number);
  void Arm();
  void Disarm();

  Start start_;
  std::unique_ptr<Execution> now_;
  int pending_ = 0;           // a signal that it stands at, not delivered yet
  uint64_t first_steps_ = 0;  // performed before the beginning
  std::set<uint64_t> breakpoints_;
  std::set<Watch> watches_;
  std::optional<Moment> here_;  // where it stands, when that is known
  // The instructions behind the last visible operation of `walked_`, in order.
  uint64_t walked_ = UINT64_MAX;
  std::vector<uint64_t> path_;
};

}  // namespace heddle::analysis
