// heddle litmus optcheck: did the compiler keep the accesses of the test?
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/litmus.h"

namespace heddle::cli {
namespace {

struct LitmusOptcheckSettings {
  std::vector<std::string> files;
  LitmusBuild build;
};

int One(const LitmusOptcheckSettings& settings, const std::string& file, const std::string& folder) {
  Result<litmus::Test> test = ReadLitmus(file);
  if (!test) return LitmusFail(test.error());
  Result<LitmusProgram> program = BuildLitmus(*test, file, folder + "/test", settings.build);
  if (program && test->arch == litmus::Arch::kOpenCl) {
    fmt::print(stderr, "heddle litmus optcheck: {}: the kernel is compiled by the device's driver and cannot be read\n",
               file);
    return kExitEnvironment;
  }
  if (program) {
    fmt::print("{}: kept: all accesses in order and kind\n", test->name);
    return kExitClean;
  }
  if (program.error().code == ErrorCode::kLimit) {
    fmt::print("{}: error[memory-model]: {}\n", test->name, program.error().message);
    return kExitFindings;
  }
  fmt::print(stderr, "heddle litmus optcheck: {}: {}\n", file, program.error().message);
  return program.error().code == ErrorCode::kUnsupported ? kExitEnvironment : kExitUndecided;
}

}  // namespace

int LitmusOptcheck(const Arguments& arguments) {
  LitmusOptcheckSettings settings;
  CLI::App app(
      "Compiles the harness of each test and compares the machine code between the marks of each thread with the "
      "accesses of\n"
      "the test: as many, in the same order, of the same kind and location.\n\n"
      "  heddle litmus optcheck --cc clang-19 tests/\n"
      "  heddle litmus optcheck --target riscv64 MP.litmus     a C test, compiled for another machine\n\n"
      "Exit: 0 all kept, 1 the compiler changed something, 2 a test is wrong, 5 it cannot be checked here.",
      "heddle litmus optcheck");
  app.add_option("FILE", settings.files, "tests, folders of tests, or @FILE with their names")->required();
  app.add_option("--cc", settings.build.cc, "the C compiler");
  app.add_option("--target", settings.build.target, "the machine for C tests")
      ->check(CLI::IsMember({"x86_64", "aarch64", "riscv64", "ppc64le"}));
  app.add_option("--level", settings.build.level, "the optimisation level: -O2 unless given, -O0 for ptxas");
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<std::vector<std::string>> files = LitmusFiles(settings.files);
  if (!files) return Fail("litmus optcheck", files.error());
  WorkFolder folder("");
  if (folder.path().empty()) return Fail("litmus optcheck", MakeError(ErrorCode::kIo, "no folder for temporary files"));
  int worst = kExitClean;
  for (const std::string& file : *files) {
    int code = One(settings, file, folder.path());
    if (code == kExitFindings || worst == kExitClean) worst = code;
  }
  return worst;
}

}  // namespace heddle::cli
