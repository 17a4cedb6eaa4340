#include <fmt/format.h>

#include <set>

#include "stream/emit/verilog_writer.h"

namespace heddle::stream {

std::string VerilogName(const std::string& name, size_t index) {
  std::string out;
  for (char c : name) {
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += good ? c : '_';
  }
  return out == name && out.size() < 60 ? out : fmt::format("{}_{}", out.substr(0, 40), index);
}

namespace {

class ModuleWriter {
 public:
  ModuleWriter(const Program& program, const VerilogOptions& options, Symbols& symbols,
               std::vector<Diagnostic>& diagnostics)
      : graph_(program.graph), facts_(program.facts), options_(options), symbols_(symbols), diagnostics_(diagnostics) {}

  std::optional<VerilogModule> Run() {
    if (!CheckTypes()) return std::nullopt;
    // Which streams can carry errors depends on itself through `last`: repeat until nothing is added.
    fails_.assign(graph_.nodes.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      body_.clear();
      for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
        bool fails = NodeText(i);
        changed = changed || (fails && !fails_[i]);
        fails_[i] = fails_[i] || fails;
      }
      if (!problems_.empty()) return std::nullopt;
    }
    VerilogModule module;
    for (const Output& output : graph_.outputs) module.output_may_fail.push_back(fails_[output.node]);
    module.text = Header() + Control() + body_ + State() + Outputs() + "endmodule\n";
    return module;
  }

 private:
  int Width(uint32_t node) const { return VerilogWidth(graph_.nodes[node].type, options_); }

  static std::string Range(int width) { return width <= 1 ? "" : fmt::format("[{}:0] ", width - 1); }
  std::string Declared(uint32_t node) const {
    bool is_signed = Resolve(graph_.nodes[node].type)->kind == TypeKind::kInt;
    return (is_signed ? "signed " : "") + Range(Width(node));
  }

  void Outside(uint32_t node, const std::string& what) {
    if (!problems_.insert(node).second) return;
    std::string name = graph_.nodes[node].name;
    for (const Output& output : graph_.outputs) {
      if (name.empty() && output.node == node) name = output.name;
    }
    std::string shown = name.empty() ? "this expression" : fmt::format("`{}`", name);
    diagnostics_.push_back({Severity::kError,
                            graph_.nodes[node].span,
                            fmt::format("{} cannot become hardware: {}", shown, what),
                            "see the section on hardware in docs/monitor.md",
                            {}});
  }

  bool CheckTypes() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      TypeKind kind = Resolve(graph_.nodes[i].type)->kind;
      bool collection = kind == TypeKind::kSet || kind == TypeKind::kMap;
      bool input = graph_.nodes[i].kind == NodeKind::kInput && collection;
      if (Width(i) < 0 || input) Outside(i, fmt::format("its events carry {}", ToText(graph_.nodes[i].type)));
    }
    return problems_.empty();
  }

  // The node as wires. Returns whether its events can be errors.
  bool NodeText(uint32_t i) {
    const Node& node = graph_.nodes[i];
    switch (node.kind) {
      case NodeKind::kInput:
        return false;
      case NodeKind::kNil:
      case NodeKind::kPlaceholder:
        return Define(i, "1'b0", {"0", ""});
      case NodeKind::kDefault: {
        VerilogFunction constants(options_, symbols_, "");
        bool bad = node.constant.is_error();
        std::string value = Width(i) == 0 || bad ? "0" : constants.Constant(node.constant, node.type);
        if (!constants.problem().empty()) Outside(i, constants.problem());
        uint32_t a = node.args[0];
        std::string error = bad ? (fails_[a] ? fmt::format("(s{0}_v ? s{0}_e : 1'b1)", a) : fmt::format("(~s{}_v)", a))
                                : (fails_[a] ? fmt::format("(s{0}_v & s{0}_e)", a) : "");
        return Define(i, fmt::format("s{}_v | first", a), {fmt::format("s{0}_v ? s{0}_d : {1}", a, value), error});
      }
      case NodeKind::kDefaultFrom: {
        uint32_t a = node.args[0];
        uint32_t b = node.args[1];
        return Define(
            i, fmt::format("s{}_v | (s{}_v & ~s{}_began)", a, b, i),
            {fmt::format("s{0}_v ? s{0}_d : s{1}_d", a, b), Choice(fmt::format("s{}_v", a), ErrorOf(a), ErrorOf(b))});
      }
      case NodeKind::kTime:
        return Define(i, fmt::format("s{}_v", node.args[0]), {fmt::format("now[{}:0]", Width(i) - 1), TimeError(i)});
      case NodeKind::kLast: {
        uint32_t v = node.args[0];
        return Define(i, fmt::format("s{}_v & s{}_known", node.args[1], v),
                      {fmt::format("s{}_held", v), fails_[v] ? fmt::format("s{}_held_e", v) : ""});
      }
      case NodeKind::kDelay:
        return Define(i, fmt::format("s{0}_on & (s{0}_due == now)", i), {"0", ""});
      case NodeKind::kMerge:
        return Merge(i, node);
      case NodeKind::kLift:
      case NodeKind::kSlift:
        return Lifted(i, node);
    }
    return false;
  }

  // Times that do not fit in a narrow Int are errors.
  std::string TimeError(uint32_t i) const {
    return Width(i) == 64 ? "" : fmt::format("(now[63:{}] != 0)", Width(i) - 1);
  }
  std::string ErrorOf(uint32_t node) const { return fails_[node] ? fmt::format("s{}_e", node) : ""; }
  static std::string Choice(const std::string& condition, const std::string& yes, const std::string& no) {
    if (yes.empty() && no.empty()) return "";
    return fmt::format("({} ? {} : {})", condition, yes.empty() ? "1'b0" : yes, no.empty() ? "1'b0" : no);
  }

  bool Define(uint32_t i, const std::string& valid, const Wires& value) {
    body_ +=
        fmt::format("  // {} {}\n  wire s{}_v = {};\n", NameOf(graph_.nodes[i].kind), graph_.nodes[i].name, i, valid);
    if (Width(i) > 0)
      body_ += fmt::format("  wire {}s{}_d = {};\n", Declared(i), i, value.data.empty() ? "0" : value.data);
    // An earlier round may have found that it can fail where this one does not say so.
    bool fails = !value.error.empty() || fails_[i];
    if (fails) body_ += fmt::format("  wire s{}_e = {};\n", i, value.error.empty() ? "1'b0" : value.error);
    return fails;
  }

  bool Merge(uint32_t i, const Node& node) {
    std::string valid;
    std::string data = "0";
    std::string error;
    for (size_t k = node.args.size(); k-- > 0;) {
      uint32_t a = node.args[k];
      valid = valid.empty() ? fmt::format("s{}_v", a) : fmt::format("s{}_v | {}", a, valid);
      data = fmt::format("s{0}_v ? s{0}_d : ({1})", a, data);
      error = Choice(fmt::format("s{}_v", a), ErrorOf(a), error);
    }
    return Define(i, valid, {data, error});
  }

  bool Lifted(uint32_t i, const Node& node) {
    bool lift = node.kind == NodeKind::kLift;
    VerilogFunction function(options_, symbols_, fmt::format("s{}", i));
    function.option_parameters = lift;
    std::string any;
    std::string all;
    for (uint32_t a : node.args) {
      any += fmt::format("{}s{}_v", any.empty() ? "" : " | ", a);
      bool held = !lift && facts_[a].held;
      if (!lift) all += held ? fmt::format(" & (s{0}_v | s{0}_known)", a) : fmt::format(" & s{}_v", a);
      Wires value{fmt::format("s{}_d", a), ErrorOf(a)};
      if (held && Width(a) > 0) value.data = fmt::format("(s{0}_v ? s{0}_d : s{0}_held)", a);
      if (held && fails_[a]) value.error = fmt::format("(s{0}_v ? s{0}_e : s{0}_held_e)", a);
      if (Width(a) == 0) value.data = "1'b0";
      function.parameters.push_back({fmt::format("s{}_v", a), value});
    }
    std::string fires = fmt::format("({}){}", any.empty() ? "1'b0" : any, all);
    OptionWires result = lift || node.filters ? function.Tail(node.function->body)
                                              : OptionWires{"1'b1", function.Value(node.function->body)};
    if (!function.problem().empty()) Outside(i, function.problem());
    body_ += function.text();
    std::string valid = result.valid == "1'b1" ? fires : fmt::format("{} & {}", fires, result.valid);
    return Define(i, valid, result.value);
  }

  std::string Header() {
    std::string out = fmt::format(
        "// Written by heddle monitor --verilog. One timestamp a clock; see docs/monitor.md.\nmodule {} (\n",
        options_.module);
    out +=
        "  input wire clk,\n  input wire rst,\n  input wire in_valid,\n  output wire in_ready,\n  input wire [63:0] "
        "in_time,\n";
    for (size_t k = 0; k < graph_.inputs.size(); ++k) {
      uint32_t i = graph_.inputs[k];
      std::string name = VerilogName(graph_.nodes[i].name, k);
      out += fmt::format("  input wire in_{}_v,\n", name);
      if (Width(i) > 0) out += fmt::format("  input wire {}in_{}_d,\n", Declared(i), name);
    }
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      uint32_t i = graph_.outputs[k].node;
      std::string name = VerilogName(graph_.outputs[k].name, k);
      out += fmt::format("  output reg out_{}_v,\n", name);
      if (Width(i) > 0) out += fmt::format("  output reg {}out_{}_d,\n", Declared(i), name);
      if (fails_[i]) out += fmt::format("  output reg out_{}_e,\n", name);
    }
    return out + "  output reg out_valid,\n  output reg [63:0] out_time,\n  output reg fault\n);\n";
  }

  std::string Control() {
    std::string out = "  reg began;\n  wire first = ~began;\n";
    std::string due = "64'hffffffffffffffff";
    std::string any = "1'b0";
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind == NodeKind::kDelay) {
        out += fmt::format("  reg s{0}_on;\n  reg [63:0] s{0}_due;\n", i);
        std::string least = fmt::format("least_{}", i);
        out += fmt::format("  wire [63:0] {0} = (s{1}_on && s{1}_due < {2}) ? s{1}_due : {2};\n", least, i, due);
        due = least;
        any += fmt::format(" | s{}_on", i);
      }
      if (graph_.nodes[i].kind == NodeKind::kDefaultFrom) out += fmt::format("  reg s{}_began;\n", i);
      if (!facts_[i].held) continue;
      out += fmt::format("  reg s{}_known;\n", i);
      if (Width(i) > 0) out += fmt::format("  reg {}s{}_held;\n", Declared(i), i);
      if (fails_[i]) out += fmt::format("  reg s{}_held_e;\n", i);
    }
    out += fmt::format("  wire any_due = {};\n", any);
    out +=
        "  // A step of its own: time 0 when the first input is later, or a delay that is due before the input.\n"
        "  wire zero = first & (in_time != 0);\n";
    out += fmt::format("  wire own = zero | (~first & any_due & ({} < in_time));\n", due);
    out += fmt::format("  wire [63:0] now = zero ? 64'd0 : (own ? {} : in_time);\n  assign in_ready = ~own;\n", due);
    for (size_t k = 0; k < graph_.inputs.size(); ++k) {
      uint32_t i = graph_.inputs[k];
      std::string name = VerilogName(graph_.nodes[i].name, k);
      out += fmt::format("  wire s{}_v = in_{}_v & ~own;\n", i, name);
      if (Width(i) > 0) out += fmt::format("  wire {}s{}_d = in_{}_d;\n", Declared(i), i, name);
    }
    return out;
  }

  std::string State() {
    std::string reset = "      began <= 1'b0;\n      out_valid <= 1'b0;\n      fault <= 1'b0;\n";
    std::string step = "      began <= 1'b1;\n";
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.kind == NodeKind::kDelay) {
        uint32_t d = node.args[0];
        reset += fmt::format("      s{}_on <= 1'b0;\n", i);
        step += fmt::format(
            "      if (s{0}_v | s{1}_v) begin\n        s{0}_on <= s{2}_v;\n        s{0}_due <= now + s{2}_d;\n", i,
            node.args[1], d);
        step += fmt::format("        if (s{0}_v & ((s{0}_d <= 0){1})) fault <= 1'b1;\n      end\n", d,
                            fails_[d] ? fmt::format(" | s{}_e", d) : "");
      }
      if (node.kind == NodeKind::kDefaultFrom) {
        reset += fmt::format("      s{}_began <= 1'b0;\n", i);
        step += fmt::format("      if (s{0}_v) s{0}_began <= 1'b1;\n", i);
      }
      if (!facts_[i].held) continue;
      reset += fmt::format("      s{}_known <= 1'b0;\n", i);
      step += fmt::format("      if (s{0}_v) begin\n        s{0}_known <= 1'b1;\n", i);
      if (Width(i) > 0) step += fmt::format("        s{0}_held <= s{0}_d;\n", i);
      if (fails_[i]) step += fmt::format("        s{0}_held_e <= s{0}_e;\n", i);
      step += "      end\n";
    }
    return fmt::format("  always @(posedge clk) begin\n    if (rst) begin\n{}    end else if (in_valid) begin\n{}",
                       reset, step);
  }

  std::string Outputs() {
    std::string out = "      out_valid <= 1'b1;\n      out_time <= now;\n";
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      uint32_t i = graph_.outputs[k].node;
      std::string name = VerilogName(graph_.outputs[k].name, k);
      out += fmt::format("      out_{}_v <= s{}_v;\n", name, i);
      if (Width(i) > 0) out += fmt::format("      out_{}_d <= s{}_d;\n", name, i);
      if (fails_[i]) out += fmt::format("      out_{}_e <= s{}_e;\n", name, i);
    }
    return out + "    end else out_valid <= 1'b0;\n  end\n";
  }

  const Graph& graph_;
  const std::vector<NodeFacts>& facts_;
  const VerilogOptions& options_;
  Symbols& symbols_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<bool> fails_;
  std::string body_;
  std::set<uint32_t> problems_;
};

}  // namespace

std::optional<VerilogModule> EmitVerilog(const Program& program, const VerilogOptions& options, Symbols& symbols,
                                         std::vector<Diagnostic>& diagnostics) {
  return ModuleWriter(program, options, symbols, diagnostics).Run();
}

}  // namespace heddle::stream
