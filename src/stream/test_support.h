// What the tests of src/stream share: compile a text, run it, collect lines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stream/core/naive_reference.h"
#include "stream/elaborate/elaborate.h"
#include "stream/run/machine.h"
#include "stream/run/runner.h"
#include "stream/text/event_source.h"

namespace heddle::stream {

struct TestSpec {
  std::string text;
  CompileOptions options;
};

struct BuiltSpec {
  std::unique_ptr<SourceMap> sources = std::make_unique<SourceMap>();
  std::vector<Diagnostic> diagnostics;
  std::optional<Compiled> compiled;  // before optimisation, for the reference
  std::optional<Program> program;
  std::string errors;
};

inline BuiltSpec Build(const std::string& text, const CompileOptions& options = {}) {
  BuiltSpec built;
  uint32_t file = built.sources->Add("spec", text);
  built.compiled = Compile(*built.sources, file, options, built.diagnostics);
  if (built.compiled) {
    std::optional<Graph> graph = Optimise(built.compiled->graph, built.diagnostics);
    if (graph) built.program = Analyse(std::move(*graph), built.compiled->paper);
  }
  for (const Diagnostic& diagnostic : built.diagnostics) built.errors += Render(*built.sources, diagnostic);
  return built;
}

// Lines of a run, with `error: ...` at the end when it failed, in the words of the naive reference.
inline std::vector<std::string> RunLines(const Program& program, Machine& machine, const std::string& trace,
                                         std::string* message = nullptr) {
  std::vector<std::string> lines;
  auto source = TextTraceFromMemory(trace, program.graph, {"trace", false});
  Result<RunResult> result = RunMonitor(program, machine, *source, [&](int64_t time, const OutputEvent& event) {
    lines.push_back(std::to_string(time) + ": " + program.graph.outputs[event.output].name + " = " +
                    LiteralText(event.value));
    return true;
  });
  if (!result) {
    lines.push_back("error");
    if (message != nullptr) *message = result.error().message;
  }
  return lines;
}

inline std::vector<std::string> ReferenceLines(const Graph& graph, const std::string& trace) {
  auto source = TextTraceFromMemory(trace, graph, {"trace", false});
  std::vector<std::string> lines = NaiveReference(graph).Run(*source);
  if (!lines.empty() && lines.back().starts_with("error")) lines.back() = "error";
  return lines;
}

}  // namespace heddle::stream
