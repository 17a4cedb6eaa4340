// heddle monitor: runs a TeSSLa specification over a trace or a running program.
#include "cli/monitor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "stream/emit/emit_cpp.h"
#include "stream/emit/verilog.h"

namespace heddle::cli {
namespace {

int WriteVerilog(const MonitorOptions& options, const SourceMap& sources, const stream::Program& program) {
  stream::VerilogOptions verilog;
  verilog.int_width = options.int_width;
  verilog.bound = options.bound;
  stream::Symbols symbols;
  std::vector<Diagnostic> diagnostics;
  auto module = stream::EmitVerilog(program, verilog, symbols, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) std::fputs(Render(sources, diagnostic).c_str(), stderr);
  if (!module) return kExitUsage;
  if (Status status = WriteFileAtomic(options.verilog, module->text); !status) return Fail("monitor", status.error());
  if (options.test_bench.empty()) return kExitClean;
  analysis::MonitorInput input;
  if (Status status = input.Open(options.run.trace, program.graph, options.run.strict); !status) {
    return Fail("monitor", status.error());
  }
  WarnOfMissing(input);
  Result<std::string> bench = stream::EmitTestBench(program, *module, verilog, symbols, input.source(), "");
  if (!bench) return Fail("monitor", bench.error());
  Status status = WriteFileAtomic(options.test_bench, *bench);
  return status ? static_cast<int>(kExitClean) : Fail("monitor", status.error());
}

int RunWith(const MonitorOptions& options) {
  SourceMap sources;
  std::optional<stream::Program> program = LoadSpecification(sources, options.spec);
  if (!program) return kExitUsage;
  if (options.print_core) std::fputs(stream::CoreText(program->graph).c_str(), stdout);
  if (!options.emit_cpp.empty()) {
    const stream::Program* programs[] = {&*program};
    Status status = WriteFileAtomic(options.emit_cpp, stream::EmitCpp(programs));
    if (!status) return Fail("monitor", status.error());
  }
  if (!options.verilog.empty()) return WriteVerilog(options, sources, *program);
  bool only_look = options.check || options.print_core || options.spec.explain_dialect;
  if (only_look || !options.emit_cpp.empty()) return kExitClean;
  return RunMonitored(options, *program);
}

constexpr const char* kFooter = R"(subcommands:
  heddle monitor template NAME ...   writes a specification (lockset, lock-order, typestate, ...)
  heddle monitor explain ...         shows the input events that an output event came from

examples:
  heddle monitor spec.tessla trace.log
  heddle monitor spec.tessla run.trace
  tail -f trace.log | heddle monitor spec.tessla -
  heddle monitor lockset.tessla --stop-on error_x_in_line -- ./program arguments
  heddle monitor spec.tessla trace.log --json report.json --html streams.html
)";

void AddOptions(CLI::App& app, MonitorOptions& options) {
  AddSpecOptions(app, options.spec);
  app.add_option("TRACE", options.run.trace, "heddle trace or text; `-` (the default) is text from standard input");
  app.add_option("--merge", options.run.merge,
                 "a further text trace, merged with TRACE in the order of time; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--reorder", options.run.reorder, "events of a text trace may come this many units of time late")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--format", options.format, "of the output: text, csv or jsonl")
      ->check(CLI::IsMember({"text", "csv", "jsonl"}));
  app.add_option("--output", options.output,
                 "where the output streams go; - is standard output (default: that, or with a program standard error)")
      ->type_name("FILE");
  app.add_option("--stop-on", options.run.stop_on, "end the run, and the program, at the first event of this output");
  app.add_option("--time", options.time, "time limit of the program: 500ms, 60s, 5m")->type_name("TIME");
  app.add_flag("--every-access", options.run.every_access,
               "of the program: also accesses that repeat between two synchronisations of a thread");
  app.add_option("-o", options.root, "results folder of a program's run (default HEDDLE_DIR, else .heddle)")
      ->type_name("DIR");
  app.add_option("--html", options.html, "draw the output streams over time into this file");
  AddReportOptions(app, options.report, PageOption::kOwn);
  app.add_flag("--strict", options.run.strict,
               "a stream of a text trace that the specification does not declare is an error");
  app.add_flag("--check", options.check, "only compile the specification");
  app.add_flag("--print-core", options.print_core, "print the core equations instead of running");
  app.add_flag("--compile", options.run.compile,
               "build the monitor with the C++ compiler first: slower to start, faster to run");
  app.add_option("--emit-cpp", options.emit_cpp,
                 "write the C++ of the compiled monitor to this file instead of running");
  auto* verilog =
      app.add_option("--verilog", options.verilog, "write a Verilog module to this file instead of running");
  app.add_option("--test-bench", options.test_bench, "with --verilog: write a test bench that replays TRACE")
      ->needs(verilog);
  app.add_option("--int-width", options.int_width, "with --verilog: bits of an Int, 8 to 64")
      ->needs(verilog)
      ->check(CLI::Range(8, 64));
  app.add_option("--bound", options.bound,
                 "with --verilog: elements of sets and keys of maps are below this, at most 256")
      ->needs(verilog)
      ->check(CLI::Range(1, 256));
  app.add_flag("--stats", options.stats, "say how fast it was, on standard error");
}

constexpr Part kParts[] = {
    {"template", "write a specification (lockset, lock-order, typestate, ...)", RunMonitorTemplate},
    {"explain", "show the input events that an output event came from", RunMonitorExplain},
};

int RunMonitor(const Arguments& arguments) {
  for (const Part& part : kParts) {
    if (!arguments.empty() && arguments[0] == part.name) return part.run({arguments.begin() + 1, arguments.end()});
  }
  CLI::App app("Runs a TeSSLa specification over a trace or a running program.",
               "heddle monitor [OPTIONS] SPEC [TRACE | -- PROGRAM ARGUMENTS]");
  app.name("heddle monitor");
  app.footer(kFooter);
  MonitorOptions options;
  AddOptions(app, options);
  // What follows `--` is the program's, whatever it looks like.
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) options.run.command.assign(dashes + 1, arguments.end());
  if (int code = Parse(app, {arguments.begin(), dashes}); code >= 0) return code;
  if (dashes != arguments.end() && (options.run.command.empty() || app.count("TRACE") > 0)) {
    fmt::print(stderr, "heddle monitor: {}\n",
               options.run.command.empty() ? "there is no program after `--`" : "give a trace or a program, not both");
    return kExitUsage;
  }
  if (!options.run.command.empty() && (!options.run.merge.empty() || options.run.reorder > 0)) {
    fmt::print(stderr, "heddle monitor: --merge and --reorder are for text traces, not for a program\n");
    return kExitUsage;
  }
  return RunWith(options);
}

}  // namespace

extern const Verb kMonitorVerb;
const Verb kMonitorVerb{"monitor", "check a trace or a running program against a specification of event streams",
                        RunMonitor, kParts};

}  // namespace heddle::cli
