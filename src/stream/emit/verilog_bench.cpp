#include <fmt/format.h>

#include "stream/emit/verilog_writer.h"
#include "stream/text/format.h"

namespace heddle::stream {
namespace {

class BenchWriter {
 public:
  BenchWriter(const Program& program, const VerilogModule& module, const VerilogOptions& options, Symbols& symbols,
              const std::string& prefix)
      : program_(program),
        graph_(program.graph),
        module_(module),
        options_(options),
        symbols_(symbols),
        prefix_(prefix) {}

  Result<std::string> Run(EventSource& source) {
    std::string vectors;
    int64_t time = 0;
    std::vector<InputEvent> events;
    bool any = false;
    for (;;) {
      Result<bool> more = source.NextStep(&time, &events);
      if (!more) return more.error();
      if (!*more) break;
      any = true;
      Result<std::string> vector = Vector(time, events);
      if (!vector) return vector.error();
      vectors += *vector;
    }
    if (!any) vectors = "    step(64'd0);\n";  // time 0 is always a step
    return fmt::format("module tb_{} ();\n", options_.module) + Declarations() + Step() +
           "  initial begin\n    stop = 0; clk = 0; rst = 1; in_valid = 0; in_time = 0;\n" + Clear() +
           "    #1 clk = 1; #1 clk = 0; rst = 0;\n" + vectors + "  end\nendmodule\n";
  }

 private:
  int Width(uint32_t node) const { return VerilogWidth(graph_.nodes[node].type, options_); }
  std::string InputName(size_t k) const { return VerilogName(graph_.nodes[graph_.inputs[k]].name, k); }
  std::string OutputName(size_t k) const { return VerilogName(graph_.outputs[k].name, k); }
  std::string Range(uint32_t node) const {
    bool is_signed = Resolve(graph_.nodes[node].type)->kind == TypeKind::kInt;
    return (is_signed ? "signed " : "") + (Width(node) > 1 ? fmt::format("[{}:0] ", Width(node) - 1) : "");
  }

  Result<std::string> Vector(int64_t time, const std::vector<InputEvent>& events) {
    std::string out;
    for (const InputEvent& event : events) {
      std::string name = InputName(event.input);
      out += fmt::format("    in_{}_v = 1;", name);
      int64_t limit = options_.int_width == 64 ? INT64_MAX : (int64_t{1} << (options_.int_width - 1)) - 1;
      if (event.value.tag() == Tag::kInt) {
        if (event.value.integer() > limit || event.value.integer() < -limit - 1) {
          return MakeError(ErrorCode::kBadInput, fmt::format("{}: {} = {} does not fit in {} bits", time, name,
                                                             event.value.integer(), options_.int_width));
        }
        uint64_t mask = options_.int_width == 64 ? ~uint64_t{0} : (uint64_t{1} << options_.int_width) - 1;
        out += fmt::format(" in_{}_d = {}'h{:x};", name, options_.int_width,
                           static_cast<uint64_t>(event.value.integer()) & mask);
      } else if (event.value.tag() == Tag::kBool) {
        out += fmt::format(" in_{}_d = {};", name, event.value.boolean() ? 1 : 0);
      } else if (event.value.tag() == Tag::kString) {
        out += fmt::format(" in_{}_d = 32'd{};", name, symbols_.Number(event.value.text()));
      }
      out += '\n';
    }
    return out + fmt::format("    step(64'd{});\n", time);
  }

  std::string Clear() const {
    std::string out;
    for (size_t k = 0; k < graph_.inputs.size(); ++k) out += fmt::format("    in_{}_v = 0;\n", InputName(k));
    return out;
  }

  std::string Declarations() const {
    std::string out =
        "  reg clk, rst, in_valid, stop, ready, comma;\n  integer n;\n  reg [63:0] in_time;\n  wire in_ready, "
        "out_valid, fault;\n  wire "
        "[63:0] out_time;\n";
    std::string ports =
        ".clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_time(in_time), .out_valid(out_valid), "
        ".out_time(out_time), .fault(fault)";
    auto wire = [&](const std::string& kind, const std::string& range, const std::string& name) {
      out += fmt::format("  {} {}{};\n", kind, range, name);
      ports += fmt::format(",\n    .{0}({0})", name);
    };
    for (size_t k = 0; k < graph_.inputs.size(); ++k) {
      wire("reg", "", fmt::format("in_{}_v", InputName(k)));
      if (Width(graph_.inputs[k]) > 0) wire("reg", Range(graph_.inputs[k]), fmt::format("in_{}_d", InputName(k)));
    }
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      wire("wire", "", fmt::format("out_{}_v", OutputName(k)));
      if (Width(graph_.outputs[k].node) > 0)
        wire("wire", Range(graph_.outputs[k].node), fmt::format("out_{}_d", OutputName(k)));
      if (module_.output_may_fail[k]) wire("wire", "", fmt::format("out_{}_e", OutputName(k)));
    }
    return out + fmt::format("  {} dut ({});\n", options_.module, ports);
  }

  static std::string Escaped(std::string_view text) {
    std::string out;
    for (char c : text) out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    return out;
  }

  // Prints one output event as heddle does.
  std::string Show(size_t k) const {
    const Output& output = graph_.outputs[k];
    std::string line = fmt::format("{}%0d: {} = ", Escaped(prefix_), Escaped(output.name));
    std::string data = fmt::format("out_{}_d", OutputName(k));
    switch (Resolve(graph_.nodes[output.node].type)->kind) {
      case TypeKind::kBool:
        return fmt::format("if ({0}) $display(\"{1}true\", out_time); else $display(\"{1}false\", out_time);", data,
                           line);
      case TypeKind::kUnit:
        return fmt::format("$display(\"{}()\", out_time);", line);
      case TypeKind::kString: {
        std::string out = fmt::format("case ({})\n", data);
        for (const auto& [text, number] : symbols_.all()) {
          std::string shown = program_.paper ? LiteralText(Value::String(text)) : text;
          out += fmt::format("          32'd{}: $display(\"{}{}\", out_time);\n", number, line, Escaped(shown));
        }
        return out + fmt::format("          default: $display(\"{}?\", out_time);\n        endcase", line);
      }
      case TypeKind::kSet:
      case TypeKind::kMap:
        return ShowCollection(line, data, *Resolve(graph_.nodes[output.node].type));
      default:
        return fmt::format("$display(\"{}%0d\", out_time, {});", line, data);
    }
  }

  std::string ShowCollection(const std::string& line, const std::string& data, const Type& type) const {
    std::string item = "$write(\"%0d\", n);";
    if (type.kind == TypeKind::kMap) {
      int width = VerilogWidth(type.args[1], options_);
      std::string value = fmt::format("{}[{} + n * {} +: {}]", data, options_.bound, width, width);
      bool boolean = KindOf(type.args[1]) == TypeKind::kBool;
      item = boolean ? fmt::format("if ({}) $write(\"%0d -> true\", n); else $write(\"%0d -> false\", n);", value)
                     : fmt::format("$write(\"%0d -> %0d\", n, $signed({}));", value);
    }
    return fmt::format(
        "$write(\"{}{}(\", out_time); comma = 0; for (n = 0; n < {}; n = n + 1) if ({}[n]) begin if (comma) $write(\", "
        "\"); comma = 1; {} end $display(\")\");",
        line, type.kind == TypeKind::kMap ? "Map" : "Set", options_.bound, data, item);
  }

  std::string Step() const {
    std::string out =
        "  task step(input [63:0] at);\n    begin\n    in_time = at; in_valid = 1; ready = 0;\n"
        "    while (!ready && !stop) begin\n      #1 ready = in_ready;\n      clk = 1;\n      #1 clk = 0;\n      #1 "
        "show;\n    end\n"
        "    in_valid = 0;\n" +
        Clear() + "    end\n  endtask\n  task show;\n    begin\n";
    std::string end = fmt::format("begin $display(\"{}error\"); stop = 1; end", Escaped(prefix_));
    for (size_t k = 0; k < graph_.outputs.size(); ++k) {
      std::string error = module_.output_may_fail[k] ? fmt::format("if (out_{}_e) {} else ", OutputName(k), end) : "";
      out += fmt::format("      if (!stop && out_valid && out_{}_v) begin\n        {}begin {} end\n      end\n",
                         OutputName(k), error, Show(k));
    }
    return out + fmt::format("      if (!stop && fault) {}\n    end\n  endtask\n", end);
  }

  const Program& program_;
  const Graph& graph_;
  const VerilogModule& module_;
  const VerilogOptions& options_;
  Symbols& symbols_;
  const std::string& prefix_;
};

}  // namespace

Result<std::string> EmitTestBench(const Program& program, const VerilogModule& module, const VerilogOptions& options,
                                  Symbols& symbols, EventSource& source, const std::string& prefix) {
  return BenchWriter(program, module, options, symbols, prefix).Run(source);
}

}  // namespace heddle::stream
