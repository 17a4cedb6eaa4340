// heddle/monitor.h: the interpreter, driven by the program's own calls.
//
// Events of one timestamp are collected; a later one completes the step. Before a step come time 0, if it was not
// there, and the delays that are due before it, as in stream/run/runner.
#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "heddle/monitor.h"
#include "stream/elaborate/elaborate.h"
#include "stream/run/machine.h"
#include "stream/run/print.h"
#include "stream/text/value_parser.h"

namespace heddle {
namespace {

using stream::Value;

class EmbeddedMonitor : public Monitor {
 public:
  EmbeddedMonitor(stream::Program program, Handler handler)
      : program_(std::move(program)), handler_(std::move(handler)), machine_(stream::MakeInterpreter(program_)) {}

  bool Event(int64_t time, std::string_view name) override { return Add(time, name, stream::TypeKind::kUnit, Value()); }
  bool Event(int64_t time, std::string_view name, int64_t value) override {
    return Add(time, name, stream::TypeKind::kInt, Value::Int(value));
  }
  bool Event(int64_t time, std::string_view name, int value) override { return Event(time, name, int64_t{value}); }
  bool Event(int64_t time, std::string_view name, double value) override {
    return Add(time, name, stream::TypeKind::kFloat, Value::Float(value));
  }
  bool Event(int64_t time, std::string_view name, bool value) override {
    return Add(time, name, stream::TypeKind::kBool, Value::Bool(value));
  }
  bool Event(int64_t time, std::string_view name, std::string_view value) override {
    return Add(time, name, stream::TypeKind::kString, Value::String(value));
  }
  bool Event(int64_t time, std::string_view name, const char* value) override {
    return Event(time, name, std::string_view(value));
  }

  bool EventText(int64_t time, std::string_view name, std::string_view text) override {
    std::scoped_lock lock(mutex_);
    int input = Find(name);
    if (input < 0) return false;
    Value value;
    stream::ValueParser parser(text);
    if (!parser.Parse(TypeOf(input), &value) || !parser.AtEnd()) {
      return Fail(fmt::format("`{}` is not a value of `{}`, which is {}", text, name, ToText(TypeOf(input))));
    }
    return Take(time, input, std::move(value));
  }

  bool Advance(int64_t time) override {
    std::scoped_lock lock(mutex_);
    if (!error_.empty() || !Reach(time)) return false;
    if (time == time_ && open_) return true;
    while (machine_->NextDelay() < time) {
      if (!Step(machine_->NextDelay())) return false;
    }
    return true;
  }

  bool Finish() override {
    std::scoped_lock lock(mutex_);
    return error_.empty() && (open_ ? Complete() : started_ || Step(0));
  }

  std::string error() const override {
    std::scoped_lock lock(mutex_);
    return error_;
  }

 private:
  const stream::TypeRef& TypeOf(int input) const {
    return program_.graph.nodes[program_.graph.inputs[static_cast<size_t>(input)]].type;
  }

  bool Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return false;
  }

  int Find(std::string_view name) {
    for (size_t i = 0; i < program_.graph.inputs.size(); ++i) {
      if (program_.graph.nodes[program_.graph.inputs[i]].name == name) return static_cast<int>(i);
    }
    Fail(fmt::format("the specification has no input `{}`", name));
    return -1;
  }

  bool Add(int64_t time, std::string_view name, stream::TypeKind kind, Value value) {
    std::scoped_lock lock(mutex_);
    int input = Find(name);
    if (input < 0) return false;
    if (KindOf(TypeOf(input)) != kind) {
      return Fail(fmt::format("an event of `{}` carries {}", name, ToText(TypeOf(input))));
    }
    return Take(time, input, std::move(value));
  }

  bool Take(int64_t time, int input, Value value) {
    if (!error_.empty() || !Reach(time)) return false;
    for (const stream::InputEvent& event : events_) {
      if (event.input == static_cast<uint32_t>(input)) {
        return Fail(fmt::format("Multiple events \"{}\" at timestamp {}",
                                program_.graph.nodes[program_.graph.inputs[event.input]].name, time));
      }
    }
    open_ = true;
    time_ = time;
    events_.push_back({static_cast<uint32_t>(input), std::move(value)});
    return true;
  }

  // Completes what comes before `time`.
  bool Reach(int64_t time) {
    if (time < 0 || time < time_)
      return Fail(fmt::format("Decreasing time stamps: first = {}, second = {}", time_, time));
    if (open_ && time > time_ && !Complete()) return false;
    if (!started_ && time > 0 && !Step(0)) return false;
    if (!open_ && started_ && time == time_ && stepped_ == time) {
      return Fail(fmt::format("timestamp {} is complete already", time));
    }
    time_ = time;
    return true;
  }

  bool Complete() {
    open_ = false;
    while (machine_->NextDelay() < time_) {
      if (!Step(machine_->NextDelay())) return false;
    }
    return Step(time_);
  }

  bool Step(int64_t time) {
    started_ = true;
    stepped_ = time;
    std::vector<stream::InputEvent> events;
    if (time == time_) events.swap(events_);
    outputs_.clear();
    machine_->Step(time, events, outputs_);
    for (const stream::OutputEvent& output : outputs_) {
      const std::string& name = program_.graph.outputs[output.output].name;
      if (const Value* error = FindError(output.value)) return RunTimeError(error->text(), time, name);
      handler_(time, name, ToText(output.value));
    }
    outputs_.clear();
    return machine_->fault().empty() || RunTimeError(machine_->fault(), time, "");
  }

  bool RunTimeError(std::string_view text, int64_t time, const std::string& output) {
    size_t mark = text.find(Value::kPlaceMark);
    std::string place = mark == std::string_view::npos ? "" : std::string(text.substr(mark + 1)) + ": ";
    std::string where = output.empty() ? "" : fmt::format(" on the output `{}`", output);
    return Fail(fmt::format("{}Runtime error: {} (t = {}){}", place, text.substr(0, mark), time, where));
  }

  stream::Program program_;
  Handler handler_;
  std::unique_ptr<stream::Machine> machine_;
  mutable std::mutex mutex_;
  std::string error_;
  std::vector<stream::InputEvent> events_;  // of time_, when open_
  std::vector<stream::OutputEvent> outputs_;
  int64_t time_ = 0;
  int64_t stepped_ = -1;
  bool open_ = false;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Monitor> Monitor::Create(std::string_view specification, Handler handler, std::string* message) {
  SourceMap sources;
  uint32_t file = sources.Add("specification", std::string(specification));
  std::vector<Diagnostic> diagnostics;
  auto program = stream::BuildProgram(sources, file, {}, diagnostics);
  if (message != nullptr) {
    message->clear();
    for (const Diagnostic& diagnostic : diagnostics) *message += Render(sources, diagnostic);
  }
  if (!program) return nullptr;
  return std::make_unique<EmbeddedMonitor>(std::move(*program), std::move(handler));
}

}  // namespace heddle
