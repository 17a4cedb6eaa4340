// heddle cc, heddle c++: drop-in compilers (instrument/driver.h says what they change).
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "analysis/target/process.h"
#include "base/file.h"
#include "cli/describe.h"
#include "cli/verb.h"
#include "deadlock/input/carried.h"
#include "instrument/aspect.h"
#include "instrument/driver.h"
#include "wire/environment.h"

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

// The program was linked in any case; without its bitcode it is only not ready for `heddle deadlock`.
void KeepBitcode(const DriverPlan& plan) {
  unlink(plan.bitcode_path.c_str());  // of an earlier link
  if (access(plan.linked.c_str(), R_OK) != 0) return;
  Status kept = deadlock::WriteCarriedBitcode(plan.linked, plan.bitcode_path);
  if (!kept) fmt::print(stderr, "heddle cc: no bitcode is left beside the program: {}\n", kept.error().message);
}

int RunPlan(const DriverPlan& plan) {
  int code = 0;
  for (size_t i = 0; i < plan.commands.size(); ++i) {
    const std::string carried = i < plan.carried.size() ? plan.carried[i] : "";
    if (carried.empty())
      unsetenv(wire::variable::kEmbed);
    else
      setenv(wire::variable::kEmbed, carried.c_str(), 1);
    auto end = analysis::RunChild(plan.commands[i]);
    if (!end) {
      fmt::print(stderr, "heddle cc: {}\n", end.error().message);
      code = CannotRunCode(end.error());
    } else {
      code = end->code;
    }
    if (code != 0) break;
  }
  for (const std::string& path : plan.temporaries) unlink(path.c_str());
  if (code == 0 && !plan.bitcode_path.empty()) KeepBitcode(plan);
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

// Takes `--aspect FILE` and `--aspect=FILE` out of the arguments and returns the files.
Result<std::vector<std::string>> TakeAspectFiles(Arguments& arguments) {
  constexpr std::string_view kOption = "--aspect";
  std::vector<std::string> files;
  Arguments rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == kOption) {
      if (++i == arguments.size()) return MakeError(ErrorCode::kUsage, "--aspect needs a file");
      files.push_back(arguments[i]);
    } else if (argument.rfind(std::string(kOption) + "=", 0) == 0) {
      files.push_back(argument.substr(kOption.size() + 1));
    } else {
      rest.push_back(argument);
    }
  }
  arguments = std::move(rest);
  return files;
}

// Takes `--prune FILE` (or =FILE) and `--prune-stats` out of the arguments; the pass plugin finds the list by the
// environment.
Status SetPrune(Arguments& arguments, const DriverConfig& config) {
  unsetenv(wire::variable::kPrune);
  unsetenv(wire::variable::kPruneStats);
  std::string list;
  bool stats = std::erase(arguments, "--prune-stats") > 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].rfind("--prune=", 0) == 0) {
      list = arguments[i].substr(8);
    } else if (arguments[i] == "--prune") {
      if (i + 1 == arguments.size()) return MakeError(ErrorCode::kUsage, "--prune needs a file");
      list = arguments[i + 1];
      arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i));
    } else {
      continue;
    }
    arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i--));
  }
  if (list.empty()) return stats ? Status(MakeError(ErrorCode::kUsage, "--prune-stats needs --prune FILE")) : Status{};
  if (config.compiler != Compiler::kClang19) {
    return MakeError(ErrorCode::kUsage,
                     fmt::format("--prune needs clang 19, and {} is another compiler", config.program));
  }
  std::error_code failure;
  std::string path = std::filesystem::absolute(list, failure).string();
  if (!std::filesystem::exists(path, failure)) return MakeError(ErrorCode::kNotFound, list + ": no such file");
  setenv(wire::variable::kPrune, path.c_str(), 1);
  if (stats) setenv(wire::variable::kPruneStats, "1", 1);
  return {};
}

// The pass plugin finds the orders in the environment of the compiler that is started next.
Status SetAspects(const std::vector<std::string>& files, const DriverConfig& config) {
  unsetenv(wire::variable::kAspect);
  if (files.empty()) return {};
  if (config.compiler != Compiler::kClang19) {
    return MakeError(ErrorCode::kUsage,
                     fmt::format("--aspect needs clang 19, and {} is another compiler", config.program));
  }
  // All files are one text: an event has the same fields in all of them.
  std::string all;
  for (const std::string& file : files) {
    Result<std::string> text = ReadFile(file);
    if (!text) return text.error();
    Result<std::vector<instrument::AspectOrder>> orders = instrument::ParseAspects(file, *text);
    if (!orders) return orders.error();
    all += instrument::PrintAspects(*orders);
  }
  Result<std::vector<instrument::AspectOrder>> orders = instrument::ParseAspects("all --aspect files together", all);
  if (!orders) return orders.error();
  std::string text = instrument::WeaveText(*orders);
  constexpr size_t kMaxBytes = 100'000;  // what one variable of the environment can hold is a little more
  if (text.size() > kMaxBytes) return MakeError(ErrorCode::kUsage, "--aspect: more orders than fit (100 kB)");
  setenv(wire::variable::kAspect, text.c_str(), 1);
  return {};
}

int RunCc(const Arguments& arguments, bool cxx) {
  DriverConfig config;
  config.cxx = cxx;
  config.program = cxx ? Environment(wire::variable::kCxx, "clang++-19") : Environment(wire::variable::kCc, "clang-19");
  config.compiler = KindOf(config.program);
  Result<std::string> library = analysis::LibraryDir();
  if (!library) return Fail(cxx ? "c++" : "cc", library.error());
  config.runtime_dir = *library;
  config.plugin = *library + "/heddle_pass.so";
  Arguments words = arguments;
  Result<std::vector<std::string>> aspects = TakeAspectFiles(words);
  if (!aspects) return Fail(cxx ? "c++" : "cc", aspects.error());
  Status woven = SetAspects(*aspects, config);
  if (woven) woven = SetPrune(words, config);
  if (!woven) return Fail(cxx ? "c++" : "cc", woven.error());
  char folder[] = "/tmp/heddle-cc-XXXXXX";
  // A command with a sanitizer may have several steps too.
  bool sanitizer = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("-fsanitize=") || word.starts_with("@");
  });
  config.bitcode = std::erase(words, "--bitcode") > 0;
  bool split = config.compiler == Compiler::kGcc || sanitizer || config.bitcode;
  if (split && mkdtemp(folder) == nullptr) return Fail(cxx ? "c++" : "cc", ErrnoError("/tmp", errno));
  config.temporary_dir = folder;
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

// Its own options; all others are the compiler's.
CommandInfo CompilerInfo() {
  CommandInfo info;
  info.about =
      "A drop-in compiler: every flag passes through, exit code and output are the compiler's own. HEDDLE_CC and "
      "HEDDLE_CXX name the compilers (clang-19 and clang++-19).";
  auto add = [&](std::string name, std::string value, std::string text) {
    OptionInfo option;
    option.names = {std::move(name)};
    option.value = std::move(value);
    option.text = std::move(text);
    info.options.push_back(std::move(option));
  };
  add("--aspect", "FILE", "weave in the events that FILE declares; may be repeated");
  add("--bitcode", "", "a build without instrumentation that leaves PROG.bc, for heddle deadlock");
  add("--prune", "FILE", "no instrumentation for the accesses that FILE lists");
  add("--prune-stats", "", "with --prune: say how many were left out");
  info.footer =
      "Examples:\n"
      "  heddle cc -g -O1 -pthread race.c -o race\n"
      "  ./configure CC=heddle-cc CXX=heddle-c++\n"
      "  cmake -B build -DCMAKE_C_COMPILER=heddle-cc -DCMAKE_CXX_COMPILER=heddle-c++";
  return info;
}

int Start(const Arguments& arguments, bool cxx) {
  if (CommandInfo* sink = DescribeSink()) {
    *sink = CompilerInfo();
    return kExitClean;
  }
  return RunCc(arguments, cxx);
}

int RunC(const Arguments& arguments) { return Start(arguments, false); }
int RunCxx(const Arguments& arguments) { return Start(arguments, true); }

}  // namespace

extern const Verb kCcVerb;
extern const Verb kCxxVerb;
const Verb kCcVerb{"cc", "compile C so that heddle can analyse it (drop-in compiler)", RunC};
const Verb kCxxVerb{"c++", "compile C++ so that heddle can analyse it (drop-in compiler)", RunCxx};

}  // namespace heddle::cli
