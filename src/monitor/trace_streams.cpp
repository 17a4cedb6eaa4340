#include "monitor/trace_streams.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near.h"

namespace heddle::monitor {
namespace {

using stream::Value;
using trace::FieldType;
using trace::FieldValue;

Value ToValue(const FieldValue& field) {
  switch (field.type) {
    case FieldType::kInt:
      return Value::Int(field.number);
    case FieldType::kBool:
      return Value::Bool(field.number != 0);
    case FieldType::kString:
      return Value::String(field.text);
    case FieldType::kUnit:
    case FieldType::kNone:
      break;
  }
  return {};
}

const char* NameOf(FieldType type) {
  switch (type) {
    case FieldType::kInt:
      return "Int";
    case FieldType::kBool:
      return "Bool";
    case FieldType::kString:
      return "String";
    case FieldType::kUnit:
    case FieldType::kNone:
      break;
  }
  return "Unit";
}

std::vector<std::string_view> StreamNames() {
  std::vector<std::string_view> names(trace::kTesslaNamed.begin(), trace::kTesslaNamed.end());
  for (std::string_view name : trace::kTesslaContext) {
    if (name != "column") names.push_back(name);
  }
  for (const trace::TesslaRule& rule : trace::kTesslaRules) {
    for (const trace::TesslaField& field : rule.fields) {
      if (!field.stream.empty()) names.push_back(field.stream);
    }
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<TraceStreams>> TraceStreams::Make(trace::EventSource& source, symbolize::TraceNames& names,
                                                         const stream::Graph& graph) {
  std::unique_ptr<TraceStreams> streams(new TraceStreams(source, names));
  if (Status status = streams->Connect(graph); !status) return status.error();
  return streams;
}

Status TraceStreams::Connect(const stream::Graph& graph) {
  for (uint32_t i = 0; i < graph.inputs.size(); ++i) {
    if (Status status = ConnectInput(i, graph.nodes[graph.inputs[i]]); !status) return status;
  }
  return {};
}

uint32_t* TraceStreams::ContextInput(std::string_view name, FieldType* type) {
  struct Named {
    std::string_view name;
    FieldType type;
    uint32_t* input;
  };
  const Named all[] = {
      {"threadid", FieldType::kInt, &context_.threadid},
      {"threadname", FieldType::kString, &context_.threadname},
      {"pc", FieldType::kInt, &context_.pc},
      {"line", FieldType::kInt, &context_.line},
      {"function", FieldType::kString, &context_.function},
      {"file", FieldType::kString, &context_.file},
      {"readvar", FieldType::kString, &context_.readvar},
      {"writevar", FieldType::kString, &context_.writevar},
  };
  for (const Named& known : all) {
    if (known.name != name) continue;
    *type = known.type;
    return known.input;
  }
  return nullptr;
}

Status TraceStreams::ConnectInput(uint32_t input, const stream::Node& node) {
  FieldType type = FieldType::kNone;
  if (uint32_t* place = ContextInput(node.name, &type); place != nullptr) {
    *place = input;
    return CheckType(node, type);
  }
  // The program's own events are what the templates of protocols call calls.
  std::string_view name = node.name;
  if (name == "call") name = "user";
  if (name == "object") name = "uservalue";
  bool found = false;
  for (size_t i = 0; i < trace::kTesslaRules.size(); ++i) {
    for (const trace::TesslaField& field : trace::kTesslaRules[i].fields) {
      if (field.stream != name) continue;
      found = true;
      if (Status status = CheckType(node, trace::TypeOf(field.value)); !status) return status;
      rule_fields_[i].push_back({input, field.value});
    }
  }
  if (!found) missing_.emplace_back(node.name, DidYouMean(node.name, StreamNames()));
  return {};
}

Status TraceStreams::CheckType(const stream::Node& node, FieldType type) const {
  std::string declared = stream::ToText(node.type);
  if (declared == NameOf(type)) return {};
  return MakeError(ErrorCode::kBadInput,
                   fmt::format("the input `{}` is Events[{}], but in a heddle trace this stream is Events[{}]",
                               node.name, declared, NameOf(type)));
}

Result<bool> TraceStreams::NextStep(int64_t* time, std::vector<stream::InputEvent>* events) {
  events->clear();
  const trace::TesslaRule* rule = nullptr;
  do {
    if (!source_.Next(&event_)) {
      if (!source_.status()) return source_.status().error();
      return false;
    }
    rule = event_.kind == trace::Kind::AtomicHigh ? nullptr : fields_.Begin(event_);
  } while (rule == nullptr);
  *time = static_cast<int64_t>(fields_.time());
  AddThread(events);
  AddFields(*rule, events);
  if (context_.readvar != kNoInput || context_.writevar != kNoInput) AddVariable(events);
  if (event_.pc != 0) AddPlace(events);
  count_ += events->size();
  return true;
}

void TraceStreams::AddThread(std::vector<stream::InputEvent>* events) {
  if (context_.threadid != kNoInput) {
    if (event_.thread >= threads_.size()) threads_.resize(event_.thread + 1, -1);
    int64_t& number = threads_[event_.thread];
    if (number < 0) number = fields_.ThreadNumber(event_.thread);
    events->push_back({context_.threadid, Value::Int(number)});
  }
  if (context_.threadname != kNoInput && event_.kind == trace::Kind::ThreadBegin) {
    std::string storage;
    events->push_back({context_.threadname, Value::String(fields_.ThreadName(event_.thread, &storage))});
  }
}

void TraceStreams::AddFields(const trace::TesslaRule& rule, std::vector<stream::InputEvent>* events) {
  for (const Field& field : rule_fields_[&rule - trace::kTesslaRules.data()]) {
    FieldValue value = fields_.Of(event_, field.value);
    if (value.type != FieldType::kNone) events->push_back({field.input, ToValue(value)});
  }
}

void TraceStreams::AddVariable(std::vector<stream::InputEvent>* events) {
  uint32_t input = event_.IsPlainRead() ? context_.readvar : event_.IsPlainWrite() ? context_.writevar : kNoInput;
  if (input == kNoInput) return;
  Variable& entry = variables_[(event_.address ^ event_.address >> 14U) % kVariables];
  if (entry.address != event_.address) {
    std::string name = names_.VariableName(event_.address);
    entry.address = event_.address;
    entry.name = name.empty() ? Value() : Value::String(name);
  }
  if (entry.name.tag() == stream::Tag::kString) events->push_back({input, entry.name});
}

const TraceStreams::Place& TraceStreams::PlaceOf(uint64_t pc) {
  auto [found, added] = places_.try_emplace(pc);
  if (added) {
    trace::Location location = names_.LocationOf(pc);
    if (location.line != 0) found->second.line = Value::Int(location.line);
    if (!location.function.empty()) found->second.function = Value::String(location.function);
    if (!location.file.empty()) found->second.file = Value::String(location.file);
  }
  return found->second;
}

void TraceStreams::AddPlace(std::vector<stream::InputEvent>* events) {
  if (context_.pc != kNoInput && !trace::LocationOfPc(source_.info(), event_.pc)) {
    events->push_back({context_.pc, Value::Int(static_cast<int64_t>(event_.pc))});
  }
  if (!context_.NeedsPlace()) return;
  if (event_.pc != last_pc_ || last_place_ == nullptr) {
    last_place_ = &PlaceOf(event_.pc);  // an unordered_map does not move its elements
    last_pc_ = event_.pc;
  }
  auto add = [&](uint32_t input, const Value& value) {
    if (input != kNoInput && value.tag() != stream::Tag::kUnit) events->push_back({input, value});
  };
  add(context_.line, last_place_->line);
  add(context_.function, last_place_->function);
  add(context_.file, last_place_->file);
}

}  // namespace heddle::monitor
