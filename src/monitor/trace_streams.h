// The events of a heddle trace as the input streams of a specification (docs/trace-streams.md lists the streams).
//
// Works on anything that gives trace events: a file, an imported text, a running program. Values go to the engine
// typed, without text in between; what is looked up for a code address, a variable or a thread is remembered, so that
// the work for each event is a few stores. Memory: one entry for each place in the code and each thread, and a table of
// fixed size for variables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "stream/core/core.h"
#include "stream/text/event_source.h"
#include "symbolize/trace_names.h"
#include "trace/convert/tessla_fields.h"

namespace heddle::monitor {

class TraceStreams final : public stream::EventSource {
 public:
  // All must outlive it. An input whose type is not that of the trace's stream is an error; inputs that no heddle trace
  // has are listed by MissingInputs.
  static Result<std::unique_ptr<TraceStreams>> Make(trace::EventSource& source, symbolize::TraceNames& names,
                                                    const stream::Graph& graph);

  Result<bool> NextStep(int64_t* time, std::vector<stream::InputEvent>* events) override;
  uint64_t EventCount() const override { return count_; }

  // Inputs that get no events from a heddle trace, each with the nearest name that does, or with nothing.
  const std::vector<std::pair<std::string, std::string>>& MissingInputs() const { return missing_; }

  // The trace event of the newest step.
  const trace::Event& event() const { return event_; }
  int64_t time() const { return static_cast<int64_t>(fields_.time()); }

 private:
  static constexpr uint32_t kNoInput = UINT32_MAX;
  static constexpr size_t kVariables = 1U << 14U;

  struct Field {
    uint32_t input;
    trace::TesslaValue value;
  };
  struct Place {
    stream::Value line;  // unit: not known
    stream::Value function;
    stream::Value file;
  };
  struct Variable {
    uint64_t address = 0;
    stream::Value name;  // unit: not a variable
  };
  // The streams that are not in the table of rules.
  struct Context {
    uint32_t threadid = kNoInput;
    uint32_t threadname = kNoInput;
    uint32_t pc = kNoInput;
    uint32_t line = kNoInput;
    uint32_t function = kNoInput;
    uint32_t file = kNoInput;
    uint32_t readvar = kNoInput;
    uint32_t writevar = kNoInput;
    bool NeedsPlace() const { return line != kNoInput || function != kNoInput || file != kNoInput; }
  };

  TraceStreams(trace::EventSource& source, symbolize::TraceNames& names)
      : source_(source), names_(names), fields_(&source), variables_(kVariables) {}
  Status Connect(const stream::Graph& graph);
  Status ConnectInput(uint32_t input, const stream::Node& node);
  Status CheckType(const stream::Node& node, trace::FieldType type) const;
  uint32_t* ContextInput(std::string_view name, trace::FieldType* type);
  void AddFields(const trace::TesslaRule& rule, std::vector<stream::InputEvent>* events);
  void AddVariable(std::vector<stream::InputEvent>* events);
  void AddPlace(std::vector<stream::InputEvent>* events);
  void AddThread(std::vector<stream::InputEvent>* events);
  const Place& PlaceOf(uint64_t pc);

  trace::EventSource& source_;
  symbolize::TraceNames& names_;
  trace::TesslaFields fields_;
  std::vector<Field> rule_fields_[trace::kTesslaRules.size()];  // those that the specification reads, by rule
  Context context_;
  std::unordered_map<uint64_t, Place> places_;
  uint64_t last_pc_ = 0;
  const Place* last_place_ = nullptr;
  std::vector<Variable> variables_;  // by address modulo its size
  std::vector<int64_t> threads_;     // their numbers, by dense number; -1 when not asked yet
  std::vector<std::pair<std::string, std::string>> missing_;
  trace::Event event_;
  uint64_t count_ = 0;
};

}  // namespace heddle::monitor
