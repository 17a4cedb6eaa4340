#include "stream/run/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/near.h"
#include "stream/run/runner.h"
#include "stream/text/format.h"

namespace heddle::stream {
namespace {

constexpr size_t kMaxRecorded = 20'000'000;

// A program whose outputs are all nodes, so that the run shows when each had events.
Program Exposed(const Program& program) {
  Graph graph = program.graph;
  graph.outputs.clear();
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    Output output;
    output.node = i;
    output.name = graph.nodes[i].name;
    graph.outputs.push_back(std::move(output));
  }
  return Analyse(std::move(graph), program.paper);
}

class Explainer {
 public:
  explicit Explainer(const Program& program) : graph_(program.graph), times_(program.graph.nodes.size()) {}

  Status Record(EventSource& source) {
    Program exposed = Exposed(Program{graph_, {}, false, "", ""});
    std::unique_ptr<Machine> machine = MakeInterpreter(exposed);
    std::vector<OutputEvent> outputs;
    std::vector<InputEvent> events;
    int64_t time = 0;
    bool first = true;
    auto step = [&](int64_t at) {
      outputs.clear();
      machine->Step(at, events, outputs);
      for (OutputEvent& event : outputs) {
        times_[event.output].push_back(at);
        values_[{event.output, at}] = std::move(event.value);
      }
      outputs.clear();
      events.clear();
    };
    std::vector<InputEvent> pending;
    for (;;) {
      Result<bool> more = source.NextStep(&time, &pending);
      if (!more) return more.error();
      if (!*more) break;
      if (values_.size() > kMaxRecorded) return MakeError(ErrorCode::kLimit, "the trace is too long to explain");
      if (first && time > 0) step(0);
      first = false;
      while (machine->NextDelay() < time && machine->fault().empty()) step(machine->NextDelay());
      events = std::move(pending);
      step(time);
      if (!machine->fault().empty()) return MakeError(ErrorCode::kLimit, "Runtime error: " + machine->fault());
    }
    if (first) step(0);
    return {};
  }

  Result<Explanation> Back(const Output& output, const ExplainOptions& options) {
    const std::vector<int64_t>& times = times_[output.node];
    if (times.empty()) return MakeError(ErrorCode::kNotFound, fmt::format("`{}` has no event", output.name));
    Explanation result;
    result.time = options.time < 0 ? times[0] : options.time;
    if (!std::binary_search(times.begin(), times.end(), result.time)) {
      auto near = std::lower_bound(times.begin(), times.end(), result.time);
      int64_t other = near == times.end() ? times.back() : *near;
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("`{}` has no event at {}; there is one at {}", output.name, result.time, other));
    }
    result.value = LiteralText(values_[{output.node, result.time}]);
    // Newest first, so that the limit keeps what is closest to the event.
    queue_.insert({result.time, output.node, ""});
    while (!queue_.empty()) {
      auto [time, node, via] = *queue_.rbegin();
      queue_.erase(std::prev(queue_.end()));
      if (!seen_.insert({time, node}).second) continue;
      if (graph_.nodes[node].kind == NodeKind::kInput) {
        if (result.causes.size() < options.max_inputs) {
          result.causes.push_back({time, graph_.nodes[node].name, LiteralText(values_[{node, time}]), via});
        } else {
          ++result.left_out;
        }
        continue;
      }
      Follow(node, time, graph_.nodes[node].name);
    }
    for (uint32_t input : graph_.inputs) {
      if (seen_.contains({result.time, input})) continue;
      auto found = values_.find({input, result.time});
      if (found != values_.end()) result.beside.emplace_back(graph_.nodes[input].name, LiteralText(found->second));
    }
    return result;
  }

 private:
  bool HasEvent(uint32_t node, int64_t time) const { return values_.contains({node, time}); }

  // The newest event of `node` before `limit`; false when there is none.
  bool Newest(uint32_t node, int64_t limit, int64_t* time) const {
    auto at = std::lower_bound(times_[node].begin(), times_[node].end(), limit);
    if (at == times_[node].begin()) return false;
    *time = *std::prev(at);
    return true;
  }

  void Follow(uint32_t at, int64_t time, const std::string& via) {
    const Node& node = graph_.nodes[at];
    auto now = [&](uint32_t arg) {
      if (HasEvent(arg, time)) queue_.insert({time, arg, via});
    };
    int64_t before = 0;
    switch (node.kind) {
      case NodeKind::kLast:
        now(node.args[1]);
        if (Newest(node.args[0], time, &before)) queue_.insert({before, node.args[0], via});
        break;
      case NodeKind::kSlift:
        for (uint32_t arg : node.args) {
          if (Newest(arg, time + 1, &before)) queue_.insert({before, arg, via});
        }
        break;
      case NodeKind::kMerge:
      case NodeKind::kDefaultFrom:
        for (uint32_t arg : node.args) {
          if (!HasEvent(arg, time)) continue;
          now(arg);
          break;
        }
        break;
      case NodeKind::kDelay: {
        // Armed at the newest reset or firing before now.
        int64_t armed = -1;
        if (Newest(node.args[1], time, &before)) armed = before;
        if (Newest(at, time, &before)) armed = std::max(armed, before);
        for (uint32_t arg : node.args) {
          if (armed >= 0 && HasEvent(arg, armed)) queue_.insert({armed, arg, via});
        }
        break;
      }
      default:
        for (uint32_t arg : node.args) now(arg);
    }
  }

  const Graph& graph_;
  std::vector<std::vector<int64_t>> times_;
  std::map<std::pair<uint32_t, int64_t>, Value> values_;
  std::set<std::tuple<int64_t, uint32_t, std::string>> queue_;
  std::set<std::pair<int64_t, uint32_t>> seen_;
};

}  // namespace

Result<Explanation> Explain(const Program& program, EventSource& source, const ExplainOptions& options) {
  const Output* output = nullptr;
  std::vector<std::string_view> names;
  for (const Output& known : program.graph.outputs) {
    names.push_back(known.name);
    if (known.name == options.stream) output = &known;
  }
  if (output == nullptr) {
    std::string hint = DidYouMean(options.stream, names);
    return MakeError(ErrorCode::kUsage,
                     fmt::format("there is no output `{}`{}{}", options.stream, hint.empty() ? "" : ": ", hint));
  }
  Explainer explainer(program);
  if (Status status = explainer.Record(source); !status) return status.error();
  return explainer.Back(*output, options);
}

}  // namespace heddle::stream
