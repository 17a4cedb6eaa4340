// Runs a specification over a trace or a program: prints the outputs, collects the findings, reports.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/keep_results.h"
#include "cli/monitor.h"
#include "cli/report_output.h"
#include "cli/report_page.h"
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

class MonitorCommand {
 public:
  MonitorCommand(const MonitorOptions& options, const stream::Program& program)
      : options_(options),
        program_(program),
        run_(options.run),
        printer_(stream::MakeFormatter(FormatOf(options.format), program),
                 run_.command.empty() && (run_.trace == "-" || isatty(STDOUT_FILENO) != 0)),
        timeline_(program) {
    run_.step = [this](int64_t time, auto outputs) { return Step(time, outputs); };
    run_.idle = [this] { printer_.Flush(); };
    run_.tell = [](const std::string& text) { fmt::print(stderr, "heddle monitor: {}\n", text); };
  }

  int Run() {
    analysis::Monitor monitor(run_, program_);
    Status status = monitor.Prepare();
    if (status) status = Prepare();
    if (!status) return Fail("monitor", status.error());
    if (status = monitor.Open(); !status) return FailToOpen(status.error(), monitor.started());
    analysis::MonitorEnd end = monitor.Run();
    printer_.Finish();
    if (end.timed_out) fmt::print(stderr, "heddle monitor: stopped after {}\n", options_.time);
    return Report(end);
  }

 private:
  Status Prepare() {
    if (!options_.time.empty()) {
      Result<double> limit = ParseDuration(options_.time);
      if (!limit) return limit.error();
      run_.seconds = *limit;
    }
    if (!run_.command.empty()) printer_.UseStandardError();
    return options_.output.empty() ? Status{} : printer_.Open(options_.output);
  }

  bool Step(int64_t time, std::span<const stream::OutputEvent> outputs) {
    printer_.Step(time, outputs);
    if (!options_.html.empty()) {
      for (const stream::OutputEvent& event : outputs) timeline_.Event(time, event);
    }
    return !printer_.failed();
  }

  int FailToOpen(const Error& error, bool started) const {
    int code = Fail("monitor", error);
    if (run_.command.empty()) return code;
    if (error.code == ErrorCode::kUnsupported) return kExitUndecided;
    return started || error.code == ErrorCode::kBadInput ? code : CannotRunCode(error);
  }

  int Report(analysis::MonitorEnd& end) {
    int code = kExitClean;
    if (WantsReport(end.report)) code = EmitReport("monitor", end.report, options_.report, stderr);
    if (end.stopped && code == kExitClean) code = kExitFindings;
    if (end.error) code = Fail("monitor", *end.error);
    // As every command that reads traces: what is whole was looked at, but it is not all.
    if (end.damaged && code == kExitClean) code = kExitUndecided;
    if (printer_.failed()) code = Fail("monitor", MakeError(ErrorCode::kIo, "the output streams: cannot write"));
    if (!options_.html.empty()) {
      Status html = WriteHtml(end.report);
      if (!html) code = Fail("monitor", html.error());
    }
    if (options_.stats) PrintStats(end);
    return SaveResults(end.report, code);
  }

  // The findings and the streams on the report page; a heddle without that page draws the streams on a plain one.
  Status WriteHtml(const findings::Report& report) {
    if (ReportPage().empty()) return WriteFileAtomic(options_.html, timeline_.Html(options_.spec.path));
    findings::PageExtras extras;
    for (const stream::Timeline::Row& row : timeline_.rows()) {
      findings::StreamView view;
      view.name = row.name;
      view.finding = row.finding;
      view.left_out = row.left_out;
      if (row.style == stream::Timeline::Style::kBool) view.style = "bool";
      if (row.style == stream::Timeline::Style::kGraph) view.style = "graph";
      for (const stream::Timeline::Point& point : row.points)
        view.points.push_back({point.time, point.text, point.number});
      extras.streams.push_back(std::move(view));
    }
    return WritePage(options_.html, report, false, extras);
  }

  // A specification without findings is a calculation: its outputs are all there is to say.
  bool WantsReport(const findings::Report& report) const {
    bool finds = !report.findings.empty() || !run_.command.empty();
    for (const stream::Output& output : program_.graph.outputs) finds = finds || !output.finding.empty();
    const ReportOptions& files = options_.report;
    return finds || !files.json.empty() || !files.sarif.empty() || !files.write_baseline.empty();
  }

  // A program's results stay, as those of every command that runs one.
  int SaveResults(const findings::Report& report, int code) {
    if (run_.command.empty()) return code;
    std::string root = analysis::ResultsRoot(options_.root);
    Result<std::string> folder = analysis::NewResults(root, "monitor");
    if (!folder) return Fail("monitor", folder.error());
    return KeepResults("monitor", root, *folder, report, code);
  }

  static void PrintStats(const analysis::MonitorEnd& end) {
    double seconds = end.report.coverage.seconds;
    uint64_t events = end.report.coverage.events;
    fmt::print(stderr, "{} events, {} steps, {:.3f} s, {:.2f} million events a second\n", events, end.steps, seconds,
               seconds > 0 ? static_cast<double>(events) / seconds / 1e6 : 0);
  }

  const MonitorOptions& options_;
  const stream::Program& program_;
  analysis::MonitorRun run_;
  Printer printer_;
  stream::Timeline timeline_;
};

}  // namespace

int RunMonitored(const MonitorOptions& options, const stream::Program& program) {
  return MonitorCommand(options, program).Run();
}

}  // namespace heddle::cli
