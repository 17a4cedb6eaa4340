// What runs a program step by step: the interpreter, or a compiled monitor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stream/core/program.h"
#include "stream/run/monitor_abi.h"

namespace heddle::stream {

struct OutputEvent {
  uint32_t output = 0;  // index into Graph::outputs
  Value value;
};

class Machine {
 public:
  virtual ~Machine() = default;

  // One step. Times must grow from call to call, begin at 0, and never pass NextDelay(). Input values are taken.
  // The outputs of the step are appended; they must be gone before the next step for in-place updates to work.
  virtual void Step(int64_t time, std::span<InputEvent> events, std::vector<OutputEvent>& outputs) = 0;

  // When the next delay is due; kNever when none is.
  virtual int64_t NextDelay() const = 0;

  // Set when a step could not be completed (a delay that is not positive); the machine must not be used further.
  const std::string& fault() const { return fault_; }

 protected:
  std::string fault_;
};

// `program` must outlive the machine.
std::unique_ptr<Machine> MakeInterpreter(const Program& program);

}  // namespace heddle::stream
