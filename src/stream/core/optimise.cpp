#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "stream/core/program.h"
#include "stream/elaborate/elaborate.h"
#include "stream/text/format.h"

namespace heddle::stream {
namespace {

// Different values have different texts: equal nodes are found by them.
std::string KeyText(const Value& value) {
  return ToText(value, [](std::string& out, std::string_view text) { out += fmt::format("{:?}", text); });
}

// True for the argument that may close a cycle: it is only read in later steps.
bool IsDelayed(const Node& node, size_t argument) {
  bool delay = node.kind == NodeKind::kDelay;
  // A delay that is its own reset starts with every event of its first argument, after the step.
  return (argument == 0 && (node.kind == NodeKind::kLast || delay)) || (delay && node.args[0] == node.args[1]);
}

class Optimiser {
 public:
  Optimiser(Graph graph, std::vector<Diagnostic>& diagnostics) : graph_(std::move(graph)), diagnostics_(diagnostics) {}

  std::optional<Graph> Run() {
    if (!ResolvePlaceholders()) return std::nullopt;
    Reach();
    if (!Order()) return std::nullopt;
    Share();
    return Rebuild();
  }

 private:
  bool ResolvePlaceholders() {
    auto follow = [&](uint32_t at) {
      for (size_t steps = 0; graph_.nodes[at].kind == NodeKind::kPlaceholder; ++steps) {
        if (graph_.nodes[at].args.empty() || steps > graph_.nodes.size()) return std::pair{at, false};
        at = graph_.nodes[at].args[0];
      }
      return std::pair{at, true};
    };
    auto replace = [&](uint32_t& at) {
      auto [target, good] = follow(at);
      if (!good) {
        Report(graph_.nodes[at].span,
               fmt::format("Infinite recursion detected: `{}` is defined as itself", graph_.nodes[at].name));
      }
      at = target;
      return good;
    };
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      uint32_t at = i;
      if (graph_.nodes[i].kind == NodeKind::kPlaceholder && !graph_.nodes[i].args.empty() && !replace(at)) return false;
    }
    for (Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kPlaceholder) continue;
      for (uint32_t& arg : node.args) {
        if (!replace(arg)) return false;
      }
    }
    for (Output& output : graph_.outputs) {
      if (!replace(output.node)) return false;
    }
    return true;
  }

  void Report(Span span, std::string message) {
    diagnostics_.push_back({Severity::kError, span, std::move(message), "", {}});
  }

  void Reach() {
    reached_.assign(graph_.nodes.size(), false);
    std::vector<uint32_t> work;
    work.reserve(graph_.outputs.size());
    for (const Output& output : graph_.outputs) work.push_back(output.node);
    for (uint32_t input : graph_.inputs) reached_[input] = true;
    while (!work.empty()) {
      uint32_t at = work.back();
      work.pop_back();
      if (reached_[at] && graph_.nodes[at].kind != NodeKind::kInput) continue;
      reached_[at] = true;
      for (uint32_t arg : graph_.nodes[at].args) {
        if (!reached_[arg]) work.push_back(arg);
      }
    }
  }

  // Depth first with an explicit stack, so that long chains do not exhaust the real one.
  bool Order() {
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(graph_.nodes.size(), kNew);
    std::vector<std::pair<uint32_t, size_t>> stack;
    auto visit = [&](uint32_t root) {
      if (state[root] != kNew) return true;
      stack = {{root, 0}};
      state[root] = kOpen;
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        const Node& node = graph_.nodes[at];
        while (next < node.args.size() && IsDelayed(node, next)) ++next;
        if (next == node.args.size()) {
          state[at] = kDone;
          if (reached_[at]) order_.push_back(at);
          stack.pop_back();
          continue;
        }
        uint32_t arg = node.args[next++];
        if (state[arg] == kOpen) {
          ReportCycle(stack, arg);
          return false;
        }
        if (state[arg] == kNew) {
          state[arg] = kOpen;
          stack.emplace_back(arg, 0);
        }
      }
      return true;
    };
    for (uint32_t input : graph_.inputs) {
      if (!visit(input)) return false;
    }
    for (bool used : {true, false}) {  // a cycle that no output needs is a mistake as well
      for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
        if (reached_[i] == used && !visit(i)) return false;
      }
    }
    return true;
  }

  void ReportCycle(const std::vector<std::pair<uint32_t, size_t>>& stack, uint32_t entry) {
    const Node& first = graph_.nodes[entry];
    Diagnostic diagnostic;
    diagnostic.span = first.span;
    diagnostic.message = fmt::format("Infinite recursion detected: `{}` needs its own present value", first.name);
    diagnostic.help = "a stream may depend on itself only through the first argument of `last` or `delay`";
    bool on = false;
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const auto& [at, next] : stack) {
      on = on || at == entry;
      const Node& node = graph_.nodes[at];
      if (!on || at == entry || !seen.emplace(node.span.begin, node.span.end).second || seen.size() > 8) continue;
      diagnostic.notes.push_back({Severity::kNote, node.span, fmt::format("through `{}`", node.name), "", {}});
    }
    diagnostics_.push_back(std::move(diagnostic));
  }

  std::string LocalKey(const Node& node) {
    std::string key = fmt::format("{}{} {} {}", NameOf(node.kind), node.filters ? "?" : "", ToText(node.type),
                                  static_cast<int>(node.constant.tag()));
    key += KeyText(node.constant);
    if (node.kind == NodeKind::kInput) key += " " + node.name;
    if (node.function) key += " " + ExprText(node.function->body);
    return key;
  }

  // Classes of nodes that cannot be told apart: start with all that look alike, and split until nothing changes. Two
  // streams in one class have equal events at every step, by induction over the steps, even when they are recursive.
  void Share() {
    class_.assign(graph_.nodes.size(), 0);
    std::map<std::string, uint32_t> keys;
    for (uint32_t at : order_) {
      class_[at] = keys.try_emplace(LocalKey(graph_.nodes[at]), static_cast<uint32_t>(keys.size())).first->second;
    }
    for (size_t count = keys.size();;) {
      std::map<std::vector<uint32_t>, uint32_t> splits;
      std::vector<uint32_t> next(graph_.nodes.size(), 0);
      for (uint32_t at : order_) {
        std::vector<uint32_t> key{class_[at]};
        for (uint32_t arg : graph_.nodes[at].args) key.push_back(class_[arg]);
        next[at] = splits.try_emplace(std::move(key), static_cast<uint32_t>(splits.size())).first->second;
      }
      class_ = std::move(next);
      if (splits.size() == count) return;
      count = splits.size();
    }
  }

  // One node for each class, in an order that Order() found.
  Graph Rebuild() {
    Graph result;
    result.recursive = graph_.recursive;
    std::unordered_map<uint32_t, uint32_t> number;
    for (uint32_t at : order_) {
      if (!number.try_emplace(class_[at], static_cast<uint32_t>(result.nodes.size())).second) continue;
      result.nodes.push_back(graph_.nodes[at]);
    }
    for (Node& node : result.nodes) {
      for (uint32_t& arg : node.args) arg = number[class_[arg]];
      if (HasVariables(node.type)) Unify(node.type, SimpleType(TypeKind::kUnit));  // can never have an event
    }
    for (uint32_t input : graph_.inputs) result.inputs.push_back(number[class_[input]]);
    result.outputs = graph_.outputs;
    for (Output& output : result.outputs) output.node = number[class_[output.node]];
    return result;
  }

  Graph graph_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<bool> reached_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> class_;
};

}  // namespace

std::optional<Graph> Optimise(Graph graph, std::vector<Diagnostic>& diagnostics) {
  return Optimiser(std::move(graph), diagnostics).Run();
}

std::optional<Program> BuildProgram(SourceMap& sources, uint32_t file, const CompileOptions& options,
                                    std::vector<Diagnostic>& diagnostics) {
  std::optional<Compiled> compiled = Compile(sources, file, options, diagnostics);
  if (!compiled) return std::nullopt;
  std::optional<Graph> graph = Optimise(std::move(compiled->graph), diagnostics);
  if (!graph) return std::nullopt;
  Program program = Analyse(std::move(*graph), compiled->paper);
  program.dialect = compiled->dialect;
  program.dialect_reason = compiled->dialect_reason;
  return program;
}

std::string ExprText(const ExprRef& expr) {
  static constexpr const char* kNames[] = {"const",   "local",    "let",       "if",       "and",    "or",
                                           "Some",    "orElse",   "record",    "member",   "call",   "Set.fold",
                                           "Set.map", "Map.fold", "List.fold", "List.map", "opaque", "primitive"};
  const Expr& e = *expr;
  if (e.op == Op::kConst) return KeyText(e.constant);
  if (e.op == Op::kLocal) return fmt::format("${}", e.local);
  std::string out = e.op == Op::kPrimitive ? InfoOf(e.primitive).name : kNames[static_cast<size_t>(e.op)];
  if (e.op == Op::kLet || e.op == Op::kMember) out += fmt::format("[{}]", e.local);
  if (e.op == Op::kRecord) out += fmt::format("[{}]", fmt::join(e.shape->names, ","));
  if (e.op == Op::kCall) out += fmt::format("[{}@{}]", e.function->name, fmt::ptr(e.function.get()));
  for (uint32_t local : e.locals) out += fmt::format("[${}]", local);
  out += '(';
  for (size_t i = 0; i < e.args.size(); ++i) out += (i > 0 ? ", " : "") + ExprText(e.args[i]);
  return out + ")";
}

std::string CoreText(const Graph& graph) {
  std::string out;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    out += fmt::format("s{}: {} = {}", i, ToText(node.type), NameOf(node.kind));
    if (node.kind == NodeKind::kInput) out += " " + node.name;
    std::vector<std::string> args;
    args.reserve(node.args.size());
    for (uint32_t arg : node.args) args.push_back(fmt::format("s{}", arg));
    if (node.kind == NodeKind::kDefault) args.push_back(LiteralText(node.constant));
    if (!args.empty()) out += fmt::format("({})", fmt::join(args, ", "));
    if (node.function) out += (node.filters ? " filtered " : " ") + ExprText(node.function->body);
    out += '\n';
  }
  for (const Output& output : graph.outputs) out += fmt::format("out s{} as {}\n", output.node, output.name);
  return out;
}

}  // namespace heddle::stream
