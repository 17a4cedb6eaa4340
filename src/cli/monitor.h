// Parts that `heddle monitor` and its subcommands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/monitor/monitor_run.h"
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

// Says which inputs of the specification no heddle trace has.
void WarnOfMissing(const analysis::MonitorInput& input);

struct MonitorOptions {
  SpecOptions spec;
  analysis::MonitorRun run;
  std::string time;  // limit of the program
  std::string root;  // results folder, when a program runs
  std::string format = "text";
  std::string output;  // file for the output streams; empty: standard output, or standard error beside a program
  std::string html;
  ReportOptions report;
  bool check = false;
  bool print_core = false;
  bool stats = false;
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
