// The verbs of the command line. Each verb is one file that defines a Verb; verbs.cpp lists them all.
//
// A verb's run function gets its own arguments (without "heddle VERB"), prints to standard output or standard error,
// and returns the exit code. It is the only kind of code that may print; libraries return values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace heddle::cli {

// The exit codes every verb shares (docs/cli.md).
enum ExitCode : int {
  kExitClean = 0,        // nothing found
  kExitFindings = 1,     // something found
  kExitUsage = 2,        // the command line or an input file is wrong
  kExitUndecided = 3,    // could not decide, or could not analyse
  kExitDiverged = 4,     // the replay diverged
  kExitEnvironment = 5,  // this machine lacks something; the message says what to do
  kExitCannotRun = 126,
  kExitNoProgram = 127,
};

using Arguments = std::vector<std::string>;

// `heddle trace print`: `print` is a part of `trace`.
struct Part {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

struct Verb {
  std::string_view name;
  std::string_view summary;  // one line for `heddle --help`
  int (*run)(const Arguments& arguments);
  std::span<const Part> parts = {};
  bool own_options = true;  // false: it only hands over to its parts
};

std::span<const Verb> Verbs();

// Parses `arguments` into `app` (spelling hints on unknown options), with what heddle.toml says before them
// (project_file.h) and the options that every verb has. Returns -1 to go on, else the exit code to return: 0 after
// --help and while the options are only described (describe.h), 2 after a wrong option. Verbs call it before anything
// else.
int Parse(CLI::App& app, const Arguments& arguments);

// "heddle VERB: message" on standard error; returns the exit code for this kind of error.
int Fail(std::string_view verb, const Error& error);

// The exit code of the command-line contract for a program that could not be started.
int CannotRunCode(const Error& error);

}  // namespace heddle::cli
