// The sub-verbs of `heddle litmus`, one file each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"
#include "litmus/model/cat_parser.h"
#include "litmus/run/harness.h"
#include "litmus/syntax/test.h"

namespace heddle::cli {

int LitmusGen(const Arguments& arguments);
int LitmusLock(const Arguments& arguments);
int LitmusLog(const Arguments& arguments);
int LitmusOptcheck(const Arguments& arguments);
int LitmusRun(const Arguments& arguments);
int LitmusSim(const Arguments& arguments);

// Where included files and models are looked for: these folders, then those that come with heddle.
litmus::CatSearch LitmusSearch(const std::vector<std::string>& include, const std::vector<std::string>& variants);
// Reads a test. Messages about its text name file and line themselves.
Result<litmus::Test> ReadLitmus(const std::string& path);
// The files, with folders and @lists of files replaced by the tests that they name.
Result<std::vector<std::string>> LitmusFiles(const std::vector<std::string>& arguments);
// A test as a compiled harness: for run and optcheck.
struct LitmusBuild {
  std::string cc;      // empty: the one of the target
  std::string level;   // of optimisation; empty: -O2, and -O0 for ptxas
  std::string target;  // of C tests; empty: this machine
  litmus::HarnessOptions harness;
};
struct LitmusProgram {
  std::string path;
  std::vector<std::string> runner;  // the emulator, when there is one
  bool emulated = false;
  std::string gpu;                // the device that it needs
  std::vector<std::string> link;  // what makes the program, when only its code was compiled yet
};
// Writes and compiles the harness at `base`.c, and compares it with the test. kUnsupported: what is missing here;
// kLimit: the compiler changed the test; kBadInput: it does not compile.
Result<LitmusProgram> BuildLitmus(const litmus::Test& test, const std::string& file, const std::string& base,
                                  const LitmusBuild& build);
// The path of a program, looked for in PATH; empty when it is not there.
std::string FindTool(std::string_view name);
// A folder for temporary files that goes with the object; `keep` is kept.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& keep);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  bool kept_;
  std::string path_;
};

// Prints an error of a test or model; returns the exit code.
int LitmusFail(const Error& error);

}  // namespace heddle::cli
