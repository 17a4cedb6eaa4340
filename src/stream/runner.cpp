#include "stream/runner.h"

#include <fmt/format.h>

namespace heddle::stream {
namespace {

class Runner {
 public:
  Runner(const Program& program, Machine& machine, const Sink& sink)
      : program_(program), machine_(machine), sink_(sink) {}

  Result<RunResult> Run(EventSource& source) {
    int64_t time = 0;
    std::vector<InputEvent> events;
    bool first = true;
    for (;;) {
      Result<bool> more = source.NextStep(&time, &events);
      if (!more || !*more) {
        if (first && !Step(0, {})) return Finished();
        if (!more) return more.error();
        return result_;
      }
      if (first && time > 0 && !Step(0, {})) return Finished();
      first = false;
      while (machine_.NextDelay() < time) {
        if (!Step(machine_.NextDelay(), {})) return Finished();
      }
      bool nothing = events.empty() && time > 0 && machine_.NextDelay() > time;
      if (!nothing && !Step(time, events)) return Finished();
    }
  }

 private:
  Result<RunResult> Finished() {
    if (!error_.message.empty()) return error_;
    return result_;
  }

  // False to end the run, with error_ set when something failed.
  bool Step(int64_t time, std::span<InputEvent> events) {
    ++result_.steps;
    outputs_.clear();
    machine_.Step(time, events, outputs_);
    for (OutputEvent& output : outputs_) {
      if (const Value* error = FindError(output.value)) {
        error_ =
            MakeError(ErrorCode::kLimit, fmt::format("Runtime error: {} (t = {}) on the output `{}`", error->text(),
                                                     time, program_.graph.outputs[output.output].name));
        return false;
      }
      ++result_.output_events;
      if (!sink_(time, output)) {
        result_.stopped = true;
        return false;
      }
    }
    outputs_.clear();
    if (!machine_.fault().empty()) {
      error_ = MakeError(ErrorCode::kLimit, fmt::format("Runtime error: {} (t = {})", machine_.fault(), time));
      return false;
    }
    return true;
  }

  const Program& program_;
  Machine& machine_;
  const Sink& sink_;
  RunResult result_;
  Error error_;
  std::vector<OutputEvent> outputs_;
};

}  // namespace

Result<RunResult> RunMonitor(const Program& program, Machine& machine, EventSource& source, const Sink& sink) {
  return Runner(program, machine, sink).Run(source);
}

}  // namespace heddle::stream
