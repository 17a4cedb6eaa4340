// heddle refine gen: random C threads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.h"
#include "cli/refine.h"

namespace heddle::cli {

int RunRefineGen(const Arguments& arguments) {
  CLI::App app("Writes random C threads with locks and without undefined behaviour; the same seed gives the same text.",
               "heddle refine gen");
  uint64_t seed = 0;
  uint32_t count = 1;
  std::string output = "-";
  refine::GenOptions options;
  app.add_option("--seed", seed, "of the first thread")->required();
  app.add_option("--count", count, "threads, with consecutive seeds")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  AddRefineGenerator(app, options);
  app.add_option("-o", output, "file; - is standard output")->capture_default_str();
  app.footer("  heddle refine gen --seed 7 -o thread.c\n  heddle refine gen --seed 1 --count 100 --size 30 --locks 4");
  if (int code = Parse(app, arguments); code >= 0) return code;
  std::vector<refine::GeneratedThread> threads;
  for (uint32_t i = 0; i < count; ++i) {
    Result<refine::GeneratedThread> thread = refine::MakeThread(seed + i, i, options);
    if (!thread) return Fail("refine gen", thread.error());
    threads.push_back(thread.Take());
  }
  std::string text = refine::ProgramText(threads);
  if (output == "-") {
    std::fputs(text.c_str(), stdout);
    return kExitClean;
  }
  Status written = WriteFileAtomic(output, text);
  return written ? static_cast<int>(kExitClean) : Fail("refine gen", written.error());
}

}  // namespace heddle::cli
