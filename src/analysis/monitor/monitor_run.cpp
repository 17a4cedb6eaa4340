#include "analysis/monitor/monitor_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <chrono>

#include "base/near.h"
#include "monitor/findings.h"
#include "stream/run/compiled.h"

namespace heddle::analysis {

Status Monitor::Prepare() {
  if (Status status = monitor::CheckFindingKinds(program_); !status) return status;
  if (Status status = FindStop(); !status) return status;
  if (program_.graph.outputs.empty()) run_.tell("warning: the specification has no outputs");
  if (!run_.compile) {
    machine_ = stream::MakeInterpreter(program_);
    return {};
  }
  const stream::Program* programs[] = {&program_};
  auto machines = stream::CompileMachines(programs);
  if (!machines) return machines.error();
  machine_ = std::move((*machines)[0]);
  return {};
}

Status Monitor::FindStop() {
  if (run_.stop_on.empty()) return {};
  std::vector<std::string_view> names;
  for (size_t i = 0; i < program_.graph.outputs.size(); ++i) {
    if (program_.graph.outputs[i].name == run_.stop_on) stop_ = static_cast<int>(i);
    names.push_back(program_.graph.outputs[i].name);
  }
  if (stop_ >= 0) return {};
  std::string hint = DidYouMean(run_.stop_on, names);
  return MakeError(ErrorCode::kUsage,
                   fmt::format("--stop-on: there is no output `{}`{}{}", run_.stop_on, hint.empty() ? "" : ": ", hint));
}

Status Monitor::Open() {
  Status status;
  if (!run_.command.empty()) {
    status = input_.Run({run_.command, run_.seconds, run_.every_access, run_.idle}, program_.graph);
  } else if (run_.merge.empty() && run_.reorder == 0) {
    status = input_.Open(run_.trace, program_.graph, run_.strict);
  } else {
    std::vector<std::string> all = {run_.trace};
    all.insert(all.end(), run_.merge.begin(), run_.merge.end());
    status = input_.OpenAll(all, program_.graph, run_.strict, run_.reorder);
  }
  if (!status) return status;
  for (const std::string& missing : input_.MissingStreams()) run_.tell("warning: " + missing);
  return {};
}

MonitorEnd Monitor::Run() {
  MonitorEnd end;
  monitor::FindingCollector collector(program_, input_.streams(), input_.names());
  auto begin = std::chrono::steady_clock::now();
  Result<stream::RunResult> result =
      stream::RunSteps(program_, *machine_, input_.source(), [&](int64_t time, auto outputs) {
        bool go_on = run_.step(time, outputs);
        collector.AddStep(time, outputs);
        for (const stream::OutputEvent& event : outputs) {
          end.stopped = end.stopped || static_cast<int>(event.output) == stop_;
        }
        return go_on && !end.stopped;
      });
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  end.report.coverage.seconds = seconds.count();
  EndProgram(result.ok(), end);
  collector.Finish(end.report);
  Warn(collector.left_out(), end);
  Fill(result, end);
  return end;
}

// A program that dies is a finding too; what it did before has been monitored.
void Monitor::EndProgram(bool good, MonitorEnd& end) {
  LiveProgram* program = input_.program();
  if (program == nullptr) return;
  ChildEnd child = program->Finish(end.stopped || !good);
  end.report.exit = child.code;
  end.report.coverage.runs = 1;
  if (end.stopped) {
    run_.tell(fmt::format("`{}` has an event: the program was stopped", run_.stop_on));
    return;
  }
  end.timed_out = program->timed_out();
  bool ours = end.timed_out || !good;
  if (child.signal == 0 || ours || child.signal == SIGINT || child.signal == SIGTERM) return;
  std::string killed = fmt::format("the program was killed by SIG{}", sigabbrev_np(child.signal));
  run_.tell(killed + "; everything before that was monitored");
  findings::Finding finding;
  finding.kind = findings::Kind::kCrash;
  finding.status = findings::FindingStatus::kProved;
  finding.status_note = "seen in this run";
  finding.message = killed;
  findings::AddFinding(end.report, std::move(finding));
}

void Monitor::Fill(const Result<stream::RunResult>& result, MonitorEnd& end) {
  findings::Report& report = end.report;
  report.tool_version = HEDDLE_VERSION;
  report.program = input_.name();
  if (!run_.command.empty()) report.arguments.assign(run_.command.begin() + 1, run_.command.end());
  findings::Coverage& coverage = report.coverage;
  coverage.events = input_.source().EventCount();
  if (input_.events() != nullptr) coverage.threads = input_.events()->info().threads.size();
  bool whole = result.ok() && !result->stopped;
  if (run_.command.empty() && whole) {
    coverage.complete = true;
    coverage.scope = "the whole trace monitored";
  } else {
    coverage.bound = !result ? "an error" : end.stopped ? "--stop-on" : "one run: what it did not do was not looked at";
  }
  if (result) end.steps = result->steps;
  if (!result) end.error = result.error();
}

// Streams of the trace that the specification does not know are often misspelled, so they are named.
void Monitor::Warn(uint64_t left_out, MonitorEnd& end) {
  if (left_out > 0) run_.tell(fmt::format("{} more findings are not kept", left_out));
  if (input_.events() != nullptr) {
    for (const std::string& damage : input_.events()->info().damage) run_.tell("trace: " + damage);
    end.damaged = !input_.events()->info().damage.empty();
  }
  auto unknown = input_.source().UnknownStreams();
  if (unknown.empty()) return;
  std::string names;
  for (size_t i = 0; i < unknown.size() && i < 8; ++i) {
    names += fmt::format("{}{} ({})", i > 0 ? ", " : "", unknown[i].first, unknown[i].second);
  }
  run_.tell(fmt::format("note: streams of the trace that the specification does not read: {}{}", names,
                        unknown.size() > 8 ? ", ..." : ""));
}

}  // namespace heddle::analysis
