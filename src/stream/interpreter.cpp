// The interpreter: one pass over the nodes for each step.
#include "stream/executor.h"
#include "stream/machine.h"

namespace heddle::stream {
namespace {

class Interpreter : public Machine {
 public:
  explicit Interpreter(const Program& program)
      : graph_(program.graph), facts_(program.facts), now_(graph_.nodes.size()), held_(graph_.nodes.size()) {
    present_.assign(graph_.nodes.size(), 0);
    known_.assign(graph_.nodes.size(), 0);
    started_.assign(graph_.nodes.size(), 0);
    chunks_.resize(graph_.nodes.size());
    registers_.resize(graph_.nodes.size());
    targets_.assign(graph_.nodes.size(), kNever);
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.function) {
        bool lift = node.kind == NodeKind::kLift;
        chunks_[i] = CompileFunction(*node.function, lift, lift || node.filters);
        registers_[i].resize(chunks_[i].registers);
        parameters_ = std::max(parameters_, node.args.size());
      }
      if (node.kind == NodeKind::kDelay) delays_.push_back(i);
      if (facts_[i].held) held_nodes_.push_back(i);
    }
    option_present_.resize(parameters_ + 1);
  }

  void Step(int64_t time, std::span<InputEvent> events, std::vector<OutputEvent>& outputs) override {
    for (InputEvent& event : events) {
      uint32_t node = graph_.inputs[event.input];
      now_[node] = std::move(event.value);
      present_[node] = 1;
    }
    auto count = static_cast<uint32_t>(graph_.nodes.size());
    for (uint32_t i = 0; i < count; ++i) Evaluate(i, time);
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      uint32_t node = graph_.outputs[i].node;
      if (present_[node] != 0) outputs.push_back({i, now_[node]});
    }
    SetTimers(time);
    for (uint32_t i : held_nodes_) {
      if (present_[i] == 0) continue;
      held_[i] = std::move(now_[i]);
      known_[i] = 1;
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (present_[i] == 0) continue;
      present_[i] = 0;
      if (now_[i].tag() >= Tag::kError) now_[i] = Value();
    }
  }

  int64_t NextDelay() const override { return next_delay_; }

 private:
  void Set(uint32_t at, Value value) {
    now_[at] = std::move(value);
    present_[at] = 1;
  }

  // The present value of an argument: moved when this is its last use.
  Value Present(uint32_t at, size_t argument) {
    uint32_t node = graph_.nodes[at].args[argument];
    if (facts_[at].take[argument]) return std::move(now_[node]);
    return now_[node];
  }

  void Evaluate(uint32_t at, int64_t time) {
    const Node& node = graph_.nodes[at];
    switch (node.kind) {
      case NodeKind::kInput:
      case NodeKind::kNil:
      case NodeKind::kPlaceholder:
        break;
      case NodeKind::kDefault:
        if (present_[node.args[0]] != 0) {
          Set(at, Present(at, 0));
        } else if (time == 0) {
          Set(at, node.constant);
        }
        break;
      case NodeKind::kDefaultFrom:
        if (present_[node.args[0]] != 0) {
          started_[at] = 1;
          Set(at, Present(at, 0));
        } else if (started_[at] == 0 && present_[node.args[1]] != 0) {
          started_[at] = 1;
          Set(at, Present(at, 1));
        }
        break;
      case NodeKind::kTime:
        if (present_[node.args[0]] != 0) Set(at, Value::Int(time));
        break;
      case NodeKind::kLast:
        if (present_[node.args[1]] != 0 && known_[node.args[0]] != 0) {
          Set(at, facts_[at].give_away ? std::move(held_[node.args[0]]) : held_[node.args[0]]);
        }
        break;
      case NodeKind::kDelay:
        if (targets_[at] == time) Set(at, Value());
        break;
      case NodeKind::kMerge:
        for (size_t k = 0; k < node.args.size(); ++k) {
          if (present_[node.args[k]] == 0) continue;
          Set(at, Present(at, k));
          break;
        }
        break;
      case NodeKind::kLift:
        Lift(at, node);
        break;
      case NodeKind::kSlift:
        Slift(at, node);
        break;
    }
  }

  void Lift(uint32_t at, const Node& node) {
    bool any = false;
    for (size_t k = 0; k < node.args.size(); ++k) {
      option_present_[k] = present_[node.args[k]];
      any = any || option_present_[k] != 0;
    }
    if (!any) return;
    std::vector<Value>& registers = registers_[at];
    for (size_t k = 0; k < node.args.size(); ++k) {
      if (option_present_[k] != 0) registers[k] = Present(at, k);
    }
    if (executor_.Run(chunks_[at], registers.data(), option_present_.data(), &now_[at])) present_[at] = 1;
  }

  void Slift(uint32_t at, const Node& node) {
    bool any = false;
    for (uint32_t arg : node.args) any = any || present_[arg] != 0;
    if (!any) return;
    for (uint32_t arg : node.args) {
      if (present_[arg] == 0 && (!facts_[arg].held || known_[arg] == 0)) return;
    }
    std::vector<Value>& registers = registers_[at];
    for (size_t k = 0; k < node.args.size(); ++k) {
      registers[k] = present_[node.args[k]] != 0 ? Present(at, k) : held_[node.args[k]];
    }
    if (executor_.Run(chunks_[at], registers.data(), option_present_.data(), &now_[at])) present_[at] = 1;
  }

  // A delay is armed where its reset has an event or it has just fired: by its delay's event, else it is cancelled.
  void SetTimers(int64_t time) {
    if (delays_.empty()) return;
    next_delay_ = kNever;
    for (uint32_t at : delays_) {
      const Node& node = graph_.nodes[at];
      bool fired = targets_[at] == time;
      if (fired || present_[node.args[1]] != 0) {
        targets_[at] = kNever;
        if (present_[node.args[0]] != 0) Arm(at, now_[node.args[0]], time);
      }
      next_delay_ = std::min(next_delay_, targets_[at]);
    }
  }

  void Arm(uint32_t at, const Value& delay, int64_t time) {
    if (delay.is_error()) {
      fault_ = delay.text();
    } else if (delay.integer() <= 0) {
      fault_ = "Non-positive delay";
    } else if (__builtin_add_overflow(time, delay.integer(), &targets_[at])) {
      targets_[at] = kNever;
    }
  }

  const Graph& graph_;
  const std::vector<NodeFacts>& facts_;
  std::vector<Value> now_;  // this step's values; meaningful where present_
  std::vector<uint8_t> present_;
  std::vector<Value> held_;
  std::vector<uint8_t> known_;    // held_ has a value
  std::vector<uint8_t> started_;  // a defaultFrom that has had an event
  std::vector<uint32_t> held_nodes_;
  std::vector<uint32_t> delays_;
  std::vector<int64_t> targets_;
  int64_t next_delay_ = kNever;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<Value>> registers_;
  std::vector<uint8_t> option_present_;
  size_t parameters_ = 0;
  Executor executor_;
};

}  // namespace

std::unique_ptr<Machine> MakeInterpreter(const Program& program) { return std::make_unique<Interpreter>(program); }

}  // namespace heddle::stream
