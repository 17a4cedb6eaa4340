#include "runtime/control/replay/checkpoint.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/control/carrier/fiber_switch.h"
#include "runtime/control/replay/debug_view.h"
#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/image.h"
#include "runtime/control/replay/open_files.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/report/bare_findings.h"
#include "runtime/control/search/restart_point.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/start.h"
#include "runtime/control/turn/watchdog.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/output/findings_file.h"
#include "runtime/output/process_text.h"
#include "runtime/raw_syscall.h"
#include "wire/environment.h"

namespace heddle::rt::control {

uint64_t g_consider_at = UINT64_MAX;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kLookEvery = 256;                  // steps
constexpr uint64_t kAwaitOthers = 20 * kMillisecond;  // those that compute
constexpr int kTellAfter = 40;                        // attempts without success

const char* g_steps_path = nullptr;
const char* g_calls_path = nullptr;
uint64_t g_segment = 0;
uint64_t g_segment_step = 0;   // at its beginning
uint64_t g_segment_began = 0;  // real time
uint64_t g_not_before = 0;
int g_failed = 0;   // attempts in a row
long g_writer = 0;  // the copy that writes
RestartPoint g_point;
volatile uint64_t g_told = 0;  // in a process that took the image up

uint64_t Interval() { return static_cast<uint64_t>(g_options.every) * kMillisecond; }

bool IsDue(uint64_t now) {
  if (g_options.every_steps != 0) return g_steps - g_segment_step >= g_options.every_steps;
  uint64_t bytes = DemoBytes() + (g_steps - g_segment_step) * sizeof(uint64_t) / 4;  // a step packs to about two
  return now - g_segment_began >= Interval() || bytes >= g_options.ring / 2;
}

// How many OS threads this process has.
uint32_t CountTasks() {
  auto folder = static_cast<int>(Sys(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat about{};
  bool known = folder >= 0 && Sys(SYS_fstat, folder, &about) == 0;
  if (folder >= 0) Sys(SYS_close, folder);
  return known ? static_cast<uint32_t>(about.st_nlink) - 2 : 0;  // a folder for each
}

// Null when every other thread stands, else why a copy would not be whole.
const char* WhyNotNow(const ControlThread* self) {
  const char* why = nullptr;
  bool main_lives = false;
  uint32_t live = 0;
  ForEachLive([&](const ControlThread* thread) {
    ++live;
    if (thread->number == 0) main_lives = true;
    if (thread->has_signal.load() || thread->sent_count != 0) why = "a signal waits for its handler";
    if (thread->away) why = "a thread is inside a call that blocks";
    if (thread != self && !g_on_fibers && thread->fiber.parked.load() == 0)
      why = "a thread computes, or is inside a call that blocks";
  });
  if (!main_lives) return "the main thread has ended";
  if (why == nullptr && CountTasks() != live + (WatchdogRuns() ? 1 : 0)) {
    why = "there are threads that heddle does not know, or that are about to end";
  }
  return why;
}

// Threads that sleep do not come back while this lives.
class Freeze {
 public:
  Freeze() { heddle_freeze.store(1); }
  ~Freeze() {
    heddle_freeze.store(0);
    Sys(SYS_futex, &heddle_freeze, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  Freeze(const Freeze&) = delete;
  Freeze& operator=(const Freeze&) = delete;
};

const char* AwaitAll(const ControlThread* self) {
  uint64_t end = RealNow() + kAwaitOthers;
  const char* why = WhyNotNow(self);
  while (why != nullptr && !g_on_fibers && RealNow() < end) {
    timespec pause{0, 50'000};
    Sys(SYS_nanosleep, &pause, nullptr);
    why = WhyNotNow(self);
  }
  return why;
}

void SegmentPath(char* to, const char* path, const char* part, uint64_t number) {
  snprintf(to, PATH_MAX, "%s%s%lu", path, part, static_cast<unsigned long>(number));
}

uint64_t FileBytes(const char* path) {
  struct stat about{};
  return Sys(SYS_newfstatat, AT_FDCWD, path, &about, 0) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

// The three files of a segment: bytes, or removed.
uint64_t ForSegment(uint64_t number, bool remove) {
  uint64_t bytes = 0;
  const char* const files[][2] = {
      {g_steps_path, wire::kRingPart}, {g_calls_path, wire::kRingPart}, {g_calls_path, wire::kImagePart}};
  for (const auto& file : files) {
    char path[PATH_MAX];
    if (number == 0) {
      if (file[1] == wire::kImagePart) continue;
      snprintf(path, sizeof path, "%s", file[0]);
    } else {
      SegmentPath(path, file[0], file[1], number);
    }
    if (remove) {
      Sys(SYS_unlink, path);
    } else {
      bytes += FileBytes(path);
    }
  }
  return bytes;
}

bool HasImage(uint64_t number) {
  char path[PATH_MAX];
  SegmentPath(path, g_calls_path, wire::kImagePart, number);
  return number == 0 || FileBytes(path) != 0;
}

// Behind the image `newest`: the oldest go, as long as there is too much. One whole interval stays.
void TrimRing(uint64_t newest) {
  uint64_t kept = newest - 1;
  while (kept > 0 && !HasImage(kept)) --kept;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i <= newest; ++i) bytes += ForSegment(i, false);
  for (uint64_t i = 0; i < kept && bytes > g_options.ring; ++i) {
    uint64_t own = ForSegment(i, false);
    bytes -= own;
    if (own != 0) ForSegment(i, true);
    // Without this image's segment the ones up to the next image cannot be used.
    while (i + 1 < kept && !HasImage(i + 1)) {
      bytes -= ForSegment(++i, false);
      ForSegment(i, true);
    }
  }
}

// Folder of the recording's files: mappings of these are the runtime's.
void OwnFolder(char* to) {
  snprintf(to, PATH_MAX, "%s", g_calls_path);
  if (char* end = strrchr(to, '/'); end != nullptr) end[1] = '\0';
}

// In the copy.
[[noreturn]] void WriteCheckpoint(int fd, const char* unfinished, const char* path, uint64_t number) {
  ImageWork* work = Work();
  Sys(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &work->header.mask, sizeof(uint64_t));
  uint64_t all = ~uint64_t{0};
  Sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all);
  if (g_options.every_steps == 0) Sys(SYS_setpriority, PRIO_PROCESS, 0, 10);  // else it is waited for
  // Ports and pipes must not stay open because of this copy.
  Sys(SYS_close_range, 0, fd - 1, 0);
  Sys(SYS_close_range, fd + 1, UINT_MAX, 0);
  work->header.steps = g_steps;
  work->header.told = reinterpret_cast<uint64_t>(&g_told);
  memcpy(work->header.point, &g_point, sizeof g_point);
  work->header.fs = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
  work->header.first_fs = Self()->number == 0 ? work->header.fs : ThreadOfNumber(0)->fiber.fs;
  const char* why = WriteImage(work, fd);
  if (why == nullptr && Sys(SYS_rename, unfinished, path) == 0) {
    TrimRing(number);
  } else {
    Sys(SYS_unlink, unfinished);
  }
  Sys(SYS_exit_group, why == nullptr ? 0 : 1);
  __builtin_unreachable();
}

// What a copy would share with the program that goes on: places in files, shared memory. Null, or why not.
const char* PrepareCopy(int fd) {
  if (!MakeWork()) return "no memory";
  const int own[] = {fd, StepLogDescriptor(), DemoDescriptor(), FindingsDescriptor()};
  DescribeDescriptors(Work(), own, sizeof own / sizeof *own);
  char folder[PATH_MAX];
  OwnFolder(folder);
  const char* why = KeepShared(Work(), folder);
  if (why != nullptr) EndWork();
  return why;
}

constexpr long kTakenUp = -2;

// The copy's number, -1 when the kernel refuses; kTakenUp when this is the process that took the image up.
__attribute__((noinline)) long Copy(int fd, const char* unfinished, const char* path, uint64_t number) {
  heddle_mark(&g_point);
  if (g_told != 0) return kTakenUp;
  // No signal tells the program of its end.
  long copy = Sys(SYS_clone, 0, 0, 0, 0, 0);
  if (copy == 0) WriteCheckpoint(fd, unfinished, path, number);
  return copy;
}

bool WriterIsDone() {
  if (g_writer == 0) return true;
  KeepErrno keep;
  int status = 0;
  // By steps, it must not depend on how fast the disk is where checkpoints lie.
  int how = g_options.every_steps != 0 ? 0 : WNOHANG;
  if (Sys(SYS_wait4, g_writer, &status, how | __WCLONE, nullptr) == 0) return false;
  g_writer = 0;
  if (status != 0) Message("record: a checkpoint could not be written: the disk is full?");
  return true;
}

void BeginSegment() {
  g_segment_step = g_steps;
  g_segment_began = RealNow();
  g_failed = 0;
}

// This process took the image up: from here on it is a replay.
void GoOn(ControlThread* self) {
  const ImageWork* work = Work();
  g_consider_at = UINT64_MAX;
  g_writer = 0;
  heddle_freeze.store(0);
  g_lock.Unlock();
  IsCopy();
  ForgetWatchdog();
  g_options = Options{};
  ParseOptions(work->options);
  heddle_debug_view.stop_step = work->stop_step;
  auto own_thread = static_cast<int>(Sys(SYS_gettid));
  ForEachLive([&](ControlThread* thread) {
    thread->pooled = thread->number != 0;
    thread->os_id = own_thread;
    thread->demo_at = thread->signal_at = 0;
    if (thread != self) thread->grant.store(kNone);
  });
  MoveBareFindings(work->findings);
  ReplayFiles files{work->steps, work->schedule, work->calls};
  if (!BecomeReplay(self, files)) Sys(SYS_exit_group, 5);
  ForEachLive([](const ControlThread* thread) { WriteThreadText(thread->thread); });
  Sys(SYS_chdir, work->header.folder);
  MakeDescriptors(work);
  if (g_live > 1) StartWatchdog();
}

// Null, or why there is no checkpoint now.
const char* TakeCheckpoint(ControlThread* self) {
  if (!WriterIsDone()) return "the last one is still being written";
  Freeze freeze;
  if (const char* why = AwaitAll(self); why != nullptr) return why;
  char path[PATH_MAX];
  char unfinished[PATH_MAX + 8];
  uint64_t number = g_segment + 1;
  SegmentPath(path, g_calls_path, wire::kImagePart, number);
  snprintf(unfinished, sizeof unfinished, "%s%s", path, wire::kUnfinishedPart);
  auto fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, unfinished, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd < 0) return "its file cannot be created";
  // Whoever looks for the image waits for this lock, which the copy shares.
  Sys(SYS_flock, fd, LOCK_EX);
  if (const char* why = PrepareCopy(fd); why != nullptr) {
    Sys(SYS_unlink, unfinished);
    Sys(SYS_close, fd);
    return why;
  }
  g_lock.Lock();
  long copy = Copy(fd, unfinished, path, number);
  if (copy == kTakenUp) {
    GoOn(self);
    return nullptr;
  }
  g_lock.Unlock();
  EndWork();
  Sys(SYS_close, fd);
  if (copy < 0) return "the process cannot be copied";
  g_writer = copy;
  g_segment = number;
  char next[PATH_MAX];
  SegmentPath(next, g_steps_path, wire::kRingPart, number);
  bool rotated = MoveStepLog(next);
  SegmentPath(next, g_calls_path, wire::kRingPart, number);
  if (!MoveDemo(next) || !rotated) g_consider_at = UINT64_MAX;  // said there: the recording ends here
  BeginSegment();
  return nullptr;
}

}  // namespace

void StartRing(const char* steps, const char* calls) {
  if (g_options.ring == 0) return;
  g_steps_path = steps;
  g_calls_path = calls;
  g_consider_at = 1;
  BeginSegment();
}

void ForgetRing() { g_consider_at = UINT64_MAX; }

void ConsiderCheckpoint(ControlThread* self) {
  KeepErrno keep;
  g_consider_at = g_steps + (g_options.every_steps != 0 ? 1 : kLookEvery);
  uint64_t now = RealNow();
  if (!IsDue(now) || now < g_not_before) return;
  const char* why = TakeCheckpoint(self);
  if (why == nullptr) return;
  g_not_before = g_options.every_steps != 0 ? 0 : RealNow() + Interval() / 20;
  if (++g_failed == kTellAfter) Message("record: no checkpoint since long, so more is kept: ", why);
}

void TakeUpCheckpoint() {
  constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE
  const char* path = getenv(wire::variable::kCheckpoint);
  if (path == nullptr || *path == '\0') return;
  const char* why =
      (getauxval(AT_HWCAP2) & kFsGsBase) == 0 ? "the machine offers no FSGSBASE (heddle doctor)" : nullptr;
  auto fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  // Out of the way of what the program had open.
  if (long high = Sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900); high >= 0) {
    Sys(SYS_close, fd);
    fd = static_cast<int>(high);
  }
  if (why == nullptr) why = fd < 0 ? "it cannot be read" : MakeWork() ? ReadImage(Work(), fd) : "no memory";
  if (why == nullptr) {
    ImageWork* work = Work();
    const struct {
      const char* variable;
      char* to;
    } texts[] = {{wire::variable::kOptions, work->options},
                 {wire::variable::kFindings, work->findings},
                 {wire::variable::kSteps, work->steps},
                 {wire::variable::kSchedule, work->schedule},
                 {wire::variable::kDemoIn, work->calls}};
    for (const auto& text : texts) {
      const char* value = getenv(text.variable);
      snprintf(text.to, sizeof work->options, "%s", value == nullptr ? "" : value);
    }
    work->stop_step = heddle_debug_view.stop_step;
    TakeUpImage();
  }
  Message("the checkpoint cannot be taken up: ", why, path[0] == '/' && why[0] == '/' ? " was changed since" : nullptr);
  Sys(SYS_exit_group, 5);
}

}  // namespace heddle::rt::control
