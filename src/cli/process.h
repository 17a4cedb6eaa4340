// Running other programs, and finding heddle's own files.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>
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

// A program that runs beside us. SIGINT and SIGQUIT are ignored as long as one lives: the terminal sends them to the
// child too, and we stay to report. One that still runs when the object goes is killed.
class Child {
 public:
  // An error when the program cannot be started: kNotFound or kIo.
  static Result<std::unique_ptr<Child>> Start(const std::vector<std::string>& command, const ChildOptions& options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // How it ended, or nothing while it runs.
  std::optional<ChildEnd> Poll(bool wait = false);

  // Waits; > 0: SIGTERM after so many seconds, SIGKILL two later.
  ChildEnd Wait(double seconds);

  // Ends it: SIGTERM, and SIGKILL when that does not help within two seconds.
  ChildEnd Stop();

 private:
  explicit Child(pid_t pid);

  pid_t pid_;
  std::optional<ChildEnd> end_;
  struct sigaction old_int_{};
  struct sigaction old_quit_{};
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
