// heddle cc, heddle c++: drop-in compilers (instrument/driver.h says what they change).
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "cli/process.h"
#include "cli/verb.h"
#include "instrument/driver.h"

namespace heddle::cli {
namespace {

using instrument::Compiler;
using instrument::DriverConfig;
using instrument::DriverPlan;

std::string Environment(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// What `program --version` says it is. The default compiler is known without asking.
Compiler KindOf(const std::string& program) {
  if (program == "clang-19" || program == "clang++-19") return Compiler::kClang19;
  std::string command = "'" + program + "' --version 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "re");  // NOLINT: the user's own compiler name
  if (pipe == nullptr) return Compiler::kGcc;
  std::string text;
  char buffer[512];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  if (text.find("clang version 19.") != std::string::npos) return Compiler::kClang19;
  return text.find("clang") != std::string::npos ? Compiler::kClang : Compiler::kGcc;
}

int RunPlan(const DriverPlan& plan) {
  int code = 0;
  for (const auto& command : plan.commands) {
    auto end = RunChild(command);
    if (!end) {
      fmt::print(stderr, "heddle cc: {}\n", end.error().message);
      code = CannotRunCode(end.error());
    } else {
      code = end->code;
    }
    if (code != 0) break;
  }
  for (const std::string& path : plan.temporaries) unlink(path.c_str());
  if (code == 0 && !plan.bitcode_path.empty() && rename(plan.linked_bitcode.c_str(), plan.bitcode_path.c_str()) != 0 &&
      errno != ENOENT) {
    fmt::print(stderr, "heddle cc: {}\n", ErrnoError(plan.bitcode_path, errno).message);
    code = kExitUndecided;
  }
  return code;
}

// A plan of one command becomes that command: nothing is between the build system and the compiler.
int BecomeCompiler(const instrument::Arguments& command) {
  std::vector<char*> pointers;
  for (const std::string& argument : command) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  Error error = ErrnoError(command[0], errno);
  fmt::print(stderr, "heddle cc: {}\n", error.message);
  if (error.code == ErrorCode::kNotFound) fmt::print(stderr, "  help: `heddle doctor` says what is missing\n");
  return CannotRunCode(error);
}

int Run(const Arguments& arguments, bool cxx) {
  DriverConfig config;
  config.cxx = cxx;
  config.program = cxx ? Environment("HEDDLE_CXX", "clang++-19") : Environment("HEDDLE_CC", "clang-19");
  config.compiler = KindOf(config.program);
  Result<std::string> library = LibraryDir();
  if (!library) return Fail(cxx ? "c++" : "cc", library.error());
  config.runtime_dir = *library;
  config.plugin = *library + "/heddle_pass.so";
  char folder[] = "/tmp/heddle-cc-XXXXXX";
  bool split = config.compiler == Compiler::kGcc;
  if (split && mkdtemp(folder) == nullptr) return Fail(cxx ? "c++" : "cc", ErrnoError("/tmp", errno));
  config.temporary_dir = folder;
  Arguments words = arguments;
  config.bitcode = std::erase(words, "--bitcode") > 0;
  Result<DriverPlan> plan = PlanCompile(config, words);
  int code = 0;
  if (!plan) {
    code = Fail(cxx ? "c++" : "cc", plan.error());
  } else if (plan->commands.size() == 1 && !split && plan->bitcode_path.empty()) {
    code = BecomeCompiler(plan->commands[0]);
  } else {
    code = RunPlan(*plan);
  }
  if (split) rmdir(folder);
  return code;
}

int RunC(const Arguments& arguments) { return Run(arguments, false); }
int RunCxx(const Arguments& arguments) { return Run(arguments, true); }

}  // namespace

extern const Verb kCcVerb;
extern const Verb kCxxVerb;
const Verb kCcVerb{"cc", "compile C so that heddle can analyse it (drop-in compiler)", RunC};
const Verb kCxxVerb{"c++", "compile C++ so that heddle can analyse it (drop-in compiler)", RunCxx};

}  // namespace heddle::cli
