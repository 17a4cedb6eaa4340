// Parts that `heddle monitor` and its subcommands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/target/live_program.h"
#include "base/result.h"
#include "base/source.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "monitor/trace_streams.h"
#include "stream/core/program.h"
#include "stream/elaborate/elaborate.h"
#include "stream/text/event_source.h"
#include "symbolize/trace_names.h"

namespace heddle::cli {

struct SpecOptions {
  std::string path;
  std::string dialect = "auto";
  std::string base_time;
  bool explain_dialect = false;
};

void AddSpecOptions(CLI::App& app, SpecOptions& options);

// Compiles the specification; prints its diagnostics. Nothing when it has errors.
std::optional<stream::Program> LoadSpecification(SourceMap& sources, const SpecOptions& options);

// Where the events come from: a text trace, a heddle trace, or a running program.
class MonitorInput {
 public:
  MonitorInput() = default;
  ~MonitorInput();
  MonitorInput(const MonitorInput&) = delete;
  MonitorInput& operator=(const MonitorInput&) = delete;

  // A file of either sort, or text from standard input for "-".
  Status Open(const std::string& path, const stream::Graph& graph, bool strict);
  // Several texts in the order of time, each with events up to `reorder` units late.
  Status OpenAll(const std::vector<std::string>& paths, const stream::Graph& graph, bool strict, int64_t reorder);
  Status Run(const analysis::LiveOptions& options, const stream::Graph& graph);

  stream::EventSource& source() { return *source_; }
  const std::string& name() const { return name_; }

  // Null for text.
  const monitor::TraceStreams* streams() const { return streams_; }
  symbolize::TraceNames* names() { return names_.get(); }
  const trace::EventSource* events() const { return events_; }
  analysis::LiveProgram* program() { return program_.get(); }  // null unless it runs one

 private:
  Status UseEvents(trace::EventSource& events, const stream::Graph& graph);

  std::vector<int> fds_;
  std::string name_;
  std::unique_ptr<analysis::LiveProgram> program_;
  std::unique_ptr<trace::EventSource> file_;
  trace::EventSource* events_ = nullptr;
  std::unique_ptr<symbolize::TraceNames> names_;
  const monitor::TraceStreams* streams_ = nullptr;
  std::unique_ptr<stream::EventSource> source_;
};

struct MonitorOptions {
  SpecOptions spec;
  std::string trace = "-";
  std::vector<std::string> merge;    // further text traces
  int64_t reorder = 0;               // how late an event may come
  std::vector<std::string> command;  // the program to run, empty for a trace
  std::string time;                  // its time limit
  bool every_access = false;         // of it, also those that repeat within a segment
  std::string root;                  // results folder, when a program runs
  std::string format = "text";
  std::string output;  // file for the output streams; empty: standard output, or standard error beside a program
  std::string stop_on;
  std::string html;
  ReportOptions report;
  bool strict = false;
  bool check = false;
  bool print_core = false;
  bool stats = false;
  bool compile = false;
  std::string emit_cpp;
  std::string verilog;
  std::string test_bench;
  int int_width = 64;
  int bound = 0;  // of sets and maps in hardware
};

// Runs the specification over the input and reports; returns the exit code.
int RunMonitored(const MonitorOptions& options, const stream::Program& program);

int RunMonitorTemplate(const Arguments& arguments);
int RunMonitorExplain(const Arguments& arguments);

}  // namespace heddle::cli
