#include "stream/run/compiled.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "stream/emit/emit_cpp.h"

extern char** environ;  // NOLINT: POSIX

namespace heddle::stream {
namespace {

class CompiledMachine : public Machine {
 public:
  explicit CompiledMachine(const MonitorAbi& abi) : abi_(abi), monitor_(abi.create()) {}
  ~CompiledMachine() override { abi_.destroy(monitor_); }
  CompiledMachine(const CompiledMachine&) = delete;
  CompiledMachine& operator=(const CompiledMachine&) = delete;

  void Step(int64_t time, std::span<InputEvent> events, std::vector<OutputEvent>& outputs) override {
    auto emit = [](void* context, uint32_t output, const Value& value) {
      static_cast<std::vector<OutputEvent>*>(context)->push_back({output, value});
    };
    abi_.step(monitor_, time, events.data(), events.size(), emit, &outputs);
    const char* fault = abi_.fault(monitor_);
    if (*fault != '\0') fault_ = fault;
  }

  int64_t NextDelay() const override { return abi_.next_delay(monitor_); }

 private:
  const MonitorAbi& abi_;
  void* monitor_;
};

// A folder of our own that goes away with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* base = std::getenv("TMPDIR");
    std::string pattern = fmt::format("{}/heddle-monitor-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs a command with its messages in `log`. The exit code, or -1 when it cannot be started.
int RunCommand(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  argv.reserve(command.size());
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

Status BuildShared(const std::string& source, const std::string& target, const std::string& log, bool optimise) {
  std::vector<std::string> compilers = {"c++", "g++", "clang++"};
  if (const char* chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') compilers = {chosen};
  for (const std::string& compiler : compilers) {
    // -O1 with inlining is as fast as -O2 here and takes two thirds of its time.
    std::vector<std::string> command = {compiler, "-std=c++20",      "-fPIC",    "-shared",
                                        "-w",     "-fno-exceptions", "-fno-rtti"};
    if (optimise) command.insert(command.end(), {"-O1", "-finline-functions"});
    command.insert(command.end(), {"-o", target, source});
    int code = RunCommand(command, log);
    if (code == 0) return {};
    if (code < 0 || code == 127) continue;
    Result<std::string> messages = ReadFile(log);
    return MakeError(ErrorCode::kInternal, fmt::format("{} rejects the generated code:\n{}", compiler,
                                                       messages ? messages->substr(0, 2000) : ""));
  }
  return MakeError(ErrorCode::kUnsupported, "--compile needs a C++ compiler: install g++ or set CXX");
}

}  // namespace

Result<std::vector<std::unique_ptr<Machine>>> CompileMachines(std::span<const Program* const> programs, bool optimise) {
  TemporaryFolder folder;
  if (folder.path().empty()) return ErrnoError("temporary folder", errno);
  std::string source = folder.path() + "/monitor.cpp";
  std::string target = folder.path() + "/monitor.so";
  if (Status status = WriteFileAtomic(source, EmitCpp(programs)); !status) return status.error();
  if (Status status = BuildShared(source, target, folder.path() + "/log", optimise); !status) return status.error();
  void* library = dlopen(target.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return MakeError(ErrorCode::kInternal, fmt::format("cannot load the monitor: {}", dlerror()));
  auto get = reinterpret_cast<const MonitorAbi* (*)()>(dlsym(library, "heddle_monitors"));
  const MonitorAbi* monitors = get == nullptr ? nullptr : get();
  if (monitors == nullptr || monitors[0].version != kMonitorAbi) {
    return MakeError(ErrorCode::kInternal, "the monitor that was built does not fit this heddle");
  }
  std::vector<std::unique_ptr<Machine>> machines;
  machines.reserve(programs.size());
  for (size_t i = 0; i < programs.size(); ++i) machines.push_back(std::make_unique<CompiledMachine>(monitors[i]));
  return machines;
}

}  // namespace heddle::stream
