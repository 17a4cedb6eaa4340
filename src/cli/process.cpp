#include "cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

bool g_timed_out = false;

// In the child, between fork and exec. Only async-signal-safe calls; `report` tells the parent why exec failed.
[[noreturn]] void BecomeProgram(char* const* arguments, char* const* environment, const ChildOptions& options,
                                int report) {
  if (options.quiet) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
  }
  if (options.fixed_addresses)
    personality(ADDR_NO_RANDOMIZE);  // refused in some containers; the analysis works without
  execvpe(arguments[0], arguments, environment);
  int error = errno;
  ssize_t ignored = write(report, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> FullEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& mine : added) replaced = replaced || mine.compare(0, name.size(), name) == 0;
    if (!replaced) all.emplace_back(text);
  }
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

ChildEnd EndOf(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

double Seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

bool ChildTimedOut() { return g_timed_out; }

Result<std::unique_ptr<Child>> Child::Start(const std::vector<std::string>& command, const ChildOptions& options) {
  std::vector<std::string> environment = FullEnvironment(options.environment);
  std::vector<char*> argument_pointers = Pointers(command);
  std::vector<char*> environment_pointers = Pointers(environment);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  pid_t pid = fork();
  if (pid < 0) return ErrnoError("fork", errno);
  if (pid == 0) {
    BecomeProgram(argument_pointers.data(), environment_pointers.data(), options, report[1]);
  }
  close(report[1]);
  std::unique_ptr<Child> child(new Child(pid));
  int error = 0;
  bool failed = read(report[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  close(report[0]);
  if (!failed) return child;
  child->Wait(0);
  return ErrnoError(command[0], error);
}

// The terminal's Ctrl-C goes to the child as well; we wait for it and then report.
Child::Child(pid_t pid) : pid_(pid) {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &old_int_);
  sigaction(SIGQUIT, &ignore, &old_quit_);
}

Child::~Child() {
  if (!end_) {
    kill(pid_, SIGKILL);
    Wait(0);
  }
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGQUIT, &old_quit_, nullptr);
}

std::optional<ChildEnd> Child::Poll(bool wait) {
  if (end_) return end_;
  int status = 0;
  pid_t done = waitpid(pid_, &status, wait ? 0 : WNOHANG);
  if (done == pid_) end_ = EndOf(status);
  if (done < 0 && errno != EINTR) end_ = ChildEnd{255, 0};
  return end_;
}

ChildEnd Child::Wait(double seconds) {
  double start = Seconds();
  bool asked = false;
  while (!Poll(seconds <= 0)) {
    if (seconds <= 0) continue;
    double gone = Seconds() - start;
    if (gone > seconds && !asked) {
      asked = g_timed_out = true;
      kill(pid_, SIGTERM);
    } else if (gone > seconds + 2) {
      kill(pid_, SIGKILL);
    }
    timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
  return *end_;
}

ChildEnd Child::Stop() {
  if (!Poll()) kill(pid_, SIGTERM);
  double start = Seconds();
  while (!Poll()) {
    if (Seconds() - start > 2) kill(pid_, SIGKILL);
    timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
  return *end_;
}

Result<ChildEnd> RunChild(const std::vector<std::string>& command, const ChildOptions& options) {
  g_timed_out = false;
  Result<std::unique_ptr<Child>> child = Child::Start(command, options);
  if (!child) return child.error();
  return (*child)->Wait(options.seconds);
}

Result<std::string> LibraryDir() {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return ErrnoError("/proc/self/exe", errno);
  std::string bin(path, static_cast<size_t>(n));
  std::string prefix = bin.substr(0, bin.rfind('/'));
  prefix = prefix.substr(0, prefix.rfind('/'));
  for (const char* folder : {"/lib", "/lib/x86_64-linux-gnu", "/lib64"}) {
    std::string candidate = prefix + folder;
    if (access((candidate + "/libheddle_rt.so").c_str(), R_OK) == 0) return candidate;
  }
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("libheddle_rt.so is not in {}/lib: the installation is incomplete", prefix));
}

int CannotRunCode(const Error& error) { return error.code == ErrorCode::kNotFound ? kExitNoProgram : kExitCannotRun; }

}  // namespace heddle::cli
