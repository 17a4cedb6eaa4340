// The interpreter: in each step, the nodes that some event reaches, in order.
//
// A set bit of work_ is a node that has to be looked at. Inputs with an event set the bits of their users; so does
// every node that gets an event. Users come after what they use (except through the delayed arguments of `last` and
// `delay`, which are not marked), so one scan over the bits in order is enough, and nodes that no event reaches cost
// nothing. At time 0 all nodes are looked at, because of defaults; delays are marked when they are due.
#include <algorithm>
#include <bit>

#include "stream/run/executor.h"
#include "stream/run/machine.h"

namespace heddle::stream {
namespace {

// What a step needs of a node, without the rest. Arguments, takes and users are ranges of flat arrays.
struct HotNode {
  NodeKind kind = NodeKind::kNil;
  bool give_away = false;
  bool held = false;
  uint32_t first_argument = 0;
  uint32_t arguments = 0;
  uint32_t first_user = 0;
  uint32_t users = 0;
};

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
        registers_[i] = NewRegisters(chunks_[i]);
        parameters_ = std::max(parameters_, node.args.size());
      }
      if (node.kind == NodeKind::kDelay) delays_.push_back(i);
    }
    MakeHot();
    work_.resize(graph_.nodes.size() / 64 + 1);
    option_present_.resize(parameters_ + 1);
  }

  void Step(int64_t time, std::span<InputEvent> events, std::vector<OutputEvent>& outputs) override {
    for (InputEvent& event : events) {
      uint32_t node = graph_.inputs[event.input];
      Set(node, std::move(event.value));
      MarkUsers(node);
    }
    if (time == 0) MarkAll();
    if (next_delay_ == time) MarkDue(time);
    for (size_t word = 0; word < work_.size(); ++word) {
      while (work_[word] != 0) {
        auto at = static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(work_[word]));
        work_[word] &= work_[word] - 1;
        Evaluate(at, time);
        if (present_[at] != 0) MarkUsers(at);
      }
    }
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) {
      uint32_t node = graph_.outputs[i].node;
      if (present_[node] != 0) outputs.push_back({i, now_[node]});
    }
    SetTimers(time);
    for (uint32_t i : touched_) {
      present_[i] = 0;
      if (hot_[i].held) {
        held_[i] = std::move(now_[i]);
        known_[i] = 1;
      }
      if (now_[i].tag() >= Tag::kError) now_[i] = Value();
    }
    touched_.clear();
  }

  int64_t NextDelay() const override { return next_delay_; }

 private:
  void Set(uint32_t at, Value value) {
    now_[at] = std::move(value);
    HasEvent(at);
  }
  void HasEvent(uint32_t at) {
    present_[at] = 1;
    touched_.push_back(at);
  }
  void Mark(uint32_t at) { work_[at / 64] |= uint64_t{1} << (at % 64); }
  void MarkUsers(uint32_t at) {
    const HotNode& node = hot_[at];
    for (uint32_t k = 0; k < node.users; ++k) Mark(users_[node.first_user + k]);
  }
  void MarkAll() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) Mark(i);
  }
  void MarkDue(int64_t time) {
    for (uint32_t i : delays_) {
      if (targets_[i] == time) Mark(i);
    }
  }

  void MakeHot() {
    std::vector<std::vector<uint32_t>> users(graph_.nodes.size());
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      HotNode hot;
      hot.kind = node.kind;
      hot.give_away = facts_[i].give_away;
      hot.held = facts_[i].held;
      hot.first_argument = static_cast<uint32_t>(arguments_.size());
      hot.arguments = static_cast<uint32_t>(node.args.size());
      for (size_t k = 0; k < node.args.size(); ++k) {
        arguments_.push_back(node.args[k]);
        takes_.push_back(facts_[i].take[k] ? 1 : 0);
        bool delayed = node.kind == NodeKind::kDelay || (node.kind == NodeKind::kLast && k == 0);
        std::vector<uint32_t>& known = users[node.args[k]];
        if (!delayed && (known.empty() || known.back() != i)) known.push_back(i);
      }
      hot_.push_back(hot);
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      hot_[i].first_user = static_cast<uint32_t>(users_.size());
      hot_[i].users = static_cast<uint32_t>(users[i].size());
      users_.insert(users_.end(), users[i].begin(), users[i].end());
    }
  }

  // The present value of an argument: moved when this is its last use.
  Value Present(const HotNode& node, uint32_t argument) {
    uint32_t from = arguments_[node.first_argument + argument];
    if (takes_[node.first_argument + argument] != 0) return std::move(now_[from]);
    return now_[from];
  }

  void Evaluate(uint32_t at, int64_t time) {
    const HotNode& node = hot_[at];
    const uint32_t* args = arguments_.data() + node.first_argument;
    switch (node.kind) {
      case NodeKind::kInput:
      case NodeKind::kNil:
      case NodeKind::kPlaceholder:
        break;
      case NodeKind::kDefault:
        if (present_[args[0]] != 0) {
          Set(at, Present(node, 0));
        } else if (time == 0) {
          Set(at, graph_.nodes[at].constant);
        }
        break;
      case NodeKind::kDefaultFrom:
        if (present_[args[0]] != 0) {
          started_[at] = 1;
          Set(at, Present(node, 0));
        } else if (started_[at] == 0 && present_[args[1]] != 0) {
          started_[at] = 1;
          Set(at, Present(node, 1));
        }
        break;
      case NodeKind::kTime:
        if (present_[args[0]] != 0) Set(at, Value::Int(time));
        break;
      case NodeKind::kLast:
        if (present_[args[1]] != 0 && known_[args[0]] != 0) {
          Set(at, node.give_away ? std::move(held_[args[0]]) : held_[args[0]]);
        }
        break;
      case NodeKind::kDelay:
        if (targets_[at] == time) Set(at, Value());
        break;
      case NodeKind::kMerge:
        for (uint32_t k = 0; k < node.arguments; ++k) {
          if (present_[args[k]] == 0) continue;
          Set(at, Present(node, k));
          break;
        }
        break;
      case NodeKind::kLift:
        Lift(at, node, args);
        break;
      case NodeKind::kSlift:
        Slift(at, node, args);
        break;
    }
  }

  void Lift(uint32_t at, const HotNode& node, const uint32_t* args) {
    bool any = false;
    for (uint32_t k = 0; k < node.arguments; ++k) {
      option_present_[k] = present_[args[k]];
      any = any || option_present_[k] != 0;
    }
    if (!any) return;
    Value* registers = registers_[at].data();
    for (uint32_t k = 0; k < node.arguments; ++k) {
      if (option_present_[k] != 0) registers[k] = Present(node, k);
    }
    if (executor_.Run(chunks_[at], registers, option_present_.data(), &now_[at])) HasEvent(at);
  }

  void Slift(uint32_t at, const HotNode& node, const uint32_t* args) {
    bool any = false;
    for (uint32_t k = 0; k < node.arguments; ++k) {
      bool here = present_[args[k]] != 0;
      any = any || here;
      if (!here && (!hot_[args[k]].held || known_[args[k]] == 0)) return;
    }
    if (!any) return;
    Value* registers = registers_[at].data();
    for (uint32_t k = 0; k < node.arguments; ++k) {
      registers[k] = present_[args[k]] != 0 ? Present(node, k) : held_[args[k]];
    }
    if (executor_.Run(chunks_[at], registers, option_present_.data(), &now_[at])) HasEvent(at);
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
      fault_ = std::string("Non-positive delay") + Value::kPlaceMark + graph_.nodes[at].place;
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
  std::vector<HotNode> hot_;
  std::vector<uint32_t> arguments_;
  std::vector<uint8_t> takes_;
  std::vector<uint32_t> users_;
  std::vector<uint64_t> work_;     // bits of the nodes to look at
  std::vector<uint32_t> touched_;  // nodes with an event in this step
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
