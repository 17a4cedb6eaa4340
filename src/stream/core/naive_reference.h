// The semantics of the core operators, written down as naively as possible: complete histories, no order of nodes, no
// sharing, expression trees walked directly. Only tests use it, to check everything else against it.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stream/core/evaluate.h"
#include "stream/elaborate/elaborate.h"
#include "stream/text/event_source.h"
#include "stream/text/format.h"

namespace heddle::stream {

class NaiveReference {
 public:
  explicit NaiveReference(const Graph& graph) : graph_(graph), history_(graph.nodes.size()) {}

  // `time: name = value` lines in order of time, then of outputs. Ends with a line `error: ...` when the run fails.
  std::vector<std::string> Run(EventSource& source) {
    std::vector<std::string> lines;
    std::vector<InputEvent> events;
    int64_t time = 0;
    bool first = true;
    for (;;) {
      Result<bool> more = source.NextStep(&time, &events);
      if (!more || !*more) {
        if (first && !Step(0, {}, lines)) return lines;
        if (!more) lines.push_back("error: trace");
        return lines;
      }
      if (first && time > 0 && !Step(0, {}, lines)) return lines;
      first = false;
      for (int64_t due = NextDelay(); due < time; due = NextDelay()) {
        if (!Step(due, {}, lines)) return lines;
      }
      if (!Step(time, events, lines)) return lines;
    }
  }

 private:
  using Event = std::optional<Value>;

  bool Step(int64_t time, const std::vector<InputEvent>& events, std::vector<std::string>& lines) {
    now_ = time;
    inputs_.clear();
    memo_.clear();
    for (const InputEvent& event : events) inputs_[graph_.inputs[event.input]] = event.value;
    for (const Output& output : graph_.outputs) {
      Event event = At(output.node);
      if (!event) continue;
      if (const Value* error = FindError(*event)) {
        lines.push_back("error: " + error->text() + " at " + std::to_string(time));
        return false;
      }
      lines.push_back(std::to_string(time) + ": " + output.name + " = " + LiteralText(*event));
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind == NodeKind::kPlaceholder || Event(At(i)) == std::nullopt) continue;
      history_[i][time] = *At(i);
    }
    return true;
  }

  uint32_t Real(uint32_t node) const {
    while (graph_.nodes[node].kind == NodeKind::kPlaceholder) node = graph_.nodes[node].args[0];
    return node;
  }

  // The newest event strictly before now.
  Event Before(uint32_t node) const {
    const auto& events = history_[Real(node)];
    auto at = events.lower_bound(now_);
    if (at == events.begin()) return std::nullopt;
    return std::prev(at)->second;
  }

  // When a delay fires next, seen from all steps that are over; nothing when it is not armed.
  std::optional<int64_t> Target(uint32_t delay) const {
    const Node& node = graph_.nodes[delay];
    int64_t armed = -1;
    for (uint32_t arm : {Real(node.args[1]), delay}) {
      if (!history_[arm].empty()) armed = std::max(armed, history_[arm].rbegin()->first);
    }
    const auto& delays = history_[Real(node.args[0])];
    auto amount = armed < 0 ? delays.end() : delays.find(armed);
    if (amount == delays.end()) return std::nullopt;
    return armed + amount->second.integer();
  }

  int64_t NextDelay() const {
    int64_t next = kNever;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind == NodeKind::kDelay) next = std::min(next, Target(i).value_or(kNever));
    }
    return next;
  }

  Event At(uint32_t number) {
    number = Real(number);
    auto found = memo_.find(number);
    if (found != memo_.end()) return found->second;
    Event event = Compute(number);
    memo_[number] = event;
    return event;
  }

  Event Compute(uint32_t number) {
    const Node& node = graph_.nodes[number];
    switch (node.kind) {
      case NodeKind::kInput: {
        auto found = inputs_.find(number);
        return found == inputs_.end() ? Event() : Event(found->second);
      }
      case NodeKind::kDefault: {
        Event event = At(node.args[0]);
        return !event && now_ == 0 ? Event(node.constant) : event;
      }
      case NodeKind::kDefaultFrom: {
        if (Event event = At(node.args[0])) return event;
        return history_[number].empty() ? At(node.args[1]) : Event();
      }
      case NodeKind::kTime:
        return At(node.args[0]) ? Event(Value::Int(now_)) : Event();
      case NodeKind::kLast:
        return At(node.args[1]) ? Before(node.args[0]) : Event();
      case NodeKind::kDelay:
        return Target(number) == now_ ? Event(Value()) : Event();
      case NodeKind::kMerge:
        for (uint32_t arg : node.args) {
          if (Event event = At(arg)) return event;
        }
        return std::nullopt;
      case NodeKind::kLift:
      case NodeKind::kSlift:
        return Apply(node);
      default:
        return std::nullopt;
    }
  }

  Event Apply(const Node& node) {
    bool any = false;
    bool all = true;
    std::vector<Value> arguments;
    for (uint32_t arg : node.args) {
      Event event = At(arg);
      any = any || event.has_value();
      if (node.kind == NodeKind::kLift) {
        arguments.push_back(event ? Value::Some(*event) : Value::None());
        continue;
      }
      if (!event) event = Before(arg);
      all = all && event.has_value();
      arguments.push_back(event.value_or(Value()));
    }
    if (!any || !all) return std::nullopt;
    Value result = Evaluator().Call(*node.function, arguments);
    if (!(node.kind == NodeKind::kLift || node.filters) || result.is_error()) return result;
    if (result.tag() == Tag::kNone) return std::nullopt;
    return result.array()->items()[0];
  }

  const Graph& graph_;
  std::vector<std::map<int64_t, Value>> history_;
  int64_t now_ = 0;
  std::map<uint32_t, Value> inputs_;
  std::map<uint32_t, Event> memo_;
};

}  // namespace heddle::stream
