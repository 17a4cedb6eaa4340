#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/monitor.h"

namespace heddle::cli {

void AddSpecOptions(CLI::App& app, SpecOptions& options) {
  app.add_option("SPEC", options.path, "the TeSSLa specification")->required();
  app.add_option("--dialect", options.dialect,
                 "auto (by what the file uses), tessla (1.2) or paper (the older language)")
      ->check(CLI::IsMember({"auto", "tessla", "paper"}));
  app.add_flag("--explain-dialect", options.explain_dialect, "say which dialect was chosen and why, and do not run");
  app.add_option("--base-time", options.base_time,
                 "what one unit of a timestamp is, for time literals: 1ns, 100us, ...");
}

std::optional<stream::Program> LoadSpecification(SourceMap& sources, const SpecOptions& options) {
  Result<uint32_t> file = sources.AddFromDisk(options.path);
  if (!file) {
    Fail("monitor", file.error());
    return std::nullopt;
  }
  stream::CompileOptions compile;
  compile.base_time = options.base_time;
  if (options.dialect == "paper") compile.dialect = stream::Dialect::kPaper;
  if (options.dialect == "tessla") compile.dialect = stream::Dialect::kTessla;
  std::vector<Diagnostic> diagnostics;
  std::optional<stream::Program> program = stream::BuildProgram(sources, *file, compile, diagnostics);
  if (program && options.explain_dialect) {
    fmt::print("{}: {}\n{}", options.path, program->dialect, program->dialect_reason);
  }
  for (const Diagnostic& diagnostic : diagnostics) std::fputs(Render(sources, diagnostic).c_str(), stderr);
  return program;
}

void WarnOfMissing(const analysis::MonitorInput& input) {
  for (const std::string& missing : input.MissingStreams()) {
    fmt::print(stderr, "heddle monitor: warning: {}\n", missing);
  }
}

}  // namespace heddle::cli
