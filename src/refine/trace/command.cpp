#include "refine/trace/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file.h"

namespace heddle::refine {
namespace {

constexpr size_t kKeptText = 64 * 1024;

int ShellCode(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

Result<pid_t> Spawn(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t pid = 0;
  int failure = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return ErrnoError(command[0], failure);
  return pid;
}

// Reads to the end or the deadline; whether it ended.
bool Drain(int input, std::string& text, double seconds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  char buffer[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{input, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left.count())) <= 0) continue;
    ssize_t got = read(input, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return true;
    if (got > 0 && text.size() < kKeptText) text.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace

Result<CommandResult> RunCommand(const std::vector<std::string>& command, double seconds) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  Result<pid_t> pid = Spawn(command, pipe_ends[1]);
  close(pipe_ends[1]);
  if (!pid) {
    close(pipe_ends[0]);
    return pid.error();
  }
  CommandResult result;
  bool ended = Drain(pipe_ends[0], result.text, seconds);
  close(pipe_ends[0]);
  if (!ended) kill(*pid, SIGKILL);
  int status = 0;
  while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!ended) return MakeError(ErrorCode::kLimit, fmt::format("{} took longer than {} s", command[0], seconds));
  result.code = ShellCode(status);
  return result;
}

Result<ScratchFolder> ScratchFolder::Make() {
  const char* root = std::getenv("TMPDIR");
  std::string path = std::string(root == nullptr || *root == 0 ? "/tmp" : root) + "/heddle-refine-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return ErrnoError(path, errno);
  return ScratchFolder(path);
}

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)) {}
ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle::refine
