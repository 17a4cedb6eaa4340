// Running other programs, and finding heddle's own files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::cli {

// How a child process ended.
struct ChildEnd {
  int code = 0;    // what a shell would call $?: the exit code, or 128 + signal
  int signal = 0;  // the signal that killed it, else 0
};

struct ChildOptions {
  std::vector<std::string> environment;  // NAME=VALUE, added to ours
  bool fixed_addresses = false;          // no address-space randomisation
  bool quiet = false;                    // standard output and error go to /dev/null
  double seconds = 0;                    // > 0: killed after that time (SIGTERM, then SIGKILL)
};

// Runs `command` and waits. SIGINT and SIGTERM that we get meanwhile are the child's business first: the terminal sends
// them to both, and we stay to report. An error when the program cannot be started: kNotFound or kIo.
Result<ChildEnd> RunChild(const std::vector<std::string>& command, const ChildOptions& options = {});

// Whether the last RunChild was ended by its time limit.
bool ChildTimedOut();

// The folder of libheddle_rt.so and heddle_pass.so, beside the folder of this program (bin/../lib).
Result<std::string> LibraryDir();

// The exit code of the command-line contract for a program that could not be started.
int CannotRunCode(const Error& error);

}  // namespace heddle::cli
