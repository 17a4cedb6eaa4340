#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/frame.h"
#include "cli/monitor.h"
#include "stream/run/explain.h"

namespace heddle::cli {
namespace {

// Passes events on and remembers where in the program each was, if the trace is heddle's: its timestamps count from 1.
class PlaceRecorder final : public stream::EventSource {
 public:
  explicit PlaceRecorder(analysis::MonitorInput& input) : input_(input) {}

  Result<bool> NextStep(int64_t* time, std::vector<stream::InputEvent>* events) override {
    Result<bool> more = input_.source().NextStep(time, events);
    if (more && *more && input_.streams() != nullptr) {
      places_.push_back({input_.streams()->event().pc, input_.streams()->event().thread});
    }
    return more;
  }
  uint64_t EventCount() const override { return input_.source().EventCount(); }

  // "    fig1.c:17 `g`, T2"; empty when nothing is known.
  std::string PlaceAt(int64_t time) {
    if (time < 1 || static_cast<size_t>(time) > places_.size()) return "";
    const Place& place = places_[static_cast<size_t>(time) - 1];
    trace::Location location = input_.names()->LocationOf(place.pc);
    std::string thread = input_.names()->ThreadId(place.thread);
    if (location.line == 0) return fmt::format("    {}", thread);
    return fmt::format("    {}:{} `{}`, {}", Basename(location.file), location.line, location.function, thread);
  }

 private:
  struct Place {
    uint64_t pc;
    uint32_t thread;
  };
  analysis::MonitorInput& input_;
  std::vector<Place> places_;
};

void Print(const stream::ExplainOptions& options, const stream::Explanation& e, PlaceRecorder& places) {
  fmt::print("{}: {} = {}{}\n", e.time, options.stream, e.value, places.PlaceAt(e.time));
  if (!e.beside.empty()) {
    fmt::print("  at the same time:\n");
    for (const auto& [name, value] : e.beside) fmt::print("    {} = {}\n", name, value);
  }
  fmt::print("  because of {} input event{}{}:\n", e.causes.size(), e.causes.size() == 1 ? "" : "s",
             e.left_out > 0 ? fmt::format(" (and {} older ones, see --max)", e.left_out) : "");
  for (const stream::Cause& cause : e.causes) {
    fmt::print("    {}: {} = {}{}{}\n", cause.time, cause.input, cause.value,
               cause.via.empty() ? "" : fmt::format("    through {}", cause.via), places.PlaceAt(cause.time));
  }
}

}  // namespace

int RunMonitorExplain(const Arguments& arguments) {
  CLI::App app("Shows the input events that one output event came from.", "heddle monitor explain");
  app.footer("example:\n  heddle monitor explain lockset.tessla run.trace --stream error_x_in_line\n");
  SpecOptions spec;
  AddSpecOptions(app, spec);
  std::string trace = "-";
  stream::ExplainOptions options;
  app.add_option("TRACE", trace, "text or heddle trace, `-` for standard input");
  app.add_option("--stream", options.stream, "the output")->required();
  app.add_option("--at", options.time, "the time of the event; the first event when not given");
  app.add_option("--max", options.max_inputs, "how many input events to show");
  if (int code = Parse(app, arguments); code >= 0) return code;
  SourceMap sources;
  std::optional<stream::Program> program = LoadSpecification(sources, spec);
  if (!program) return kExitUsage;
  analysis::MonitorInput input;
  if (Status status = input.Open(trace, program->graph, false); !status) return Fail("monitor explain", status.error());
  WarnOfMissing(input);
  PlaceRecorder places(input);
  Result<stream::Explanation> explanation = stream::Explain(*program, places, options);
  if (!explanation) return Fail("monitor explain", explanation.error());
  Print(options, *explanation, places);
  return kExitClean;
}

}  // namespace heddle::cli
