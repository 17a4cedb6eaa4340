// heddle trace record|print: recordings of runs, and what is in them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/traced_run.h"
#include "cli/verb.h"
#include "trace/print.h"
#include "trace/reader.h"

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
  TracedRun run;
  run.command = command;
  run.trace_path = output;
  run.options = options;
  Result<TracedEnd> end = RunTraced(run);
  if (!end) {
    Fail("trace record", end.error());
    return end.error().code == ErrorCode::kNotFound || end.error().code == ErrorCode::kIo ? CannotRunCode(end.error())
                                                                                          : kExitUndecided;
  }
  return end->child.code;
}

int Print(const Arguments& arguments) {
  CLI::App app("Prints a trace, one event a line.", "heddle trace print");
  std::string path;
  app.add_option("trace", path, "the trace file")->required();
  if (int code = Parse(app, arguments); code >= 0) return code;
  auto reader = trace::TraceReader::Open(path);
  if (!reader) return Fail("trace print", reader.error());
  trace::Event event;
  while ((*reader)->Next(&event)) fmt::print("{}\n", trace::PrintEvent(event, (*reader)->info()));
  for (const std::string& damage : (*reader)->info().damage) fmt::print(stderr, "heddle trace print: {}\n", damage);
  return (*reader)->info().damage.empty() ? kExitClean : kExitUndecided;
}

int Run(const Arguments& arguments) {
  std::string what = arguments.empty() ? "" : arguments[0];
  Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (what == "record") return Record(rest);
  if (what == "print") return Print(rest);
  fmt::print(what == "--help" ? stdout : stderr, "usage: heddle trace record|print ... (each has --help)\n");
  return what == "--help" ? kExitClean : kExitUsage;
}

}  // namespace

extern const Verb kTraceVerb;
const Verb kTraceVerb{"trace", "record a run, print and convert traces", Run};

}  // namespace heddle::cli
