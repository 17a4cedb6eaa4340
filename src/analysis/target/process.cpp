#include "analysis/target/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analysis/target/process_tree.h"
#include "analysis/target/shared_core.h"
#include "base/duration.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

constexpr size_t kKeptOutput = 64 * 1024;

// In the child, between fork and exec. Only async-signal-safe calls; `report` tells the parent why exec failed.
[[noreturn]] void BecomeProgram(char* const* arguments, char* const* environment, const ChildOptions& options,
                                int report, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  GiveBackProcessors();
  if (getppid() != parent) _exit(127);  // it died meanwhile
  if (options.quiet) {
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
  }
  if (options.fixed_addresses)
    personality(ADDR_NO_RANDOMIZE);  // refused in some containers; the analysis works without
  bool moved = options.directory.empty() || chdir(options.directory.c_str()) == 0;
  const char* program = options.program.empty() ? arguments[0] : options.program.c_str();
  if (moved) execvpe(program, arguments, environment);
  int error = errno;
  ssize_t ignored = write(report, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

ChildEnd EndOf(int status) {
  ChildEnd end;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  return end;
}

}  // namespace

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> FullEnvironment(const std::vector<std::string>& added,
                                         const std::optional<std::vector<std::string>>& inherited) {
  std::vector<std::string> all;
  std::vector<std::string_view> ours;
  for (char** entry = environ; *entry != nullptr && !inherited; ++entry) ours.emplace_back(*entry);
  if (inherited) ours.assign(inherited->begin(), inherited->end());
  for (std::string_view text : ours) {
    std::string_view name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& mine : added) replaced = replaced || mine.compare(0, name.size(), name) == 0;
    if (!replaced) all.emplace_back(text);
  }
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

std::string Assign(std::string_view variable, std::string_view value) { return fmt::format("{}={}", variable, value); }

Result<std::unique_ptr<Child>> Child::Start(const std::vector<std::string>& command, const ChildOptions& options) {
  std::vector<std::string> environment = FullEnvironment(options.environment, options.inherited);
  std::vector<char*> argument_pointers = Pointers(command);
  std::vector<char*> environment_pointers = Pointers(environment);
  int report[2];
  int output[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  bool keeps = options.quiet && options.output < 0;
  if (keeps && pipe2(output, O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  AdoptOrphans();
  auto interrupt = std::make_unique<Interrupt>();
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0) return ErrnoError("fork", errno);
  if (pid == 0) {
    interrupt->GiveBack();
    BecomeProgram(argument_pointers.data(), environment_pointers.data(), options, report[1],
                  keeps ? output[1] : options.output, parent);
  }
  close(report[1]);
  if (output[1] >= 0) close(output[1]);
  std::unique_ptr<Child> child(new Child(pid, output[0], std::move(interrupt)));
  int error = 0;
  bool failed = read(report[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  close(report[0]);
  if (!failed) return child;
  child->Wait(0);
  return ErrnoError(command[0], error);
}

Child::Child(pid_t pid, int output, std::unique_ptr<Interrupt> interrupt)
    : pid_(pid), output_(output), interrupt_(std::move(interrupt)) {
  NoteChild(pid);
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (output_ >= 0) fcntl(output_, F_SETFL, O_NONBLOCK);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGQUIT, &ignore, &old_quit_);  // the terminal sends it to the child as well
}

Child::~Child() {
  if (!end_) {
    KillTree(pid_);
    Wait(0);
    Sweep();
  }
  ForgetChild(pid_);
  if (pidfd_ >= 0) close(pidfd_);
  if (output_ >= 0) close(output_);
  sigaction(SIGQUIT, &old_quit_, nullptr);
}

void Child::ReadOutput() {
  char buffer[16384];
  while (output_ >= 0) {
    ssize_t n = read(output_, buffer, sizeof buffer);
    if (n <= 0) return;
    tail_.append(buffer, static_cast<size_t>(n));
    if (tail_.size() > 2 * kKeptOutput) tail_.erase(0, tail_.size() - kKeptOutput);
  }
}

// Until the program ends, writes, or a signal comes; at most so long.
void Child::Pause(int milliseconds) {
  pollfd waits[2] = {{pidfd_, POLLIN, 0}, {output_, POLLIN, 0}};
  if (pidfd_ < 0) milliseconds = 2;
  poll(waits, 2, milliseconds);
  // A program that closed its output would make poll return at once, again and again.
  bool closed = (waits[1].revents & POLLHUP) != 0;
  ReadOutput();
  if (!closed) return;
  close(output_);
  output_ = -1;
}

std::optional<ChildEnd> Child::Poll(bool wait) {
  while (!end_) {
    int status = 0;
    pid_t done = waitpid(pid_, &status, WNOHANG);
    if (done == pid_) end_ = EndOf(status);
    if (done < 0 && errno != EINTR) {
      end_.emplace();
      end_->code = 255;
    }
    if (!wait || end_) break;
    Pause(1000);
  }
  if (end_ && output_ >= 0) {
    ReadOutput();
    end_->output = tail_;
  }
  return end_;
}

// Passes a signal on that heddle got; whether one came. What comes from the terminal reaches the program by itself.
bool Child::Ask() {
  bool from_terminal = false;
  int number = Interrupt::Signal(&from_terminal);
  if (number == 0) return false;
  if (!told_ && !from_terminal) kill(pid_, number);
  told_ = true;
  return true;
}

// What a program that was stopped leaves behind.
void Child::Sweep() { KillOrphans(); }

ChildEnd Child::Wait(double seconds) {
  constexpr double kGrace = 2;  // an interrupt at the terminal gives as much as the user does: the second one ends it
  bool from_terminal = false;
  double start = MonotonicSeconds();
  double told_at = 0;
  bool timed_out = false;
  bool stopped = false;
  while (!Poll()) {
    double now = MonotonicSeconds();
    bool late = seconds > 0 && now - start > seconds;
    if (late && !timed_out && !stopped) {
      timed_out = true;
      told_at = now;
      kill(pid_, SIGTERM);
    }
    if (!stopped && !timed_out && Ask()) {
      stopped = true;
      told_at = now;
    }
    Interrupt::Signal(&from_terminal);
    if ((timed_out || (stopped && !from_terminal)) && now - told_at > kGrace) KillTree(pid_);
    Pause(timed_out || stopped ? 5 : seconds > 0 ? 20 : 1000);
  }
  if (timed_out || stopped) Sweep();
  end_->timed_out = timed_out;
  end_->stopped = stopped;
  end_->output = tail_;
  return *end_;
}

ChildEnd Child::Stop() {
  if (!Poll()) kill(pid_, SIGTERM);
  double start = MonotonicSeconds();
  while (!Poll()) {
    if (MonotonicSeconds() - start > 2) KillTree(pid_);
    Pause(5);
  }
  Sweep();
  return *end_;
}

Result<ChildEnd> RunChild(const std::vector<std::string>& command, const ChildOptions& options) {
  Result<std::unique_ptr<Child>> child = Child::Start(command, options);
  if (!child) return child.error();
  ChildEnd end = (*child)->Wait(options.seconds);
  if (options.quiet) KillOrphans();  // nobody asked for more than this run
  return end;
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

}  // namespace heddle::analysis
