#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/monitor.h"
#include "stream/explain.h"

namespace heddle::cli {
namespace {

void Print(const stream::ExplainOptions& options, const stream::Explanation& e) {
  fmt::print("{}: {} = {}\n", e.time, options.stream, e.value);
  if (!e.beside.empty()) {
    fmt::print("  at the same time:\n");
    for (const auto& [name, value] : e.beside) fmt::print("    {} = {}\n", name, value);
  }
  fmt::print("  because of {} input event{}{}:\n", e.causes.size(), e.causes.size() == 1 ? "" : "s",
             e.left_out > 0 ? fmt::format(" (and {} older ones, see --max)", e.left_out) : "");
  for (const stream::Cause& cause : e.causes) {
    fmt::print("    {}: {} = {}{}\n", cause.time, cause.input, cause.value,
               cause.via.empty() ? "" : fmt::format("    through {}", cause.via));
  }
}

}  // namespace

int RunMonitorExplain(const Arguments& arguments) {
  CLI::App app("Shows the input events that one output event came from.", "heddle monitor explain");
  app.footer("example:\n  heddle monitor explain lockset.tessla trace.log --stream error_x_in_line\n");
  SpecOptions spec;
  AddSpecOptions(app, spec);
  std::string trace = "-";
  stream::ExplainOptions options;
  app.add_option("TRACE", trace, "text or heddle trace, `-` for text from standard input");
  app.add_option("--stream", options.stream, "the output")->required();
  app.add_option("--at", options.time, "the time of the event; the first event when not given");
  app.add_option("--max", options.max_inputs, "how many input events to show");
  if (int code = Parse(app, arguments); code >= 0) return code;
  SourceMap sources;
  std::optional<stream::Program> program = LoadSpecification(sources, spec);
  if (!program) return kExitUsage;
  MonitorInput input;
  if (Status status = input.Open(trace, program->graph, false); !status) return Fail("monitor explain", status.error());
  Result<stream::Explanation> explanation = stream::Explain(*program, input.source(), options);
  if (!explanation) return Fail("monitor explain", explanation.error());
  Print(options, *explanation);
  return kExitClean;
}

}  // namespace heddle::cli
