// What must be kept between steps, and where an old value may be given away.
//
// Held values. `last(v, r)` reads v's newest value before the step, so v is held. slift(a1..an) needs the newest value
// of ai when ai has no event but some aj has. It never does when ai = last(v, r) and every other aj only ticks when r
// ticks: if r ticks and ai does not, then v had no event before, so ai never had one, and slift cannot fire anyway.
//
// Giving away. L = last(v, r) may move v's held value out, instead of sharing it, when nobody else reads that value and
// it is certain to be replaced at the end of the step:
//   - L is the only `last` that reads v, L is no output, and L has exactly one user A, once;
//   - v is A, or default(A, c): whenever A has an event, v has one, and v's held value is replaced;
//   - A has an event whenever L has: A is an slift whose other arguments are all r, or a lift whose function can be
//   seen
//     to give Some when L's parameter and those of r are present (AlwaysSome).
// slift users of v read its present value in such a step, since v has an event.
#include <algorithm>

#include "stream/core/program.h"

namespace heddle::stream {
namespace {

enum class Truth { kFalse, kTrue, kUnknown };

// The value of a condition about which parameters are present.
Truth Known(const ExprRef& expr, const std::vector<bool>& present) {
  bool about_parameter =
      !expr->args.empty() && expr->args[0]->op == Op::kLocal && expr->args[0]->local < present.size();
  if (expr->op == Op::kPrimitive && about_parameter && present[expr->args[0]->local]) {
    if (expr->primitive == Primitive::kIsSome) return Truth::kTrue;
    if (expr->primitive == Primitive::kIsNone) return Truth::kFalse;
  }
  if (expr->op == Op::kAnd && Known(expr->args[0], present) == Truth::kTrue) return Known(expr->args[1], present);
  return Truth::kUnknown;
}

bool AlwaysSome(const ExprRef& expr, const std::vector<bool>& present) {
  switch (expr->op) {
    case Op::kSome:
      return true;
    case Op::kLocal:
      return expr->local < present.size() && present[expr->local];
    case Op::kLet:
      return AlwaysSome(expr->args[1], present);
    case Op::kIf:
      switch (Known(expr->args[0], present)) {
        case Truth::kTrue:
          return AlwaysSome(expr->args[1], present);
        case Truth::kFalse:
          return AlwaysSome(expr->args[2], present);
        case Truth::kUnknown:
          return AlwaysSome(expr->args[1], present) && AlwaysSome(expr->args[2], present);
      }
      return false;
    default:
      return false;
  }
}

class Analyser {
 public:
  explicit Analyser(Program& program) : graph_(program.graph), facts_(program.facts) {}

  void Run() {
    facts_.assign(graph_.nodes.size(), {});
    users_.assign(graph_.nodes.size(), {});
    output_.assign(graph_.nodes.size(), false);
    for (const Output& output : graph_.outputs) output_[output.node] = true;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      facts_[i].take.assign(graph_.nodes[i].args.size(), false);
      for (uint32_t arg : graph_.nodes[i].args) users_[arg].push_back(i);
    }
    FindHeld();
    FindTakes();
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) facts_[i].give_away = MayGiveAway(i);
  }

 private:
  // Every event of `a` comes at a step where `r` has one, or at 0.
  bool TicksOnlyWith(uint32_t a, uint32_t r, int depth = 0) const {
    if (a == r) return true;
    if (depth > 8) return false;
    const Node& clock = graph_.nodes[r];
    if (clock.kind == NodeKind::kMerge && std::find(clock.args.begin(), clock.args.end(), a) != clock.args.end()) {
      return true;
    }
    const Node& node = graph_.nodes[a];
    auto all = [&](size_t from) {
      for (size_t i = from; i < node.args.size(); ++i) {
        if (!TicksOnlyWith(node.args[i], r, depth + 1)) return false;
      }
      return true;
    };
    switch (node.kind) {
      case NodeKind::kNil:
        return true;
      case NodeKind::kLast:
        return all(1);
      case NodeKind::kTime:
      case NodeKind::kLift:
      case NodeKind::kSlift:
      case NodeKind::kMerge:
      case NodeKind::kDefault:  // its own event is at 0
        return all(0);
      default:
        return false;
    }
  }

  void FindHeld() {
    for (const Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kLast) facts_[node.args[0]].held = true;
      if (node.kind != NodeKind::kSlift || node.args.size() < 2) continue;
      for (size_t i = 0; i < node.args.size(); ++i) {
        const Node& arg = graph_.nodes[node.args[i]];
        bool needless = arg.kind == NodeKind::kLast;
        for (size_t j = 0; j < node.args.size() && needless; ++j) {
          needless = j == i || TicksOnlyWith(node.args[j], arg.args[1]);
        }
        if (!needless) facts_[node.args[i]].held = true;
      }
    }
  }

  // The last user in order may take a value that is neither held nor given out. The first argument of `delay` is read
  // after the step, so it is never taken.
  void FindTakes() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      for (size_t k = 0; k < node.args.size(); ++k) {
        uint32_t arg = node.args[k];
        bool delayed = k == 0 && (node.kind == NodeKind::kLast || node.kind == NodeKind::kDelay);
        delayed = delayed || (node.kind == NodeKind::kDelay && node.args[0] == arg);
        if (delayed || output_[arg] || facts_[arg].held) continue;
        bool last = std::all_of(users_[arg].begin(), users_[arg].end(), [&](uint32_t user) {
          return user <= i && !(graph_.nodes[user].kind == NodeKind::kDelay && graph_.nodes[user].args[0] == arg);
        });
        last = last && std::count(node.args.begin(), node.args.end(), arg) == 1;
        facts_[i].take[k] = last;
      }
    }
  }

  bool FiresWith(const Node& user, uint32_t last_node) const {
    uint32_t trigger = graph_.nodes[last_node].args[1];
    std::vector<bool> present;
    present.reserve(user.args.size());
    for (uint32_t arg : user.args) present.push_back(arg == last_node || arg == trigger);
    if (user.kind == NodeKind::kLift) return AlwaysSome(user.function->body, present);
    return user.kind == NodeKind::kSlift && !user.filters &&
           std::find(present.begin(), present.end(), false) == present.end();
  }

  bool MayGiveAway(uint32_t at) const {
    const Node& node = graph_.nodes[at];
    if (node.kind != NodeKind::kLast || output_[at] || facts_[at].held || users_[at].size() != 1) return false;
    uint32_t values = node.args[0];
    for (uint32_t user : users_[values]) {
      if (user != at && graph_.nodes[user].kind == NodeKind::kLast && graph_.nodes[user].args[0] == values)
        return false;
    }
    if (node.args[1] == values) return false;
    uint32_t user = users_[at][0];
    bool becomes =
        values == user || (graph_.nodes[values].kind == NodeKind::kDefault && graph_.nodes[values].args[0] == user);
    return becomes && FiresWith(graph_.nodes[user], at);
  }

  const Graph& graph_;
  std::vector<NodeFacts>& facts_;
  std::vector<std::vector<uint32_t>> users_;
  std::vector<bool> output_;
};

}  // namespace

Program Analyse(Graph graph, bool paper) {
  Program program;
  program.graph = std::move(graph);
  program.paper = paper;
  Analyser(program).Run();
  return program;
}

}  // namespace heddle::stream
