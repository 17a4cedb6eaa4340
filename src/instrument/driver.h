// What `heddle cc` runs for a compiler command line: the same command with instrumentation and heddle's runtime.
//
// The plan is a pure function of the arguments, so it can be tested without a compiler. Rules:
//   - a step that compiles gets -fsanitize=thread (the instrumentation), our pass plugin (clang 19), -g if no -g is
//   there
//   - a step that links gets libheddle_rt, first among the libraries so that its functions come before libc's
//   - with `bitcode`, clang 19 only: before each step that makes an object, the source is compiled to bitcode as the
//     static analysis likes it (-flto -O1 -fno-inline -g, not instrumented), and the object carries that file; after a
//     link, what all objects carried becomes PROG.bc
//   - -fsanitize=thread of the build itself is left out, so that its runtime is not linked; with other sanitizers a
//     command that compiles and links is split, those that need memory of their own are refused
//   - a command without inputs (--version, -print-...) is passed on as it is
// gcc links its own runtime whenever it sees the instrumentation flag in a linking command, so for gcc a command that
// compiles and links becomes one command for each source and one that links.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::instrument {

using Arguments = std::vector<std::string>;

enum class Compiler { kClang19, kClang, kGcc };

struct DriverConfig {
  std::string program;  // the compiler to run
  Compiler compiler = Compiler::kClang19;
  bool cxx = false;
  std::string runtime_dir;    // where libheddle_rt.so is
  std::string plugin;         // heddle_pass.so; empty: none
  std::string temporary_dir;  // for the objects of a split command
  bool bitcode = false;       // objects carry bitcode, and a link leaves that of the whole program beside its output
};

struct DriverPlan {
  std::vector<Arguments> commands;       // to run in order, each with the program first
  std::vector<std::string> temporaries;  // to remove afterwards
  // With `bitcode`: for each command, the file that its object should carry (empty: none); no entry at all: none.
  std::vector<std::string> carried;
  // With `bitcode`, after a link: what was linked, and where the bitcode that it carries should be.
  std::string linked, bitcode_path;
};

// The plan for `arguments` (without the program). An error when they ask for what heddle cannot do (-static), or when a
// response file cannot be read.
Result<DriverPlan> PlanCompile(const DriverConfig& config, const Arguments& arguments);

// @file arguments replaced by what the files hold, with the quoting rules of the compilers.
Result<Arguments> ExpandResponseFiles(const Arguments& arguments);

}  // namespace heddle::instrument
