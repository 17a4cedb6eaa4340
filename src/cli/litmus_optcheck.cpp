// heddle litmus optcheck: did the compiler keep the accesses of the test?
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "analysis/target/process.h"
#include "base/file.h"
#include "cli/litmus.h"
#include "litmus/optcheck/optcheck.h"
#include "litmus/run/harness.h"

namespace heddle::cli {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::string cc = "cc";
  std::string level = "-O2";
};

int One(const Settings& settings, const std::string& file, const std::string& folder) {
  Result<litmus::Test> test = ReadLitmus(file);
  if (!test) return LitmusFail(test.error());
  Result<std::string> source = litmus::WriteHarness(*test, file, {});
  if (!source) {
    fmt::print(stderr, "heddle litmus optcheck: {}: {}\n", file, source.error().message);
    return kExitEnvironment;
  }
  std::string base = folder + "/test";
  if (Status status = WriteFileAtomic(base + ".c", *source); !status) return Fail("litmus optcheck", status.error());
  Result<analysis::ChildEnd> compiled =
      analysis::RunChild({settings.cc, "-std=gnu11", settings.level, "-pthread", "-w", "-o", base, base + ".c"});
  if (!compiled) return Fail("litmus optcheck", compiled.error());
  if (compiled->code != 0) {
    fmt::print(stderr, "heddle litmus optcheck: {}: the harness does not compile\n", file);
    return kExitUndecided;
  }
  Status kept = litmus::CheckHarness(*test, base);
  if (kept) {
    fmt::print("{}: kept: all accesses in order and kind\n", test->name);
    return kExitClean;
  }
  if (kept.error().code == ErrorCode::kUnsupported) {
    fmt::print(stderr, "heddle litmus optcheck: {}\n", kept.error().message);
    return kExitEnvironment;
  }
  fmt::print("{}: error[memory-model]: {}\n", test->name, kept.error().message);
  return kExitFindings;
}

}  // namespace

int LitmusOptcheck(const Arguments& arguments) {
  Settings settings;
  CLI::App app(
      "Compiles the harness of each test and compares the machine code between the marks of each thread with the "
      "accesses of\n"
      "the test: as many, in the same order, of the same kind. For x86-64.\n\n"
      "  heddle litmus optcheck --cc clang-19 tests/\n\n"
      "Exit: 0 all kept, 1 the compiler changed something, 2 a test is wrong, 5 it cannot be checked here.",
      "heddle litmus optcheck");
  app.add_option("FILE", settings.files, "tests, folders of tests, or @FILE with their names")->required();
  app.add_option("--cc", settings.cc, "the C compiler");
  app.add_option("--level", settings.level, "the optimisation level");
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<std::vector<std::string>> files = LitmusFiles(settings.files);
  if (!files) return Fail("litmus optcheck", files.error());
  std::string folder = (std::filesystem::temp_directory_path() / "heddle-optcheck-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return Fail("litmus optcheck", ErrnoError(folder, errno));
  int worst = kExitClean;
  for (const std::string& file : *files) {
    int code = One(settings, file, folder);
    if (code == kExitFindings || worst == kExitClean) worst = code;
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return worst;
}

}  // namespace heddle::cli
