#include "stream/emit/emit_cpp.h"

#include <fmt/format.h>

#include "stream/core/failures.h"
#include "stream/emit/cpp_writer.h"
#include "stream/emit/embedded.h"

namespace heddle::stream {
namespace {

// A header without the lines that only make sense in our tree.
std::string Pasted(std::string_view header) {
  std::string out;
  while (!header.empty()) {
    size_t end = header.find('\n');
    std::string_view line = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    if (line.starts_with("#include \"") || line.starts_with("#pragma once") || line.starts_with("//")) continue;
    out += line;
    out += '\n';
  }
  return out;
}

constexpr const char* kHelpers = R"(
namespace {
using namespace heddle::stream;
inline Value EqRef(const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  return Value::Bool(primitive::Same(a, b));
}
inline Value NeqRef(const Value& a, const Value& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  return Value::Bool(!primitive::Same(a, b));
}
// A scalar that is never an error: no tag to look at, nothing to count.
template <Tag kTag>
struct Plain {
  int64_t bits = 0;
  Plain() = default;
  Plain& operator=(const Value& value) {
    bits = value.integer();
    return *this;
  }
  operator Value() const {
    if constexpr (kTag == Tag::kInt) return Value::Int(bits);
    if constexpr (kTag == Tag::kBool) return Value::Bool(bits != 0);
    return Value();
  }
  bool is_error() const { return false; }
  bool boolean() const { return bits != 0; }
  int64_t integer() const { return bits; }
  std::string text() const { return {}; }
};
template <Tag kTag>
inline void Locate(Plain<kTag>&, std::string_view) {}
template <Tag kTag>
inline Value EqRef(const Plain<kTag>& a, const Plain<kTag>& b) { return Value::Bool(a.bits == b.bits); }
template <Tag kTag>
inline Value NeqRef(const Plain<kTag>& a, const Plain<kTag>& b) { return Value::Bool(a.bits != b.bits); }
inline Value MakeRecord(const RecordShape* shape, std::initializer_list<Value> items) {
  ArrayCell* cell = ArrayCell::Make(static_cast<uint32_t>(items.size()), shape);
  uint32_t i = 0;
  for (const Value& item : items) cell->items()[i++] = item;
  return Value::Array(Tag::kRecord, cell);
}
inline Value MakeTree(Tag tag, std::initializer_list<std::pair<Value, Value>> items) {
  TreeNode* root = nullptr;
  for (const auto& [key, value] : items) root = Join(root, NewNode(key, value), nullptr);
  return Value::Tree(tag, root);
}
int call_depth = 0;
)";

class MonitorWriter {
 public:
  MonitorWriter(const Program& program, size_t number, CppShared& shared)
      : graph_(program.graph),
        facts_(program.facts),
        name_(fmt::format("Monitor{}", number)),
        shared_(shared),
        may_fail_(MayFail(graph_)) {}

  std::string Run() {
    std::string step = Inputs();
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) step += NodeCode(i);
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      step += fmt::format("if (p{0}) emit(context, {1}, v{0});\n", graph_.outputs[i].node, i);
    }
    step += Timers();
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (facts_[i].held) step += fmt::format("if (p{0}) {{ h{0} = std::move(v{0}); known{0} = true; }}\n", i);
    }
    return fmt::format("struct {} {{\n{}int64_t next_delay = kNever;\nstd::string fault;\n", name_, State()) +
           "void Step(int64_t time, InputEvent* events, uint64_t count, EmitFunction emit, void* context) {\n"
           "(void)time; (void)emit; (void)context;\n" +
           step + "}\n};\n";
  }
  const std::string& name() const { return name_; }

 private:
  std::string TypeOf(uint32_t node) const {
    TypeKind kind = KindOf(graph_.nodes[node].type);
    if (may_fail_[node]) return "Value";
    if (kind == TypeKind::kInt) return "Plain<Tag::kInt>";
    if (kind == TypeKind::kBool) return "Plain<Tag::kBool>";
    return kind == TypeKind::kUnit ? "Plain<Tag::kUnit>" : "Value";
  }

  std::string State() const {
    std::string out;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (facts_[i].held) out += fmt::format("{1} h{0}; bool known{0} = false;\n", i, TypeOf(i));
      if (graph_.nodes[i].kind == NodeKind::kDelay) out += fmt::format("int64_t due{} = kNever;\n", i);
      if (graph_.nodes[i].kind == NodeKind::kDefaultFrom) out += fmt::format("bool started{} = false;\n", i);
    }
    return out;
  }

  std::string Inputs() const {
    std::string out;
    for (uint32_t node : graph_.inputs) out += fmt::format("{1} v{0}; bool p{0} = false;\n", node, TypeOf(node));
    out += "for (uint64_t i = 0; i < count; ++i) {\nswitch (events[i].input) {\n";
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      out += fmt::format("case {0}: v{1} = std::move(events[i].value); p{1} = true; break;\n", i, graph_.inputs[i]);
    }
    return out + "default: break;\n}\n}\n";
  }

  std::string Take(uint32_t at, size_t argument) const {
    uint32_t node = graph_.nodes[at].args[argument];
    return facts_[at].take[argument] ? fmt::format("std::move(v{})", node) : fmt::format("v{}", node);
  }

  std::string NodeCode(uint32_t i) {
    const Node& node = graph_.nodes[i];
    if (node.kind == NodeKind::kInput) return "";
    return fmt::format("{1} v{0}; bool p{0} = false;\n", i, TypeOf(i)) + Body(i, node);
  }

  std::string Body(uint32_t i, const Node& node) {
    auto arg = [&](size_t k) { return node.args[k]; };
    switch (node.kind) {
      case NodeKind::kDefault:
        return fmt::format(
            "if (p{1}) {{ v{0} = {2}; p{0} = true; }} else if (time == 0) {{ v{0} = {3}; p{0} = true; }}\n", i, arg(0),
            Take(i, 0), shared_.Constant(node.constant));
      case NodeKind::kDefaultFrom:
        return fmt::format(
            "if (p{1}) {{ v{0} = {3}; p{0} = started{0} = true; }} else if (!started{0} && p{2}) {{ v{0} = {4}; p{0} = "
            "started{0} = true; }}\n",
            i, arg(0), arg(1), Take(i, 0), Take(i, 1));
      case NodeKind::kTime:
        return fmt::format("if (p{1}) {{ v{0} = Value::Int(time); p{0} = true; }}\n", i, arg(0));
      case NodeKind::kLast:
        return fmt::format("if (p{1} && known{2}) {{ v{0} = {3}; p{0} = true; }}\n", i, arg(1), arg(0),
                           facts_[i].give_away ? fmt::format("std::move(h{})", arg(0)) : fmt::format("h{}", arg(0)));
      case NodeKind::kDelay:
        return fmt::format("if (due{0} == time) p{0} = true;\n", i);
      case NodeKind::kMerge: {
        std::string out;
        for (size_t k = 0; k < node.args.size(); ++k) {
          out +=
              fmt::format("{}if (p{}) {{ v{} = {}; p{} = true; }}\n", k > 0 ? "else " : "", arg(k), i, Take(i, k), i);
        }
        return out;
      }
      case NodeKind::kLift:
      case NodeKind::kSlift:
        return Lifted(i, node);
      default:
        return "";
    }
  }

  std::string Lifted(uint32_t i, const Node& node) {
    bool lift = node.kind == NodeKind::kLift;
    std::string any;
    std::string all;
    std::string parameters;
    for (size_t k = 0; k < node.args.size(); ++k) {
      uint32_t a = node.args[k];
      bool held = facts_[a].held;
      any += fmt::format("{}p{}", k > 0 ? " || " : "", a);
      if (!lift) all += held ? fmt::format(" && (p{0} || known{0})", a) : fmt::format(" && p{}", a);
      if (lift) parameters += fmt::format("const bool p_{} = p{}; (void)p_{};\n", k, a, k);
      if (facts_[i].take[k]) {
        parameters += fmt::format("auto& l{} = v{};\n", k, a);
      } else if (!lift && held) {
        parameters += fmt::format("const auto& l{0} = p{1} ? v{1} : h{1};\n", k, a);
      } else {
        parameters += fmt::format("const auto& l{} = v{};\n", k, a);
      }
      parameters += fmt::format("(void)l{};\n", k);
    }
    CppWriter writer(shared_, lift ? node.function->parameters : 0);
    std::string to = fmt::format("v{}", i);
    std::string flag = fmt::format("p{}", i);
    const ExprRef& body = node.function->body;
    std::string code =
        lift || node.filters ? writer.Tail(to, flag, body, {}) : writer.Into(to, body, {}) + flag + " = true;\n";
    return fmt::format("if (({}){}) {{\n{}{}}}\n", any.empty() ? "false" : any, all, parameters, code);
  }

  std::string Timers() const {
    std::string out;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.kind != NodeKind::kDelay) continue;
      if (out.empty()) out = "next_delay = kNever;\n";
      out += fmt::format(
          "if (due{0} == time || p{1}) {{\ndue{0} = kNever;\nif (p{2}) {{\n"
          "if (v{2}.is_error()) fault = v{2}.text();\nelse if (v{2}.integer() <= 0) fault = {3};\n"
          "else if (__builtin_add_overflow(time, v{2}.integer(), &due{0})) due{0} = kNever;\n}}\n}}\n"
          "if (due{0} < next_delay) next_delay = due{0};\n",
          i, node.args[1], node.args[0],
          CppLiteral(std::string("Non-positive delay") + Value::kPlaceMark + node.place));
    }
    return out;
  }

  const Graph& graph_;
  const std::vector<NodeFacts>& facts_;
  std::string name_;
  CppShared& shared_;
  std::vector<bool> may_fail_;
};

}  // namespace

std::string EmitCpp(std::span<const Program* const> programs) {
  CppShared shared;
  std::string monitors;
  std::string table;
  for (size_t i = 0; i < programs.size(); ++i) {
    MonitorWriter writer(*programs[i], i, shared);
    monitors += writer.Run();
    table += fmt::format(
        "{{kMonitorAbi, {1}, []() -> void* {{ return new {0}; }}, [](void* m) {{ delete static_cast<{0}*>(m); }},\n"
        "[](void* m, int64_t time, InputEvent* events, uint64_t count, EmitFunction emit, void* context) {{\n"
        "static_cast<{0}*>(m)->Step(time, events, count, emit, context); }},\n"
        "[](const void* m) {{ return static_cast<const {0}*>(m)->next_delay; }},\n"
        "[](const void* m) {{ return static_cast<const {0}*>(m)->fault.c_str(); }}}},\n",
        writer.name(), programs.size());
  }
  std::string out =
      "// Generated by heddle monitor --compile. One monitor for each specification, behind heddle_monitors().\n";
  out += "#include <algorithm>\n#include <initializer_list>\n";
  for (const char* header : {kValueHeader, kTreeHeader, kPrintHeader, kPrimitivesHeader, kAbiHeader})
    out += Pasted(header);
  out += kHelpers + shared.Definitions() + monitors;
  out += fmt::format("const MonitorAbi kMonitors[] = {{\n{}}};\n}}  // namespace\n", table);
  return out + "extern \"C\" const heddle::stream::MonitorAbi* heddle_monitors() { return kMonitors; }\n";
}

}  // namespace heddle::stream
