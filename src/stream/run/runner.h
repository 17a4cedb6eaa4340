// Drives a machine with a source: the order of steps, delays between inputs, errors that reach an output.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "stream/run/machine.h"
#include "stream/text/event_source.h"

namespace heddle::stream {

struct RunResult {
  uint64_t steps = 0;
  uint64_t output_events = 0;
  bool stopped = false;  // the sink asked to stop
};

// Called for each output event in order of time. Returns false to stop the run.
using Sink = std::function<bool(int64_t time, const OutputEvent& event)>;
// The same for all outputs of a step at once (never none). The values are gone when it returns, unless it copied them.
using StepSink = std::function<bool(int64_t time, std::span<const OutputEvent> outputs)>;

// Runs until the source ends, the sink stops it, or something fails. Timestamp 0 is always a step; delays that are due
// before an input come first; delays after the last input do not fire. An error value that reaches an output ends the
// run with an error; outputs before it have been given to the sink.
Result<RunResult> RunSteps(const Program& program, Machine& machine, EventSource& source, const StepSink& sink);
Result<RunResult> RunMonitor(const Program& program, Machine& machine, EventSource& source, const Sink& sink);

}  // namespace heddle::stream
