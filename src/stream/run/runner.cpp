#include "stream/run/runner.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::stream {
namespace {

class Runner {
 public:
  Runner(const Program& program, Machine& machine, const StepSink& sink)
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
    size_t good = FirstError();
    if (good > 0) {
      result_.output_events += good;
      result_.stopped = !sink_(time, std::span(outputs_).first(good));
    }
    if (good < outputs_.size() && !result_.stopped) {
      Fail(FindError(outputs_[good].value)->text(), time,
           fmt::format(" on the output `{}`", program_.graph.outputs[outputs_[good].output].name));
    }
    if (good < outputs_.size() || result_.stopped) return false;
    outputs_.clear();
    if (!machine_.fault().empty()) {
      Fail(machine_.fault(), time, "");
      return false;
    }
    return true;
  }

  // The place of the expression first, when the error has one.
  void Fail(std::string_view text, int64_t time, const std::string& where) {
    size_t mark = text.find(Value::kPlaceMark);
    std::string place;
    if (mark != std::string_view::npos) place = std::string(text.substr(mark + 1)) + ": ";
    error_ = MakeError(ErrorCode::kLimit,
                       fmt::format("{}Runtime error: {} (t = {}){}", place, text.substr(0, mark), time, where));
  }

  // How many outputs there are before the first that is an error.
  size_t FirstError() const {
    size_t i = 0;
    while (i < outputs_.size() && FindError(outputs_[i].value) == nullptr) ++i;
    return i;
  }

  const Program& program_;
  Machine& machine_;
  const StepSink& sink_;
  RunResult result_;
  Error error_;
  std::vector<OutputEvent> outputs_;
};

}  // namespace

Result<RunResult> RunSteps(const Program& program, Machine& machine, EventSource& source, const StepSink& sink) {
  return Runner(program, machine, sink).Run(source);
}

Result<RunResult> RunMonitor(const Program& program, Machine& machine, EventSource& source, const Sink& sink) {
  return RunSteps(program, machine, source, [&](int64_t time, std::span<const OutputEvent> outputs) {
    return std::all_of(outputs.begin(), outputs.end(), [&](const OutputEvent& event) { return sink(time, event); });
  });
}

}  // namespace heddle::stream
