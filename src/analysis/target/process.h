// Running other programs, and finding heddle's own files.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/target/interrupt.h"
#include "base/result.h"

namespace heddle::analysis {

// How a child process ended.
struct ChildEnd {
  int code = 0;            // what a shell would call $?: the exit code, or 128 + signal
  int signal = 0;          // the signal that killed it, else 0
  bool timed_out = false;  // ended by the time limit that it was given
  bool stopped = false;    // ended because heddle was asked to stop (SIGINT, SIGTERM)
  std::string output;      // option quiet: the end of what it wrote to standard output and error
};

// An entry of an environment; the names are those of wire/environment.h.
std::string Assign(std::string_view variable, std::string_view value);

// Ours, or `inherited`, with `added` in place of those of the same name.
std::vector<std::string> FullEnvironment(const std::vector<std::string>& added,
                                         const std::optional<std::vector<std::string>>& inherited = {});

// For exec: ends with a null pointer; they point into `strings`.
std::vector<char*> Pointers(const std::vector<std::string>& strings);

struct ChildOptions {
  std::vector<std::string> environment;               // NAME=VALUE, added to ours
  std::string program;                                // the file; empty: the command's first word names it
  std::optional<std::vector<std::string>> inherited;  // in the place of our environment
  std::string directory;                              // to start it in; empty: ours
  bool fixed_addresses = false;                       // no address-space randomisation
  bool quiet = false;  // standard output and error are kept from the user, and their end for ChildEnd
  int output = -1;     // >= 0, with quiet: they go to this descriptor instead
  double seconds = 0;  // > 0: killed after that time (SIGTERM, then SIGKILL)
};

// A program that runs beside us. As long as one lives, SIGINT and SIGTERM are noted (interrupt.h) and passed on: we
// stay to report. What it leaves behind when it is stopped, its children and theirs, is killed too; the kernel kills it
// when heddle dies. One that still runs when the object goes is killed.
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
  Child(pid_t pid, int output, std::unique_ptr<Interrupt> interrupt);
  bool Ask();
  void ReadOutput();
  void Pause(int milliseconds);
  void Sweep();

  pid_t pid_;
  int pidfd_ = -1;
  int output_ = -1;  // read end of the program's standard output and error
  bool told_ = false;
  std::string tail_;
  std::optional<ChildEnd> end_;
  std::unique_ptr<Interrupt> interrupt_;  // older than the process: a signal at any moment is heard
  struct sigaction old_quit_{};
};

// Runs `command` and waits. An error when the program cannot be started: kNotFound or kIo.
Result<ChildEnd> RunChild(const std::vector<std::string>& command, const ChildOptions& options = {});

// The folder of libheddle_rt.so and heddle_pass.so, beside the folder of this program (bin/../lib).
Result<std::string> LibraryDir();

}  // namespace heddle::analysis
