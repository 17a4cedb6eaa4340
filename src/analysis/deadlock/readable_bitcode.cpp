#include "analysis/deadlock/readable_bitcode.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "deadlock/input/input.h"

namespace heddle::analysis {
namespace {

constexpr int kRead = 42;             // the copy came to an end, with a program or with an error of its own
constexpr rlim_t kMostSeconds = 600;  // of processor time
constexpr rlim_t kNoCore = 0;

[[noreturn]] void Try(const std::vector<std::string>& files, const std::string& main_file) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  rlimit core{kNoCore, kNoCore};
  rlimit processor{kMostSeconds, kMostSeconds};
  setrlimit(RLIMIT_CORE, &core);
  setrlimit(RLIMIT_CPU, &processor);
  Result<deadlock::Program> program = deadlock::LoadProgram(files, main_file);
  _exit(program || !program.error().message.empty() ? kRead : 0);
}

}  // namespace

Status CheckReadable(const std::vector<std::string>& files, const std::string& main_file) {
  pid_t pid = fork();
  if (pid < 0) return ErrnoError("fork", errno);
  if (pid == 0) Try(files, main_file);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRead) return {};
  return MakeError(ErrorCode::kBadInput,
                   fmt::format("{}: damaged bitcode: LLVM's reader does not survive it", fmt::join(files, ", ")));
}

}  // namespace heddle::analysis
