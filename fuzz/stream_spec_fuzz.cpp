// Any bytes as a TeSSLa specification: diagnostics or a program that runs, never a crash. What compiles is run on a
// short trace on the interpreter, and its C++ and Verilog are written.
#include <cstdint>
#include <string>
#include <vector>

#include "stream/elaborate/elaborate.h"
#include "stream/emit/emit_cpp.h"
#include "stream/emit/verilog.h"
#include "stream/run/runner.h"

using namespace heddle;          // NOLINT
using namespace heddle::stream;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096) return 0;
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("include") != std::string::npos) return 0;  // would read files
  SourceMap sources;
  uint32_t file = sources.Add("spec", text);
  std::vector<Diagnostic> diagnostics;
  CompileOptions options;
  options.base_time = "1ns";
  std::optional<Program> program = BuildProgram(sources, file, options, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics) Render(sources, diagnostic);
  if (!program || program->graph.nodes.size() > 2000) return 0;
  std::unique_ptr<Machine> machine = MakeInterpreter(*program);
  auto source = TextTraceFromMemory("0: x = 1\n3: x = 2\n3: y = 5\n7: x = -4\n", program->graph, {"trace", false});
  int events = 0;
  (void)RunMonitor(*program, *machine, *source, [&](int64_t, const OutputEvent&) { return ++events < 1000; });
  const Program* programs[] = {&*program};
  EmitCpp(programs);
  Symbols symbols;
  EmitVerilog(*program, {}, symbols, diagnostics);
  return 0;
}
