// heddle refine trace: one thread of an object file in the emulator.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "cli/refine.h"
#include "refine/trace/command.h"
#include "refine/trace/image.h"
#include "refine/trace/trace_file.h"
#include "refine/trace/tracer.h"

namespace heddle::cli {
namespace {

struct RefineTraceSettings {
  std::vector<std::string> objects;
  std::string thread;
  std::string output = "-";
  std::string environment_of;
  std::string build;
  bool no_environment = false;
  bool text = false;
  refine::TraceOptions trace;
};

// The only function whose name begins with "thread", else an error that lists what there is.
Result<std::string> OnlyThread(const refine::Image& image) {
  std::string names;
  std::vector<std::string> threads;
  for (const auto& [name, address] : image.functions) {
    if (name.starts_with("thread")) threads.push_back(name);
    if (names.size() < 300) names += (names.empty() ? "" : ", ") + name;
  }
  if (threads.size() == 1) return threads[0];
  return MakeError(ErrorCode::kUsage, fmt::format("name the thread's function with --thread; there are: {}", names));
}

Result<refine::Trace> RunRefineTrace(RefineTraceSettings& settings) {
  Result<refine::ScratchFolder> folder = refine::ScratchFolder::Make();
  if (!folder) return folder.error();
  std::string build = settings.build.empty() ? settings.objects[0] : settings.build;
  Result<refine::Image> image = refine::LinkImage(settings.objects, folder->path(), {build, nullptr});
  if (!image) return image.error();
  if (settings.thread.empty()) {
    Result<std::string> only = OnlyThread(*image);
    if (!only) return only.error();
    settings.thread = only.Take();
  }
  std::optional<refine::Trace> like;
  if (!settings.environment_of.empty()) {
    Result<refine::Trace> loaded = refine::LoadTrace(settings.environment_of);
    if (!loaded) return loaded.error();
    like = loaded.Take();
    settings.trace.environment_of = &*like;
  }
  settings.trace.environment = !settings.no_environment;
  settings.trace.lines = true;
  Result<std::unique_ptr<refine::Tracer>> tracer = refine::Tracer::Make(*image);
  if (!tracer) return tracer.error();
  return (*tracer)->Run(settings.thread, settings.trace);
}

int Emit(const RefineTraceSettings& settings, const refine::Trace& trace) {
  if (settings.output == "-") {
    std::fputs(refine::TraceText(trace).c_str(), stdout);
  } else if (Status saved = refine::SaveTrace(trace, settings.output); !saved) {
    return Fail("refine trace", saved.error());
  }
  if (trace.end == refine::RunEnd::kEnded) return kExitClean;
  fmt::print(stderr, "heddle refine trace: not decided: `{}` did not reach its end: {}\n", trace.thread, trace.reason);
  return kExitUndecided;
}

}  // namespace

int RunRefineTrace(const Arguments& arguments) {
  CLI::App app(
      "Runs one thread of an object file (x86-64, AArch64, RISC-V) in an emulator and writes its accesses to shared\n"
      "memory and its lock operations. At each lock the environment writes random values to what the thread did not\n"
      "access since its last unlock.",
      "heddle refine trace");
  RefineTraceSettings settings;
  app.add_option("OBJECT", settings.objects, "object files, compiled with -g -fdata-sections -fno-pic")->required();
  app.add_option("--thread", settings.thread, "the thread's function; default: the only one named thread...");
  app.add_option("-o", settings.output, "file for the trace; - is text on standard output")->capture_default_str();
  app.add_option("--seed", settings.trace.seed, "of the environment's values")->capture_default_str();
  app.add_option("--like", settings.environment_of, "the environment writes what it wrote in this trace")
      ->type_name("TRACE");
  app.add_flag("--no-environment", settings.no_environment, "the environment writes nothing");
  app.add_option("--max-blocks", settings.trace.max_blocks, "basic blocks until the run is given up")
      ->capture_default_str();
  app.add_option("--name", settings.build, "how the build is called in messages");
  app.footer(
      "  gcc -O0 -g -fdata-sections -fno-pic -c thread.c -o O0.o\n"
      "  gcc -O3 -g -fdata-sections -fno-pic -c thread.c -o O3.o\n"
      "  heddle refine trace O0.o -o O0.trace\n"
      "  heddle refine trace O3.o --like O0.trace -o O3.trace\n"
      "  heddle refine check O0.trace O3.trace");
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<refine::Trace> trace = RunRefineTrace(settings);
  return trace ? Emit(settings, *trace) : Fail("refine trace", trace.error());
}

}  // namespace heddle::cli
