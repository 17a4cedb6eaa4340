// A specification run over a trace or a program: outputs as they come, findings at the end. What `heddle monitor` does,
// without options and printing.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/monitor/monitor_input.h"
#include "base/result.h"
#include "findings/report.h"
#include "stream/core/program.h"
#include "stream/run/machine.h"
#include "stream/run/runner.h"

namespace heddle::analysis {

struct MonitorRun {
  std::string trace = "-";           // heddle trace or text; "-": text from standard input
  std::vector<std::string> merge;    // further text traces
  int64_t reorder = 0;               // how late an event may come
  std::vector<std::string> command;  // the program to run, empty for a trace
  double seconds = 0;                // its time limit; 0: none
  bool every_access = false;         // of it, also those that repeat within a segment
  bool strict = false;               // a stream that the specification does not declare is an error
  bool compile = false;              // build the monitor with the C++ compiler first
  std::string stop_on;               // the output whose first event ends the run
  // Called with the outputs of each step; false ends the run.
  std::function<bool(int64_t time, std::span<const stream::OutputEvent> outputs)> step;
  std::function<void()> idle;                    // the program has said nothing new
  std::function<void(const std::string&)> tell;  // something that a user should know
};

struct MonitorEnd {
  findings::Report report;
  std::optional<Error> error;  // the input is wrong; what came before it was monitored
  uint64_t steps = 0;
  bool stopped = false;    // by an event of `stop_on`
  bool timed_out = false;  // the program, after run.seconds
  bool damaged = false;    // the trace is not whole
};

class Monitor {
 public:
  // Both must outlive it; run.tell and run.step are not empty.
  Monitor(const MonitorRun& run, const stream::Program& program) : run_(run), program_(program) {}

  // Errors of the specification and of `stop_on`, and what hinders compiling it.
  Status Prepare();
  // Opens the input or starts the program.
  Status Open();
  bool started() { return input_.program() != nullptr; }
  MonitorEnd Run();

 private:
  Status FindStop();
  void EndProgram(bool good, MonitorEnd& end);
  void Fill(const Result<stream::RunResult>& result, MonitorEnd& end);
  void Warn(uint64_t left_out, MonitorEnd& end);

  const MonitorRun& run_;
  const stream::Program& program_;
  std::unique_ptr<stream::Machine> machine_;
  MonitorInput input_;
  int stop_ = -1;
};

}  // namespace heddle::analysis
