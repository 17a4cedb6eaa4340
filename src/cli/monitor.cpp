// heddle monitor: runs a TeSSLa specification over a trace.
#include "cli/monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "base/file.h"
#include "base/near.h"
#include "stream/compiled.h"
#include "stream/emit_cpp.h"
#include "stream/findings.h"
#include "stream/format.h"
#include "stream/runner.h"
#include "stream/timeline.h"
#include "stream/verilog.h"

namespace heddle::cli {
namespace {

struct MonitorOptions {
  SpecOptions spec;
  std::string trace = "-";
  std::string format = "text";
  std::string stop_on;
  std::string json;
  std::string html;
  bool strict = false;
  bool check = false;
  bool print_core = false;
  bool stats = false;
  bool compile = false;
  std::string emit_cpp;
  std::string verilog;
  std::string test_bench;
  int int_width = 64;
};

stream::OutputFormat FormatOf(const std::string& name) {
  if (name == "csv") return stream::OutputFormat::kCsv;
  return name == "jsonl" ? stream::OutputFormat::kJsonLines : stream::OutputFormat::kText;
}

// Prints what the formatter gives in large pieces; at once when a person or a pipe waits for it.
class Printer {
 public:
  Printer(std::unique_ptr<stream::OutputFormatter> formatter, bool at_once)
      : formatter_(std::move(formatter)), at_once_(at_once) {}

  void Event(int64_t time, const stream::OutputEvent& event) {
    formatter_->Event(time, event, text_);
    if (text_.size() > 65536) Flush();
    if (at_once_ && time != time_) Flush();
    time_ = time;
  }
  void Finish() {
    formatter_->Finish(text_);
    Flush();
  }
  bool failed() const { return failed_; }

 private:
  void Flush() {
    failed_ = failed_ || std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size() || std::fflush(stdout) != 0;
    text_.clear();
  }

  std::unique_ptr<stream::OutputFormatter> formatter_;
  bool at_once_;
  bool failed_ = false;
  int64_t time_ = -1;
  std::string text_;
};

class Monitor {
 public:
  explicit Monitor(const MonitorOptions& options) : options_(options) {}

  int Run() {
    std::optional<stream::Program> program = LoadSpecification(sources_, options_.spec);
    if (!program) return kExitUsage;
    program_ = &*program;
    if (options_.print_core) std::fputs(stream::CoreText(program->graph).c_str(), stdout);
    if (!options_.emit_cpp.empty()) {
      const stream::Program* programs[] = {program_};
      if (Status status = WriteFileAtomic(options_.emit_cpp, stream::EmitCpp(programs)); !status) {
        return Fail("monitor", status.error());
      }
    }
    if (!options_.verilog.empty()) return WriteVerilog();
    if (options_.check || options_.print_core || !options_.emit_cpp.empty()) return kExitClean;
    if (!FindStop()) return kExitUsage;
    if (program->graph.outputs.empty()) {
      fmt::print(stderr, "heddle monitor: warning: the specification has no outputs\n");
    }
    TraceFile file;
    if (Status status = file.Open(options_.trace); !status) return Fail("monitor", status.error());
    return RunOn(file);
  }

 private:
  bool FindStop() {
    if (options_.stop_on.empty()) return true;
    std::vector<std::string_view> names;
    for (size_t i = 0; i < program_->graph.outputs.size(); ++i) {
      if (program_->graph.outputs[i].name == options_.stop_on) stop_ = static_cast<int>(i);
      names.push_back(program_->graph.outputs[i].name);
    }
    if (stop_ >= 0) return true;
    std::string hint = DidYouMean(options_.stop_on, names);
    fmt::print(stderr, "heddle monitor: --stop-on: there is no output `{}`{}{}\n", options_.stop_on,
               hint.empty() ? "" : ": ", hint);
    return false;
  }

  int RunOn(const TraceFile& file) {
    auto source = file.Source(program_->graph, options_.strict);
    Result<std::unique_ptr<stream::Machine>> made = MakeMachine();
    if (!made) return Fail("monitor", made.error());
    std::unique_ptr<stream::Machine> machine = made.Take();
    bool at_once = options_.trace == "-" || isatty(STDOUT_FILENO) != 0;
    Printer printer(stream::MakeFormatter(FormatOf(options_.format), *program_), at_once);
    stream::FindingCollector collector(*program_);
    stream::Timeline timeline(*program_);
    auto begin = std::chrono::steady_clock::now();
    int64_t stop_time = -1;
    Result<stream::RunResult> result =
        stream::RunMonitor(*program_, *machine, *source, [&](int64_t time, const stream::OutputEvent& event) {
          // The step in which the run is to stop is still shown as a whole.
          if (stop_time >= 0 && time != stop_time) return false;
          printer.Event(time, event);
          collector.Event(time, event);
          if (!options_.html.empty()) timeline.Event(time, event);
          if (static_cast<int>(event.output) == stop_) stop_time = time;
          return !printer.failed();
        });
    printer.Finish();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::vector<stream::MonitorFinding> findings = collector.Finish();
    Warn(*source);
    int code = findings.empty() && stop_time < 0 ? kExitClean : kExitFindings;
    if (!result) code = Fail("monitor", result.error());
    if (printer.failed()) code = Fail("monitor", MakeError(ErrorCode::kIo, "standard output: cannot write"));
    stream::ReportFacts facts{options_.spec.path,
                              file.name(),
                              source->EventCount(),
                              result ? result->steps : 0,
                              seconds.count(),
                              code,
                              result.ok() && !result->stopped && stop_time < 0};
    if (!WriteFiles(findings, facts, timeline)) return kExitUndecided;
    if (options_.stats) PrintStats(facts);
    return code;
  }

  int WriteVerilog() {
    stream::VerilogOptions verilog;
    verilog.int_width = options_.int_width;
    stream::Symbols symbols;
    std::vector<Diagnostic> diagnostics;
    auto module = stream::EmitVerilog(*program_, verilog, symbols, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) std::fputs(Render(sources_, diagnostic).c_str(), stderr);
    if (!module) return kExitUsage;
    if (Status status = WriteFileAtomic(options_.verilog, module->text); !status)
      return Fail("monitor", status.error());
    if (options_.test_bench.empty()) return kExitClean;
    TraceFile file;
    if (Status status = file.Open(options_.trace); !status) return Fail("monitor", status.error());
    auto source = file.Source(program_->graph, options_.strict);
    Result<std::string> bench = stream::EmitTestBench(*program_, *module, verilog, symbols, *source, "");
    if (!bench) return Fail("monitor", bench.error());
    if (Status status = WriteFileAtomic(options_.test_bench, *bench); !status) return Fail("monitor", status.error());
    return kExitClean;
  }

  Result<std::unique_ptr<stream::Machine>> MakeMachine() {
    if (!options_.compile) return stream::MakeInterpreter(*program_);
    const stream::Program* programs[] = {program_};
    auto machines = stream::CompileMachines(programs);
    if (!machines) return machines.error();
    return std::move((*machines)[0]);
  }

  // Streams of the trace that the specification does not know are often misspelled, so they are named.
  void Warn(const stream::EventSource& source) {
    auto unknown = source.UnknownStreams();
    if (unknown.empty()) return;
    std::string names;
    for (size_t i = 0; i < unknown.size() && i < 8; ++i) {
      names += fmt::format("{}{} ({})", i > 0 ? ", " : "", unknown[i].first, unknown[i].second);
    }
    fmt::print(stderr, "heddle monitor: note: streams of the trace that the specification does not read: {}{}\n", names,
               unknown.size() > 8 ? ", ..." : "");
  }

  bool WriteFiles(const std::vector<stream::MonitorFinding>& findings, const stream::ReportFacts& facts,
                  const stream::Timeline& timeline) {
    Status json;
    Status html;
    if (!options_.json.empty()) json = WriteFileAtomic(options_.json, stream::ReportJson(findings, facts));
    if (!options_.html.empty()) html = WriteFileAtomic(options_.html, timeline.Html(options_.spec.path));
    if (!json) Fail("monitor", json.error());
    if (!html) Fail("monitor", html.error());
    return json.ok() && html.ok();
  }

  static void PrintStats(const stream::ReportFacts& facts) {
    double rate = facts.seconds > 0 ? static_cast<double>(facts.events) / facts.seconds : 0;
    fmt::print(stderr, "{} events, {} steps, {:.3f} s, {:.2f} million events a second\n", facts.events, facts.steps,
               facts.seconds, rate / 1e6);
  }

  const MonitorOptions& options_;
  SourceMap sources_;
  const stream::Program* program_ = nullptr;
  int stop_ = -1;
};

constexpr const char* kFooter = R"(subcommands:
  heddle monitor template NAME ...   writes a specification (lockset, lock-order, typestate, ...)
  heddle monitor explain ...         shows the input events that an output event came from

examples:
  heddle monitor spec.tessla trace.log
  tail -f trace.log | heddle monitor spec.tessla -
  heddle monitor spec.tessla trace.log --stop-on error --json report.json --html streams.html
)";

int Run(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "template")
    return RunMonitorTemplate({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments[0] == "explain")
    return RunMonitorExplain({arguments.begin() + 1, arguments.end()});
  CLI::App app("Runs a TeSSLa specification over a trace of `timestamp: stream = value` lines.", "heddle monitor");
  app.footer(kFooter);
  MonitorOptions options;
  AddSpecOptions(app, options.spec);
  app.add_option("TRACE", options.trace, "text trace; `-` (the default) is standard input, read while it grows");
  app.add_option("--format", options.format, "of the output: text, csv or jsonl")
      ->check(CLI::IsMember({"text", "csv", "jsonl"}));
  app.add_option("--stop-on", options.stop_on, "end the run at the first event of this output");
  app.add_option("--json", options.json, "write a report of the findings to this file");
  app.add_option("--html", options.html, "draw the output streams over time into this file");
  app.add_flag("--strict", options.strict, "a stream of the trace that the specification does not declare is an error");
  app.add_flag("--check", options.check, "only compile the specification");
  app.add_flag("--print-core", options.print_core, "print the core equations instead of running");
  app.add_flag("--compile", options.compile,
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
  app.add_flag("--stats", options.stats, "say how fast it was, on standard error");
  if (int code = Parse(app, arguments); code >= 0) return code;
  return Monitor(options).Run();
}

}  // namespace

extern const Verb kMonitorVerb;
const Verb kMonitorVerb{"monitor", "check a trace against a TeSSLa specification of event streams", Run};

}  // namespace heddle::cli
