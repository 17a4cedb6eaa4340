#include "analysis/debug/inferior.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>

#include "analysis/target/process.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

constexpr unsigned char kTrap = 0xcc;
constexpr int kDebugControl = 7;
constexpr int kDebugStatus = 6;
constexpr size_t kMostWatches = 4;
// While it runs, gdb is looked at so often.
constexpr int kTickMilliseconds = 20;

[[noreturn]] void BecomeProgram(const Launch& launch, char* const* arguments, char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int input = open("/dev/null", O_RDONLY);
  int output = open(launch.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (input < 0 || output < 0) _exit(127);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close(input);
  close(output);
  setpgid(0, 0);  // the terminal's interrupt is gdb's
  personality(ADDR_NO_RANDOMIZE);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  execvpe(arguments[0], arguments, environment);
  _exit(127);
}

size_t DebugRegister(int number) {
  return offsetof(struct user, u_debugreg) + static_cast<size_t>(number) * sizeof(long);
}

bool PokeDebug(pid_t pid, int number, uint64_t value) {
  return ptrace(PTRACE_POKEUSER, pid, DebugRegister(number), value) == 0;
}

// Bits of the debug control register: local enable, kind of access, length.
uint64_t ControlBits(size_t slot, const Watch& watch) {
  uint64_t kind = watch.reads ? 3 : 1;
  uint64_t length = watch.bytes == 8 ? 2 : watch.bytes - 1;
  return (uint64_t{1} << (2 * slot)) | ((kind | length << 2U) << (16 + 4 * slot));
}

uint64_t AuxvEntry(const std::string& auxv, uint64_t type) {
  for (size_t at = 0; at + sizeof(Elf64_auxv_t) <= auxv.size(); at += sizeof(Elf64_auxv_t)) {
    Elf64_auxv_t entry;
    std::memcpy(&entry, auxv.data() + at, sizeof entry);
    if (entry.a_type == type) return entry.a_un.a_val;
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<Inferior>> Inferior::Start(const Launch& launch) {
  std::vector<std::string> environment = FullEnvironment(launch.environment);
  std::vector<char*> arguments = Pointers(launch.command);
  std::vector<char*> variables = Pointers(environment);
  pid_t pid = fork();
  if (pid < 0) return ErrnoError("fork", errno);
  if (pid == 0) BecomeProgram(launch, arguments.data(), variables.data());
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
    return MakeError(ErrorCode::kNotFound, launch.command[0] + ": the program cannot be started under a debugger");
  }
  std::unique_ptr<Inferior> inferior(new Inferior(pid));
  Status entered = inferior->RunToEntry();
  if (!entered) return entered.error();
  return inferior;
}

Inferior::Inferior(pid_t pid) : pid_(pid) {
  constexpr long kOptions = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXIT;
  ptrace(PTRACE_SETOPTIONS, pid, nullptr, kOptions);
  memory_ = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
}

Inferior::~Inferior() {
  if (memory_ >= 0) close(memory_);
  if (gone_) return;
  kill(pid_, SIGKILL);
  ptrace(PTRACE_CONT, pid_, nullptr, nullptr);  // before its end not even that signal wakes it
  // The first thread is told to have ended only when all others have; each stops once more on its way out.
  int status = 0;
  for (pid_t who = waitpid(-pid_, &status, __WALL); who > 0; who = waitpid(-pid_, &status, __WALL)) {
    if (WIFSTOPPED(status)) {
      ptrace(PTRACE_CONT, who, nullptr, nullptr);
    } else if (who == pid_) {
      return;
    }
  }
}

Status Inferior::RunToEntry() {
  uint64_t entry = AuxvEntry(Auxv(), AT_ENTRY);
  SetBreakpoints({entry});
  Stop stop = Continue();
  SetBreakpoints({});
  if (stop.kind == Stop::Kind::kBreakpoint) return {};
  return MakeError(ErrorCode::kUnsupported, "the program did not reach its entry under the debugger");
}

Stop Inferior::Continue(int signal) {
  if (inserted_.contains(Pc())) {
    Stop over = Step(signal);
    if (over.kind != Stop::Kind::kStep) return over;
    signal = 0;
    if (inserted_.contains(Pc())) return {Stop::Kind::kBreakpoint, SIGTRAP, 0};
  }
  return Resume(false, signal);
}

Stop Inferior::Step(int signal) {
  uint64_t pc = Pc();
  auto here = inserted_.find(pc);
  if (here == inserted_.end()) return Resume(true, signal);
  unsigned char original = here->second;
  Poke(pc, original, nullptr);
  Stop stop = Resume(true, signal);
  if (stop.kind != Stop::Kind::kGone) Poke(pc, kTrap, nullptr);
  return stop;
}

Stop Inferior::Resume(bool step, int signal) {
  if (gone_) return {Stop::Kind::kGone, 0, 0};
  if (ending_) return {Stop::Kind::kEnd, 0, 0};
  while (true) {
    ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, pid_, nullptr, signal);
    int status = Await(step);
    if (status == 0) {
      return {Stop::Kind::kInterrupt, SIGINT, 0};
    }
    if (std::optional<Stop> stop = Understand(status, step)) {
      PutIn();
      return *stop;
    }
    signal = 0;
  }
}

// The wait status of the first thread. Its threads are a process group of their own, so gdb, which is our child too, is
// not waited for here. 0: the caller asked to interrupt it.
int Inferior::Await(bool step) {
  bool asked = false;
  while (true) {
    int status = 0;
    bool patient = step || !interrupted_;
    pid_t who = waitpid(-pid_, &status, __WALL | (patient ? 0 : WNOHANG));
    if (who == pid_) {
      if (asked && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP) return 0;
      return status;
    }
    if (who > 0) {
      LetGo(who, status);
      continue;
    }
    if (who < 0 && errno != EINTR) {
      gone_ = true;
      return 0;
    }
    if (!asked && interrupted_ && interrupted_()) {
      asked = true;
      syscall(SYS_tgkill, pid_, pid_, SIGSTOP);
    }
    if (!patient) poll(nullptr, 0, asked ? 1 : kTickMilliseconds);
  }
}

// Another OS thread of the program, which goes on whatever happened to it; or a child that it made.
void Inferior::LetGo(pid_t other, int status) {
  if (!WIFSTOPPED(status)) return;
  int signal = WSTOPSIG(status);
  bool event = status >> 16 != 0 || signal == SIGSTOP || signal == SIGTRAP;
  ptrace(PTRACE_CONT, other, nullptr, event ? 0 : signal);
}

// A child process is a copy with our traps in it. It runs freely, without them.
void Inferior::HandleFork(pid_t child) {
  int status = 0;
  waitpid(child, &status, __WALL);
  int memory = open(("/proc/" + std::to_string(child) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  for (const auto& [address, byte] : inserted_) {
    ssize_t ignored = pwrite(memory, &byte, 1, static_cast<off_t>(address));
    (void)ignored;
  }
  if (memory >= 0) close(memory);
  ptrace(PTRACE_DETACH, child, nullptr, nullptr);
}

// What a stop of the first thread means; nothing when it simply goes on.
std::optional<Stop> Inferior::Understand(int status, bool step) {
  if (WIFEXITED(status) || WIFSIGNALED(status)) {
    gone_ = true;
    return Stop{Stop::Kind::kGone, WIFSIGNALED(status) ? WTERMSIG(status) : 0, 0};
  }
  int event = status >> 16;
  if (event == PTRACE_EVENT_EXIT) {
    ending_ = true;
    return Stop{Stop::Kind::kEnd, 0, 0};
  }
  if (event == PTRACE_EVENT_FORK) {
    unsigned long child = 0;
    ptrace(PTRACE_GETEVENTMSG, pid_, nullptr, &child);
    HandleFork(static_cast<pid_t>(child));
  }
  if (event != 0) return std::nullopt;
  int signal = WSTOPSIG(status);
  if (signal != SIGTRAP) return Stop{Stop::Kind::kSignal, signal, 0};
  return TrapStop(step);
}

Stop Inferior::TrapStop(bool step) {
  auto status = static_cast<uint64_t>(ptrace(PTRACE_PEEKUSER, pid_, DebugRegister(kDebugStatus), nullptr));
  for (size_t slot = 0; slot < watches_.size(); ++slot) {
    if ((status & (uint64_t{1} << slot)) == 0) continue;
    PokeDebug(pid_, kDebugStatus, 0);
    return {Stop::Kind::kWatch, SIGTRAP, watches_[slot].address};
  }
  siginfo_t about{};
  ptrace(PTRACE_GETSIGINFO, pid_, nullptr, &about);
  if (about.si_code != SI_KERNEL) {  // an int3 has that code; a single step has others
    if (step) return {Stop::Kind::kStep, SIGTRAP, 0};
    return {Stop::Kind::kSignal, SIGTRAP, 0};
  }
  Registers registers = GetRegisters();
  uint64_t trapped = registers.general.rip - 1;
  if (!inserted_.contains(trapped)) return {Stop::Kind::kMarker, SIGTRAP, 0};
  registers.general.rip = trapped;
  SetRegisters(registers);
  return {Stop::Kind::kBreakpoint, SIGTRAP, 0};
}

size_t Inferior::Read(uint64_t address, void* bytes, size_t count) const {
  ssize_t got = pread(memory_, bytes, count, static_cast<off_t>(address));
  if (got <= 0) return 0;
  for (auto at = inserted_.lower_bound(address);
       at != inserted_.end() && at->first < address + static_cast<uint64_t>(got); ++at) {
    static_cast<unsigned char*>(bytes)[at->first - address] = at->second;
  }
  return static_cast<size_t>(got);
}

bool Inferior::Write(uint64_t address, const void* bytes, size_t count) {
  std::string data(static_cast<const char*>(bytes), count);
  for (auto at = inserted_.lower_bound(address); at != inserted_.end() && at->first < address + count; ++at) {
    at->second = static_cast<unsigned char>(data[at->first - address]);
    data[at->first - address] = static_cast<char>(kTrap);
  }
  return pwrite(memory_, data.data(), count, static_cast<off_t>(address)) == static_cast<ssize_t>(count);
}

Registers Inferior::GetRegisters() const {
  Registers registers;
  ptrace(PTRACE_GETREGS, pid_, nullptr, &registers.general);
  ptrace(PTRACE_GETFPREGS, pid_, nullptr, &registers.floating);
  return registers;
}

bool Inferior::SetRegisters(const Registers& registers) {
  return ptrace(PTRACE_SETREGS, pid_, nullptr, &registers.general) == 0 &&
         ptrace(PTRACE_SETFPREGS, pid_, nullptr, &registers.floating) == 0;
}

uint64_t Inferior::Pc() const {
  return static_cast<uint64_t>(ptrace(PTRACE_PEEKUSER, pid_, offsetof(struct user, regs.rip), nullptr));
}

bool Inferior::Poke(uint64_t address, unsigned char byte, unsigned char* old) {
  if (old != nullptr && pread(memory_, old, 1, static_cast<off_t>(address)) != 1) return false;
  return pwrite(memory_, &byte, 1, static_cast<off_t>(address)) == 1;
}

void Inferior::PutIn() {
  if (gone_) return;
  for (uint64_t address : wanted_) {
    if (inserted_.contains(address)) continue;
    unsigned char old = 0;
    if (Poke(address, kTrap, &old)) inserted_[address] = old;
  }
}

void Inferior::SetBreakpoints(const std::set<uint64_t>& addresses) {
  for (auto at = inserted_.begin(); at != inserted_.end();) {
    if (addresses.contains(at->first)) {
      ++at;
      continue;
    }
    Poke(at->first, at->second, nullptr);
    at = inserted_.erase(at);
  }
  wanted_ = addresses;
  PutIn();
}

bool Inferior::SetWatches(const std::set<Watch>& watches) {
  if (watches.size() > kMostWatches) return false;
  watches_.assign(watches.begin(), watches.end());
  uint64_t control = 0;
  PokeDebug(pid_, kDebugControl, 0);
  for (size_t slot = 0; slot < watches_.size(); ++slot) {
    if (!PokeDebug(pid_, static_cast<int>(slot), watches_[slot].address)) return false;
    control |= ControlBits(slot, watches_[slot]);
  }
  return PokeDebug(pid_, kDebugControl, control);
}

std::optional<std::pair<std::string, uint64_t>> Inferior::FindModule(std::string_view ending) const {
  std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(ending)) continue;
    std::istringstream words(line);
    uint64_t begin = 0;
    words >> std::hex >> begin;
    return std::pair{line.substr(line.find('/')), begin};
  }
  return std::nullopt;
}

std::string Inferior::Auxv() const {
  Result<std::string> bytes = ReadFile("/proc/" + std::to_string(pid_) + "/auxv");
  return bytes ? *bytes : std::string();
}

}  // namespace heddle::analysis
