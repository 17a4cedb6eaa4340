// heddle trace: recordings of runs. This file has `record`; the other parts have files of their own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "analysis/target/traced_run.h"
#include "base/near.h"
#include "cli/trace_verbs.h"

namespace heddle::cli {
namespace {

int Record(const Arguments& arguments) {
  CLI::App app("Runs a program built with heddle cc and records its trace.", "heddle trace record");
  std::string output = "heddle.trace";
  std::string options;
  app.add_option("-o,--output", output, "where to write the trace");
  app.add_option("--options", options, "settings of the runtime, name=value:name=value");
  std::vector<std::string> command;
  app.add_option("command", command, "the program and its arguments, after --")->required();
  app.footer("example: heddle trace record -o run.trace -- ./server --port 8080");
  if (int code = Parse(app, arguments); code >= 0) return code;
  analysis::TracedRun run;
  run.command = command;
  run.trace_path = output;
  run.options = options;
  Result<analysis::TracedEnd> end = analysis::RunTraced(run);
  if (!end) {
    Fail("trace record", end.error());
    return end.error().code == ErrorCode::kNotFound || end.error().code == ErrorCode::kIo ? CannotRunCode(end.error())
                                                                                          : kExitUndecided;
  }
  return end->child.code;
}

constexpr std::array<Part, 4> kParts = {{
    {"record", "run a program and record its trace", Record},
    {"print", "the events, one a line", PrintTrace},
    {"stat", "what is in it, in numbers", StatTrace},
    {"convert", "to and from other formats", ConvertTrace},
}};

void PrintHelp(std::FILE* out) {
  fmt::print(out, "usage: heddle trace PART ...\n\n");
  for (const Part& part : kParts) fmt::print(out, "  {:<10} {}\n", part.name, part.summary);
  fmt::print(out, "\n`heddle trace PART --help` says more.\n");
}

int RunTrace(const Arguments& arguments) {
  std::string what = arguments.empty() ? "" : arguments[0];
  std::vector<std::string_view> names;
  for (const Part& part : kParts) {
    if (part.name == what) return part.run(Arguments(arguments.begin() + 1, arguments.end()));
    names.push_back(part.name);
  }
  bool help = what == "--help" || what == "-h" || what == "help";
  if (help || what.empty()) {
    PrintHelp(help ? stdout : stderr);
    return help ? kExitClean : kExitUsage;
  }
  std::string hint = DidYouMean(what, names);
  fmt::print(stderr, "heddle trace: unknown part `{}`{}{}\n", what, hint.empty() ? "" : ": ", hint);
  return kExitUsage;
}

}  // namespace

extern const Verb kTraceVerb;
const Verb kTraceVerb{"trace", "record a run, print and convert traces", RunTrace, kParts, false};

}  // namespace heddle::cli
