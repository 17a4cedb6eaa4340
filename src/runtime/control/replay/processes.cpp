#include "runtime/control/replay/processes.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/image.h"
#include "runtime/control/replay/open_files.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/replay/variables.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/output/at_finding.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "wire/environment.h"
#include "wire/process_format.h"

namespace heddle::rt::control {
namespace {

using wire::ProcessAbout;
using wire::ProcessBegan;
using wire::ProcessEnded;

enum class Stream : uint8_t { None, Record, Play };
Stream g_stream = Stream::None;
char* g_owner = nullptr;  // the digits in the environment
bool g_executed = false;
bool g_own_folder = false;        // not the run's
char g_run[PATH_MAX] = "";        // folder of the run
char g_folder[PATH_MAX] = "";     // of this process
ProcessAbout* g_about = nullptr;  // Record
ProcessAbout* g_first = nullptr;  // Record: of process 1
uint64_t g_fork_step = 0;
bool g_shared_mapping = false;
int* g_child = nullptr;  // Play, on the way: the child's id, in shared memory
bool g_follows = false;  // Play, at a fork: the child has a stream
uint64_t g_until = 0;    // of the process that is asked for

bool IsSet(const char* text) { return text != nullptr && *text != '\0'; }

// DIRECTORY NAME, false when it is too long.
bool Join(char (&to)[PATH_MAX], const char* directory, const char* name) {
  int length = snprintf(to, sizeof to, "%s%s", directory, name);
  return length > 0 && static_cast<size_t>(length) < sizeof to;
}

bool FolderOf(const char* path, char (&to)[PATH_MAX]) {
  const char* end = strrchr(path, '/');
  auto bytes = end == nullptr ? 0 : static_cast<size_t>(end - path);
  if (bytes == 0 || bytes >= sizeof to) return false;
  memcpy(to, path, bytes);
  to[bytes] = '\0';
  return true;
}

uint32_t OwnerNumber() {
  uint32_t number = 0;
  for (int i = 0; i < wire::kOwnerDigits && g_owner[i] >= '0' && g_owner[i] <= '9'; ++i) {
    number = number * 10 + static_cast<uint32_t>(g_owner[i] - '0');
  }
  return number;
}

void SetOwner(uint32_t number) {
  if (g_owner == nullptr || strlen(g_owner) != wire::kOwnerDigits) return;
  for (int i = wire::kOwnerDigits - 1; i >= 0; --i, number /= 10) g_owner[i] = static_cast<char>('0' + number % 10);
}

ProcessAbout* MapAbout(const char* folder, int flags) {
  char path[PATH_MAX];
  if (!Join(path, folder, wire::kAboutName)) return nullptr;
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | flags, 0600);
  if (fd < 0) return nullptr;
  bool sized = flags == 0 || Sys(SYS_ftruncate, fd, wire::kAboutBytes) == 0;
  constexpr uint64_t kBytes = wire::kAboutBytes;
  long at = sized ? Sys(SYS_mmap, PageHint(kBytes), kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L) : -1;
  Sys(SYS_close, fd);
  return at == -1 ? nullptr : reinterpret_cast<ProcessAbout*>(at);  // NOLINT: the kernel's number
}

bool ProcessFolder(uint32_t number, char (&to)[PATH_MAX]) {
  int length = snprintf(to, sizeof to, "%s%s%u", g_run, wire::kProcessPart, number);
  return length > 0 && static_cast<size_t>(length) < sizeof to;
}

// Its folder and `about`. False, with a message, when they cannot be made: then it is not recorded.
bool MakeProcess(uint32_t number, uint32_t parent, ProcessBegan began) {
  char folder[PATH_MAX];
  ProcessAbout* about = nullptr;
  if (ProcessFolder(number, folder) && Sys(SYS_mkdir, folder, 0700) == 0) about = MapAbout(folder, O_CREAT | O_EXCL);
  if (about == nullptr) return false;
  memcpy(g_folder, folder, sizeof g_folder);
  memcpy(about->magic, wire::kProcessMagic, sizeof about->magic);
  about->number = number;
  about->parent = parent;
  about->step = began == ProcessBegan::kFork ? g_fork_step : 0;
  about->began = began;
  about->id = static_cast<int32_t>(Sys(SYS_getpid));
  g_about = about;
  SetOwner(number);
  return true;
}

// The next number.
bool JoinRecording(uint32_t parent, ProcessBegan began) {
  uint32_t number = __atomic_add_fetch(&g_first->last, 1, __ATOMIC_RELAXED);
  if (g_options.ring == 0 && MakeProcess(number, parent, began)) return true;
  __atomic_add_fetch(&g_first->unrecorded, 1, __ATOMIC_RELAXED);
  if (g_options.ring == 0) Message("record: a process cannot be recorded: no place for its files in ", g_run);
  return false;
}

void FindRecording(const char* calls) {
  if (!FolderOf(calls, g_run)) return;
  uint32_t parent = g_owner == nullptr ? 0 : OwnerNumber();
  if (!g_executed && MakeProcess(1, 0, ProcessBegan::kStart)) {
    g_first = g_about;
    g_first->last = 1;
    g_stream = Stream::Record;
    return;
  }
  char folder[PATH_MAX];
  if (ProcessFolder(1, folder)) g_first = MapAbout(folder, 0);
  if (g_first == nullptr) return;
  g_executed = true;  // a program that is not recorded started several that are
  g_own_folder = JoinRecording(parent, parent == 0 ? ProcessBegan::kStart : ProcessBegan::kExec);
  if (g_own_folder) g_stream = Stream::Record;
}

bool IsHere() {
  char path[PATH_MAX];
  return Join(path, g_folder, wire::kHereName) && Sys(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

void FindReplay(const char* calls) {
  if (g_executed || !FolderOf(calls, g_run)) return;
  memcpy(g_folder, g_run, sizeof g_folder);
  g_stream = Stream::Play;
  g_until = g_options.until;
  if (IsOnTheWay()) g_options.until = 0;
}

void CopyText(const char* from, const char* name) {
  char to[PATH_MAX];
  char buffer[4096];
  if (!Join(to, g_folder, name)) return;
  long in = Sys(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC);
  long out = Sys(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  for (long n = 1; in >= 0 && out >= 0 && n > 0;) {
    n = Sys(SYS_read, in, buffer, sizeof buffer);
    if (n > 0) Sys(SYS_write, out, buffer, n);
  }
  if (in >= 0) Sys(SYS_close, in);
  if (out >= 0) Sys(SYS_close, out);
}

void WriteFile(const char* name, const void* data, size_t bytes) {
  char to[PATH_MAX];
  if (!Join(to, g_folder, name)) return;
  long out = Sys(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) return;
  Sys(SYS_write, out, data, bytes);
  Sys(SYS_close, out);
}

void WriteProgram() {
  char text[2 * PATH_MAX];
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));  // NOLINT: the kernel's number
  int used = snprintf(text, PATH_MAX, "%s", name == nullptr ? "" : name) + 1;
  if (used >= PATH_MAX) return;
  long folder = Sys(SYS_getcwd, text + used, PATH_MAX);
  WriteFile(wire::kProgramName, text, static_cast<size_t>(used + (folder > 0 ? folder : 0)));
}

void WriteDescriptors() {
  int own[] = {DemoDescriptor(), StepLogDescriptor(), FindingsDescriptor()};
  if (!MakeWork()) return;
  DescribeDescriptors(Work(), own, sizeof own / sizeof *own);
  WriteFile(wire::kDescriptorsName, Work()->descriptors, Work()->header.descriptor_bytes);
  EndWork();
}

// Files that the others changed since the recording began have to be recorded, whoever reads them.
void UseBeginningOfFirst() {
  char folder[PATH_MAX];
  char path[PATH_MAX];
  struct stat about{};
  if (!ProcessFolder(1, folder) || !Join(path, folder, wire::kArgumentsName)) return;
  if (Sys(SYS_newfstatat, AT_FDCWD, path, &about, 0) == 0) BeganAt(about.st_ctim);
}

// Play: heddle waits for those that follow their streams. 0: one is about to begin; -1: it does so no more.
void TellId(const char* folder, int id) {
  char path[PATH_MAX];
  char text[16];
  if (!Join(path, folder, wire::kIdName)) return;
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  int bytes = snprintf(text, sizeof text, "%d", id);
  Sys(SYS_write, fd, text, bytes);
  Sys(SYS_close, fd);
}

// As the child ended.
[[noreturn]] void EndAs(int status) {
  if (WIFSIGNALED(status)) {
    rlimit no_core{0, 0};
    Sys(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, nullptr);
    struct {
      uint64_t handler, flags, restorer, mask;
    } plain{};
    Sys(SYS_rt_sigaction, WTERMSIG(status), &plain, nullptr, sizeof plain.mask);
    uint64_t all = ~uint64_t{0};
    Sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &all, nullptr, sizeof all);
    Sys(SYS_kill, Sys(SYS_getpid), WTERMSIG(status));
  }
  Sys(SYS_exit_group, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  __builtin_unreachable();
}

// How the child that was just made ends; it says who it is by `g_child`.
int AwaitChild() {
  int status = 0;
  int child = 0;
  constexpr long kLook = WEXITED | WNOHANG | WNOWAIT;
  while ((child = __atomic_load_n(g_child, __ATOMIC_ACQUIRE)) == 0) {
    if (Sys(SYS_waitid, P_ALL, 0, nullptr, kLook, nullptr) < 0 && errno == ECHILD)
      Sys(SYS_exit_group, 3);  // none was made
    Sys(SYS_sched_yield);
  }
  while (Sys(SYS_wait4, child, &status, 0, nullptr) < 0 && errno == EINTR) {
  }
  return status;
}

// A word that parent and child share.
bool ShareWord() {
  constexpr uint64_t kBytes = 4096;
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS;
  long at = g_child != nullptr ? 0 : Sys(SYS_mmap, PageHint(kBytes), kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0L);
  if (at == -1) return false;
  if (g_child == nullptr) g_child = reinterpret_cast<int*>(at);  // NOLINT: the kernel's number
  *g_child = 0;
  return true;
}

void BecomeRecordedChild() {
  char calls[PATH_MAX];
  char steps[PATH_MAX];
  if (!Join(calls, g_folder, wire::kStreamCallsName) || !Join(steps, g_folder, wire::kStreamStepsName)) return;
  MoveDemo(calls);
  MoveStepLog(steps);
}

// The steps and calls of the child's own stream, from its first one on: the fork itself.
void BecomeFollower(ControlThread* self) {
  char calls[PATH_MAX];
  char steps[PATH_MAX];
  char schedule[PATH_MAX];
  if (!Join(calls, g_folder, wire::kStreamCallsName) || !Join(steps, g_folder, wire::kStreamStepsName) ||
      !Join(schedule, g_folder, wire::kStreamScheduleName) || !StartReplay(schedule) || !PlayStream(calls)) {
    Sys(SYS_exit_group, 3);
  }
  MoveStepLog(steps);
  self->demo_at = self->signal_at = 0;
  self->name = NameInSchedule(self->id);
  g_strategy->Named(self->slot, self->name);
  if (OneProcess()) heddle_at_fork(0);
  if (IsOnTheWay()) return;
  g_options.until = OneProcess() ? g_until : EndsWithProcess() ? 0 : ScheduleSteps() + 1;
}

}  // namespace

void FindProcess() {
  g_owner = getenv(wire::variable::kOwner);
  if (g_owner != nullptr && *g_owner == '\0') g_owner = nullptr;
  if (g_owner != nullptr) g_executed = OwnerNumber() != 0;
  const char* out = getenv(wire::variable::kDemoOut);
  const char* in = getenv(wire::variable::kDemoIn);
  KeepVariables();
  if (IsSet(out)) {
    FindRecording(out);
  } else if (IsSet(in)) {
    FindReplay(in);
  }
  if (g_owner != nullptr && OwnerNumber() == 0) SetOwner(1);
}

bool IsExecuted() { return g_executed; }
bool HasStream() { return g_stream != Stream::None; }

const char* StreamPath(const char* variable) {
  const char* path = Variable(variable);
  if (!IsSet(path)) return nullptr;
  const char* name = strrchr(path, '/');
  char own[PATH_MAX];
  return g_own_folder && name != nullptr && Join(own, g_folder, name) ? strdup(own) : strdup(path);
}

void DescribeProcess() {
  if (g_stream != Stream::Record || g_about == nullptr || g_about->began == ProcessBegan::kFork) return;
  WriteProgram();
  CopyText("/proc/self/cmdline", wire::kArgumentsName);
  CopyText("/proc/self/environ", wire::kEnvironmentName);
  if (!g_own_folder) return;
  WriteDescriptors();
  UseBeginningOfFirst();
}

void MakeInherited() {
  char path[PATH_MAX];
  if (g_stream != Stream::Play || !Join(path, g_folder, wire::kDescriptorsName)) return;
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  long high = Sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high >= 0 && MakeWork()) {
    long bytes = Sys(SYS_read, high, Work()->descriptors, kDescriptorBytes);
    Sys(SYS_close, fd);
    fd = high;
    if (bytes > 0) Work()->header.descriptor_bytes = static_cast<uint64_t>(bytes);
    MakeDescriptors(Work());
    EndWork();
  }
  Sys(SYS_close, fd);
}

bool OneProcess() { return g_stream == Stream::Play && g_options.process; }
bool IsOnTheWay() { return OneProcess() && !IsHere(); }

void NoteForkStep() {
  g_fork_step = g_steps;
  if (g_stream == Stream::Record && g_shared_mapping)
    NoteUnfollowedCall("memory that processes share (MAP_SHARED, fork)");
  if (g_stream == Stream::Record) __atomic_add_fetch(&g_first->beginning, 1, __ATOMIC_RELAXED);
  if (g_stream != Stream::Play) return;
  if (IsOnTheWay() && !ShareWord()) Sys(SYS_exit_group, 3);
  char below[64];
  char path[PATH_MAX];
  char schedule[PATH_MAX];
  snprintf(below, sizeof below, "%s%lu", wire::kForkPart, static_cast<unsigned long>(g_fork_step));
  g_follows = Join(path, g_folder, below) && Join(schedule, path, wire::kStreamScheduleName) &&
              Sys(SYS_faccessat, AT_FDCWD, schedule, F_OK) == 0;
  if (g_follows) TellId(path, 0);  // it begins
  if (g_follows && OneProcess()) heddle_at_fork(1);
}

static void TellParent() {
  if (g_child != nullptr) __atomic_store_n(g_child, static_cast<int>(Sys(SYS_getpid)), __ATOMIC_RELEASE);
  g_child = nullptr;
}

void ForkedChild() {
  if (g_stream == Stream::Record) {
    uint32_t parent = g_about->number;
    g_about = nullptr;
    if (!JoinRecording(parent, ProcessBegan::kFork)) g_stream = Stream::None;
    __atomic_sub_fetch(&g_first->beginning, 1, __ATOMIC_RELEASE);
    g_own_folder = true;
  } else if (g_follows) {
    TellParent();
    size_t at = strlen(g_folder);
    snprintf(g_folder + at, sizeof g_folder - at, "%s%lu", wire::kForkPart, static_cast<unsigned long>(g_fork_step));
    TellId(g_folder, static_cast<int>(Sys(SYS_getpid)));
  } else if (OneProcess()) {
    TellParent();
    Sys(SYS_exit_group, 0);
  } else {
    g_stream = Stream::None;
  }
  char findings[PATH_MAX];
  if (g_stream != Stream::None && Join(findings, g_folder, wire::kStreamFindingsName)) PlaceFindings(findings);
}

void ForkedChildGoesOn(ControlThread* self) {
  if (g_stream == Stream::Record) {
    BecomeRecordedChild();
  } else if (g_stream == Stream::Play && self != nullptr) {
    BecomeFollower(self);
  } else {
    ForgetDemo();
    LeaveSchedule();
    RestartStepLog();
  }
  if (g_stream != Stream::None) g_steps = 0;
}

void ForkedParentGoesOn() {
  if (!IsOnTheWay()) return;
  int status = AwaitChild();
  if (g_follows) EndAs(status);
}

void ForgetProcess() {
  g_stream = Stream::None;
  g_about = g_first = nullptr;
}

void ForkFailed() {
  if (g_stream == Stream::Record) __atomic_sub_fetch(&g_first->beginning, 1, __ATOMIC_RELAXED);
}

void NoteProcessEnd(int code) {
  if (g_about == nullptr) return;
  g_about->code = code;
  g_about->ended = ProcessEnded::kExit;
}

void NoteProcessExec(bool executes) {
  if (g_stream == Stream::Play) TellId(g_folder, executes ? -1 : static_cast<int>(Sys(SYS_getpid)));
  if (g_about != nullptr) g_about->ended = executes ? ProcessEnded::kExec : ProcessEnded::kNot;
}

void EndAsExecuted() {
  AppendFindingsLine(FindingLine::kEnd);
  Sys(SYS_exit_group, 0);
  __builtin_unreachable();
}

void NoteSharedMapping() { g_shared_mapping = true; }

void NoteUnfollowedCall(const char* call) {
  if (g_about == nullptr || strstr(g_about->unfollowed, call) != nullptr) return;
  size_t used = strlen(g_about->unfollowed);
  snprintf(g_about->unfollowed + used, sizeof g_about->unfollowed - used, "%s%s", used == 0 ? "" : "; ", call);
}

}  // namespace heddle::rt::control
