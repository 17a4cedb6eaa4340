// Plain ptrace. The child stops at exec; from then on each address space has a table of the bytes that its breakpoints
// replaced. A breakpoint that is hit gives its byte back and is done; another thread that stood on it just steps back.
// Libraries: the dynamic linker calls `_dl_debug_state` whenever its list of them changes, before their code runs; a
// breakpoint there, which stays, looks at the maps again. A fork copies memory and so the table; exec begins a new one.
//
// What is not all: a run that was cut, a process that a function's breakpoint could not be put into. `missing` says so,
// and whoever reads the result then takes every file as executed.
#include "analysis/coverage/executed_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "analysis/coverage/module_table.h"
#include "base/duration.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

constexpr unsigned char kTrap = 0xCC;
constexpr long kOptions =
    PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

struct Breakpoint {
  unsigned char byte = 0;                             // what stood there
  const symbolize::FunctionCode* function = nullptr;  // null: the linker's mark, which stays
  bool planted = false;
};

// The memory of one process.
struct Space {
  std::map<uint64_t, Breakpoint> breakpoints;
  std::set<std::string> seen;  // modules by path and address
};

class Tracer {
 public:
  Tracer(const ExecutedRun& run, ExecutedCode& result) : run_(run), result_(result) {}

  Status Run() {
    pid_t child = fork();
    if (child < 0) return ErrnoError("fork", errno);
    if (child == 0) BecomeProgram();
    root_ = child;
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return CannotStart(status);
    if (ptrace(PTRACE_SETOPTIONS, child, 0, kOptions) != 0) {
      Error error = MakeError(ErrorCode::kUnsupported, fmt::format("ptrace: {}", std::strerror(errno)));
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return error;
    }
    spaces_[child] = std::make_shared<Space>();
    ptrace(PTRACE_CONT, child, 0, 0);
    Follow();
    return started_ ? Status{} : CannotStart(end_status_);
  }

 private:
  [[noreturn]] void BecomeProgram() {
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd : {0, 1, 2}) dup2(nowhere, fd);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    std::vector<char*> words;
    for (const std::string& word : run_.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    _exit(127);
  }

  Status CannotStart(int status) const {
    bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    return MakeError(missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                     fmt::format("{}: cannot be started", run_.command[0]));
  }

  void Follow() {
    double deadline = MonotonicSeconds() + run_.seconds;
    while (!spaces_.empty()) {
      int status = 0;
      pid_t task = waitpid(-1, &status, __WALL | WNOHANG);
      if (task == 0) {
        if (MonotonicSeconds() > deadline) return Cut();
        timespec pause{0, 1'000'000};
        nanosleep(&pause, nullptr);
        continue;
      }
      if (task < 0) return;
      Take(task, status);
    }
  }

  void Cut() {
    result_.missing = fmt::format("it did not end in {:g} s", run_.seconds);
    for (const auto& [task, space] : spaces_) kill(task, SIGKILL);
    int status = 0;
    while (waitpid(-1, &status, __WALL) > 0) {
    }
  }

  void Take(pid_t task, int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      spaces_.erase(task);
      if (task != root_) return;
      end_status_ = status;
      result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return;
    }
    if (!WIFSTOPPED(status)) return;
    int signal = WSTOPSIG(status);
    int event = status >> 16;
    auto known = spaces_.find(task);
    if (known == spaces_.end()) {
      early_.insert(task);  // its parent's event tells what it is
      return;
    }
    if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
      TakeChild(task, event);
    } else if (event == PTRACE_EVENT_EXEC) {
      TakeExec(task);
    }
    bool ours = event != 0 || (signal == SIGTRAP && TakeTrap(task)) || (signal == SIGSTOP && fresh_.erase(task) > 0);
    ptrace(PTRACE_CONT, task, 0, ours ? 0 : signal);
  }

  void TakeChild(pid_t parent, int event) {
    unsigned long message = 0;
    ptrace(PTRACE_GETEVENTMSG, parent, 0, &message);
    auto child = static_cast<pid_t>(message);
    const std::shared_ptr<Space>& space = spaces_[parent];
    // A fork has its own copy of memory; clone is asked what it made, since it makes processes too.
    bool shares = event != PTRACE_EVENT_FORK && SharesMemory(parent, child);
    spaces_[child] = shares ? space : std::make_shared<Space>(*space);
    if (early_.erase(child) > 0) {
      ptrace(PTRACE_CONT, child, 0, 0);
    } else {
      fresh_.insert(child);
    }
  }

  // Threads are in one group; a child of vfork borrows the memory until it calls exec.
  static bool SharesMemory(pid_t parent, pid_t child) {
    auto group = [](pid_t task) {
      Result<std::string> text = ReadFile(fmt::format("/proc/{}/status", task));
      size_t at = text ? text->find("Tgid:") : std::string::npos;
      return at == std::string::npos ? 0 : std::atoi(text->c_str() + at + 5);
    };
    return group(parent) == group(child);
  }

  void TakeExec(pid_t task) {
    started_ = true;
    spaces_[task] = std::make_shared<Space>();
    Plant(task, *spaces_[task]);
  }

  // Puts breakpoints into modules that are new in this process.
  void Plant(pid_t task, Space& space) {
    for (const MappedModule& module : MappedModules(task)) {
      if (!space.seen.insert(fmt::format("{}@{}", module.path, module.bias)).second) continue;
      const ModuleTable& table = tables_.Of(module.path);
      if (table.linker_mark != 0) PlantOne(task, space, module.bias + table.linker_mark, nullptr);
      if (table.code.functions.empty()) continue;
      result_.modules.insert(module.path);
      for (const symbolize::FunctionCode& function : table.code.functions) {
        for (uint64_t start : function.starts) PlantOne(task, space, module.bias + start, &function);
      }
    }
  }

  void PlantOne(pid_t task, Space& space, uint64_t address, const symbolize::FunctionCode* function) {
    Breakpoint& point = space.breakpoints[address];
    if (point.planted) return;
    point.function = function;
    if (!ReadByte(task, address, point.byte) || !WriteByte(task, address, kTrap)) {
      space.breakpoints.erase(address);
      result_.missing = "a breakpoint could not be set";
      return;
    }
    point.planted = true;
  }

  // Whether the stop was one of ours.
  bool TakeTrap(pid_t task) {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, task, 0, &registers) != 0) return false;
    uint64_t address = registers.rip - 1;
    Space& space = *spaces_[task];
    auto found = space.breakpoints.find(address);
    if (found == space.breakpoints.end()) return false;
    Breakpoint& point = found->second;
    registers.rip = address;
    ptrace(PTRACE_SETREGS, task, 0, &registers);
    if (point.function == nullptr) {
      Plant(task, space);
      StepOver(task, address, point);
      return true;
    }
    result_.files.insert(point.function->files.begin(), point.function->files.end());
    if (point.planted && !WriteByte(task, address, point.byte)) result_.missing = "a breakpoint could not be removed";
    point.planted = false;
    return true;
  }

  void StepOver(pid_t task, uint64_t address, const Breakpoint& point) {
    WriteByte(task, address, point.byte);
    ptrace(PTRACE_SINGLESTEP, task, 0, 0);
    int status = 0;
    waitpid(task, &status, __WALL);
    WriteByte(task, address, kTrap);
  }

  static bool ReadByte(pid_t task, uint64_t address, unsigned char& byte) {
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, task, address, 0);
    if (word == -1 && errno != 0) return false;
    byte = static_cast<unsigned char>(word);
    return true;
  }

  static bool WriteByte(pid_t task, uint64_t address, unsigned char byte) {
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, task, address, 0);
    if (word == -1 && errno != 0) return false;
    auto changed = (static_cast<unsigned long>(word) & ~0xFFUL) | byte;
    return ptrace(PTRACE_POKETEXT, task, address, changed) == 0;
  }

  const ExecutedRun& run_;
  ExecutedCode& result_;
  ModuleTables tables_;
  std::map<pid_t, std::shared_ptr<Space>> spaces_;  // of every task
  std::set<pid_t> early_;                           // stopped before their parent's event came
  std::set<pid_t> fresh_;                           // whose first SIGSTOP is the kernel's
  pid_t root_ = 0;
  int end_status_ = 0;
  bool started_ = false;
};

}  // namespace

Result<ExecutedCode> FindExecutedCode(const ExecutedRun& run) {
  ExecutedCode result;
  Status ran = Tracer(run, result).Run();
  if (!ran) return ran.error();
  return result;
}

}  // namespace heddle::analysis
