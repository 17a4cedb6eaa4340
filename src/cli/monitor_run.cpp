// Runs a specification over a trace or a program: prints the outputs, collects the findings, reports.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "base/near.h"
#include "cli/monitor.h"
#include "findings/report_json.h"
#include "monitor/findings.h"
#include "stream/run/compiled.h"
#include "stream/run/runner.h"
#include "stream/text/format.h"
#include "stream/text/timeline.h"

namespace heddle::cli {
namespace {

stream::OutputFormat FormatOf(const std::string& name) {
  if (name == "csv") return stream::OutputFormat::kCsv;
  return name == "jsonl" ? stream::OutputFormat::kJsonLines : stream::OutputFormat::kText;
}

// Prints what the formatter gives in large pieces; at once when a person or a pipe waits for it.
class Printer {
 public:
  Printer(std::unique_ptr<stream::OutputFormatter> formatter, bool at_once)
      : formatter_(std::move(formatter)), at_once_(at_once) {}
  ~Printer() {
    if (file_ != stdout && file_ != stderr) std::fclose(file_);
  }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  void UseStandardError() { file_ = stderr; }
  Status Open(const std::string& path) {
    if (path == "-") {
      file_ = stdout;
      return {};
    }
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr) return ErrnoError(path, errno);
    file_ = file;
    return {};
  }

  void Step(int64_t time, std::span<const stream::OutputEvent> outputs) {
    for (const stream::OutputEvent& event : outputs) formatter_->Event(time, event, text_);
    if (at_once_ || text_.size() > 65536) Flush();
  }
  void Finish() {
    formatter_->Finish(text_);
    Flush();
  }
  void Flush() {
    if (text_.empty()) return;
    failed_ = failed_ || std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size() || std::fflush(file_) != 0;
    text_.clear();
  }
  bool failed() const { return failed_; }

 private:
  std::unique_ptr<stream::OutputFormatter> formatter_;
  bool at_once_;
  bool failed_ = false;
  std::FILE* file_ = stdout;
  std::string text_;
};

class MonitoredRun {
 public:
  MonitoredRun(const MonitorOptions& options, const stream::Program& program)
      : options_(options),
        program_(program),
        printer_(stream::MakeFormatter(FormatOf(options.format), program),
                 options.command.empty() && (options.trace == "-" || isatty(STDOUT_FILENO) != 0)),
        timeline_(program) {}

  int Run() {
    if (Status status = Prepare(); !status) return Fail("monitor", status.error());
    if (int code = OpenInput(); code != kExitClean) return code;
    monitor::FindingCollector collector(program_, input_.streams(), input_.names());
    auto begin = std::chrono::steady_clock::now();
    Result<stream::RunResult> result =
        stream::RunSteps(program_, *machine_, input_.source(), [&](int64_t time, auto outputs) {
          printer_.Step(time, outputs);
          collector.AddStep(time, outputs);
          for (const stream::OutputEvent& event : outputs) {
            if (!options_.html.empty()) timeline_.Event(time, event);
            stopped_ = stopped_ || static_cast<int>(event.output) == stop_;
          }
          return !printer_.failed() && !stopped_;
        });
    printer_.Finish();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    report_.coverage.seconds = seconds.count();
    EndProgram(result.ok());
    collector.Finish(report_);
    return Report(result, collector.left_out());
  }

 private:
  Status Prepare() {
    if (Status status = monitor::CheckFindingKinds(program_); !status) return status;
    if (Status status = FindStop(); !status) return status;
    if (program_.graph.outputs.empty()) {
      fmt::print(stderr, "heddle monitor: warning: the specification has no outputs\n");
    }
    if (!options_.command.empty()) printer_.UseStandardError();
    if (!options_.output.empty()) {
      if (Status status = printer_.Open(options_.output); !status) return status;
    }
    if (!options_.compile) {
      machine_ = stream::MakeInterpreter(program_);
      return {};
    }
    const stream::Program* programs[] = {&program_};
    auto machines = stream::CompileMachines(programs);
    if (!machines) return machines.error();
    machine_ = std::move((*machines)[0]);
    return {};
  }

  Status FindStop() {
    if (options_.stop_on.empty()) return {};
    std::vector<std::string_view> names;
    for (size_t i = 0; i < program_.graph.outputs.size(); ++i) {
      if (program_.graph.outputs[i].name == options_.stop_on) stop_ = static_cast<int>(i);
      names.push_back(program_.graph.outputs[i].name);
    }
    if (stop_ >= 0) return {};
    std::string hint = DidYouMean(options_.stop_on, names);
    return MakeError(ErrorCode::kUsage, fmt::format("--stop-on: there is no output `{}`{}{}", options_.stop_on,
                                                    hint.empty() ? "" : ": ", hint));
  }

  int OpenInput() {
    if (options_.command.empty()) {
      std::vector<std::string> all = {options_.trace};
      all.insert(all.end(), options_.merge.begin(), options_.merge.end());
      bool plain = all.size() == 1 && options_.reorder == 0;
      Status status = plain ? input_.Open(options_.trace, program_.graph, options_.strict)
                            : input_.OpenAll(all, program_.graph, options_.strict, options_.reorder);
      return status ? static_cast<int>(kExitClean) : Fail("monitor", status.error());
    }
    analysis::LiveOptions live{options_.command, 0, options_.every_access, [this] { printer_.Flush(); }};
    if (!options_.time.empty()) {
      Result<double> limit = ParseDuration(options_.time);
      if (!limit) return Fail("monitor", limit.error());
      live.seconds = *limit;
    }
    Status status = input_.Run(live, program_.graph);
    if (status) return kExitClean;
    int code = Fail("monitor", status.error());
    if (status.error().code == ErrorCode::kUnsupported) return kExitUndecided;
    bool not_started = input_.program() == nullptr && status.error().code != ErrorCode::kBadInput;
    return not_started ? CannotRunCode(status.error()) : code;
  }

  // A program that dies is a finding too; what it did before has been monitored.
  void EndProgram(bool good) {
    analysis::LiveProgram* program = input_.program();
    if (program == nullptr) return;
    analysis::ChildEnd end = program->Finish(stopped_ || !good);
    report_.exit = end.code;
    report_.coverage.runs = 1;
    if (stopped_) {
      fmt::print(stderr, "heddle monitor: `{}` has an event: the program was stopped\n", options_.stop_on);
      return;
    }
    if (program->timed_out()) fmt::print(stderr, "heddle monitor: stopped after {}\n", options_.time);
    bool ours = program->timed_out() || !good;
    if (end.signal == 0 || ours || end.signal == SIGINT || end.signal == SIGTERM) return;
    fmt::print(stderr, "heddle monitor: the program was killed by SIG{}; everything before that was monitored\n",
               sigabbrev_np(end.signal));
    findings::Finding finding;
    finding.kind = findings::Kind::kCrash;
    finding.status = findings::FindingStatus::kProved;
    finding.status_note = "seen in this run";
    finding.message = fmt::format("the program was killed by SIG{}", sigabbrev_np(end.signal));
    findings::AddFinding(report_, std::move(finding));
  }

  int Report(const Result<stream::RunResult>& result, uint64_t left_out) {
    Warn(left_out);
    FillReport(result);
    int code = kExitClean;
    if (WantsReport()) code = EmitReport("monitor", report_, options_.report, stderr);
    if (stopped_ && code == kExitClean) code = kExitFindings;
    if (!result) code = Fail("monitor", result.error());
    // As every command that reads traces: what is whole was looked at, but it is not all.
    bool damaged = input_.events() != nullptr && !input_.events()->info().damage.empty();
    if (damaged && code == kExitClean) code = kExitUndecided;
    if (printer_.failed()) code = Fail("monitor", MakeError(ErrorCode::kIo, "the output streams: cannot write"));
    if (!options_.html.empty()) {
      Status html = WriteFileAtomic(options_.html, timeline_.Html(options_.spec.path));
      if (!html) code = Fail("monitor", html.error());
    }
    if (options_.stats) PrintStats(result ? result->steps : 0);
    return SaveResults(code);
  }

  // A specification without findings is a calculation: its outputs are all there is to say.
  bool WantsReport() const {
    bool finds = !report_.findings.empty() || !options_.command.empty();
    for (const stream::Output& output : program_.graph.outputs) finds = finds || !output.finding.empty();
    const ReportOptions& files = options_.report;
    return finds || !files.json.empty() || !files.sarif.empty() || !files.write_baseline.empty();
  }

  void FillReport(const Result<stream::RunResult>& result) {
    report_.tool_version = HEDDLE_VERSION;
    report_.program = input_.name();
    if (!options_.command.empty()) report_.arguments.assign(options_.command.begin() + 1, options_.command.end());
    findings::Coverage& coverage = report_.coverage;
    coverage.events = input_.source().EventCount();
    if (input_.events() != nullptr) coverage.threads = input_.events()->info().threads.size();
    bool whole = result.ok() && !result->stopped;
    if (options_.command.empty() && whole) {
      coverage.complete = true;
      coverage.scope = "the whole trace monitored";
    } else {
      coverage.bound = !result ? "an error" : stopped_ ? "--stop-on" : "one run: what it did not do was not looked at";
    }
  }

  // A program's results stay, as those of every command that runs one.
  int SaveResults(int code) {
    if (options_.command.empty()) return code;
    std::string root = analysis::ResultsRoot(options_.root);
    Result<std::string> folder = analysis::NewResults(root, "monitor");
    if (!folder) return Fail("monitor", folder.error());
    Status saved = findings::SaveReport(report_, *folder + "/report.json");
    if (saved) saved = analysis::PublishResults(root, *folder);
    return saved ? code : Fail("monitor", saved.error());
  }

  // Streams of the trace that the specification does not know are often misspelled, so they are named.
  void Warn(uint64_t left_out) {
    if (left_out > 0) fmt::print(stderr, "heddle monitor: {} more findings are not kept\n", left_out);
    if (input_.events() != nullptr) {
      for (const std::string& damage : input_.events()->info().damage) {
        fmt::print(stderr, "heddle monitor: trace: {}\n", damage);
      }
    }
    auto unknown = input_.source().UnknownStreams();
    if (unknown.empty()) return;
    std::string names;
    for (size_t i = 0; i < unknown.size() && i < 8; ++i) {
      names += fmt::format("{}{} ({})", i > 0 ? ", " : "", unknown[i].first, unknown[i].second);
    }
    fmt::print(stderr, "heddle monitor: note: streams of the trace that the specification does not read: {}{}\n", names,
               unknown.size() > 8 ? ", ..." : "");
  }

  void PrintStats(uint64_t steps) const {
    double seconds = report_.coverage.seconds;
    uint64_t events = report_.coverage.events;
    fmt::print(stderr, "{} events, {} steps, {:.3f} s, {:.2f} million events a second\n", events, steps, seconds,
               seconds > 0 ? static_cast<double>(events) / seconds / 1e6 : 0);
  }

  const MonitorOptions& options_;
  const stream::Program& program_;
  Printer printer_;
  stream::Timeline timeline_;
  std::unique_ptr<stream::Machine> machine_;
  MonitorInput input_;
  findings::Report report_;
  int stop_ = -1;
  bool stopped_ = false;
};

}  // namespace

int RunMonitored(const MonitorOptions& options, const stream::Program& program) {
  return MonitoredRun(options, program).Run();
}

}  // namespace heddle::cli
