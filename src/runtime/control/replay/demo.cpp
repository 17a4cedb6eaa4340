#include "runtime/control/replay/demo.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/control/replay/demo_file.h"
#include "runtime/control/replay/processes.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/replay/streams.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/turn/control_thread.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"
#include "wire/environment.h"

namespace heddle::rt::control {

Demo g_demo = Demo::Off;

namespace {

using wire::DemoEntry;
using wire::DemoEntryBytes;
using wire::DemoHeader;
using wire::DemoKind;

const char* g_file = nullptr;  // Play: all of it
uint64_t g_bytes = 0;
wire::DemoRules g_rules;
bool g_volatiles = false;
bool g_time = false;  // logical

bool Refuse(const char* why, const char* path) {
  Message("demo: ", why, path);
  return false;
}

bool StartRecording(const char* path) {
  if (!OpenDemoFile(path)) return false;
  g_demo = Demo::Record;
  bool input = IsRecorded(STDIN_FILENO) && !IsIgnored(DemoCall::kRead);
  g_volatiles = !IsIgnored(DemoCall::kVolatile);
  g_time = !IsIgnored(DemoCall::kClock);
  OpenDemoHeader()->flags = (input ? wire::kInputRecorded : 0) | (g_volatiles ? wire::kVolatilesRecorded : 0) |
                            (g_time ? wire::kTimeRecorded : 0);
  if (input) ReplaceStandardInput();
  return true;
}

const DemoHeader* OpenPlay(const char* path) {
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  struct stat about{};
  auto refuse = [path](const char* why) {
    Refuse(why, path);
    return nullptr;
  };
  if (fd < 0 || Sys(SYS_fstat, fd, &about) != 0) return refuse("cannot read ");
  auto bytes = static_cast<uint64_t>(about.st_size);
  long at = bytes < sizeof(DemoHeader) ? -1 : Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ, MAP_PRIVATE, fd, 0L);
  Sys(SYS_close, fd);
  if (at == -1) return refuse("cannot read ");
  g_file = reinterpret_cast<const char*>(at);  // NOLINT: the kernel's number
  const auto* header = reinterpret_cast<const DemoHeader*>(g_file);
  if (memcmp(header->magic, wire::kDemoMagic, sizeof header->magic) != 0) return refuse("not a recording: ");
  g_bytes = header->used < bytes ? header->used : bytes;
  g_volatiles = (header->flags & wire::kVolatilesRecorded) != 0;
  g_time = (header->flags & wire::kTimeRecorded) != 0;
  g_demo = Demo::Play;
  return header;
}

bool StartPlay(const char* path) {
  const DemoHeader* header = OpenPlay(path);
  if (header == nullptr) return false;
  GuardFiles();
  MakeInherited();
  if ((header->flags & wire::kInputRecorded) != 0) ReplaceStandardInput();
  return true;
}

// The thread's next entry from `place` on, among its signals or among the others; null at the end.
const DemoEntry* NextEntry(const ControlThread* self, uint64_t* place, bool signals) {
  uint64_t at = *place == 0 ? sizeof(DemoHeader) : *place;
  while (at + sizeof(DemoEntry) <= g_bytes) {
    const auto* entry = reinterpret_cast<const DemoEntry*>(g_file + at);
    if (at + DemoEntryBytes(entry->bytes) > g_bytes) break;
    *place = at;
    if (entry->thread == self->number && (entry->call == DemoCall::kSignal) == signals) return entry;
    at += DemoEntryBytes(entry->bytes);
  }
  *place = at;
  return nullptr;
}

// The thread makes a call that the recording does not have. It has no step left there either: the run ended before it
// came so far, by what another thread does yet. Else calls were lost, and this is the end.
void AwaitEndOfRecording(ControlThread* self) {
  if (!HasStepsLeft(self)) Take(PointOf(sched::kCall, 0, __builtin_return_address(0)));
  RecordingEnds();
}

const DemoEntry* NextCall(ControlThread* self) { return NextEntry(self, &self->demo_at, false); }

void ReadRules() {
  const char* text = getenv(wire::variable::kDemoRules);
  if (text == nullptr || *text == '\0') return;
  char* end = nullptr;
  g_rules.reissued = strtoull(text, &end, 10);
  g_rules.ignored = strtoull(end, nullptr, 10);
}

// Where the program printed when it started.
struct Printed {
  dev_t device;
  ino_t number;
};
Printed g_printed[2];

void NotePrinted() {
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat about{};
    if (Sys(SYS_fstat, fd, &about) == 0) g_printed[fd - STDOUT_FILENO] = {about.st_dev, about.st_ino};
  }
}

// Standard output or error, which the program has opened as a file of its own: as daemons do.
bool IsOwnFile(int fd) {
  struct stat about{};
  const Printed& first = g_printed[fd - STDOUT_FILENO];
  return Sys(SYS_fstat, fd, &about) == 0 && S_ISREG(about.st_mode) &&
         (about.st_dev != first.device || about.st_ino != first.number);
}

DemoKind KindOf(int fd) {
  if (fd == STDIN_FILENO) return DemoKind::kInput;
  KeepErrno keep;
  struct stat about{};
  if ((fd == STDOUT_FILENO || fd == STDERR_FILENO) && !IsOwnFile(fd)) return DemoKind::kPrinted;
  if (Sys(SYS_fstat, fd, &about) != 0) return DemoKind::kSocket;  // it fails, and that is recorded
  if (S_ISREG(about.st_mode) && IsOfKernel(fd)) return DemoKind::kProc;
  if (S_ISREG(about.st_mode) && IsWritten(fd, about)) return DemoKind::kWritten;
  if (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode)) return DemoKind::kFile;
  if (S_ISDIR(about.st_mode)) return DemoKind::kFolder;
  if (S_ISFIFO(about.st_mode)) return DemoKind::kPipe;
  if (S_ISSOCK(about.st_mode)) return DemoKind::kSocket;
  if (!S_ISCHR(about.st_mode)) return DemoKind::kEvent;
  char settings[256];  // of a terminal: larger than any kernel's
  return Sys(SYS_ioctl, fd, TCGETS, settings) == 0 ? DemoKind::kTerminal : DemoKind::kDevice;
}

}  // namespace

bool StartDemo() {
  ReadRules();
  NotePrinted();
  const char* out = StreamPath(wire::variable::kDemoOut);
  const char* in = StreamPath(wire::variable::kDemoIn);
  if (out == nullptr && in == nullptr) return true;
  StartWrittenFiles(out != nullptr ? out : in);
  if (out == nullptr) return StartPlay(in);
  if (!StartRecording(out)) return false;
  DescribeProcess();
  return true;
}

uint64_t DemoBytes() { return OpenDemoHeader() == nullptr ? 0 : OpenDemoHeader()->used; }

bool MoveDemo(const char* path) {
  uint64_t flags = OpenDemoHeader()->flags;
  uint64_t lost = OpenDemoHeader()->lost;
  CloseDemoFile();
  if (!OpenDemoFile(path)) {
    g_demo = Demo::Off;
    return false;
  }
  OpenDemoHeader()->flags = flags;
  OpenDemoHeader()->lost = lost;
  return true;
}

bool PlayFromCheckpoint(const char* path) {
  ForgetDemoFile();
  ForgetProcess();
  StartWrittenFiles(path);
  if (OpenPlay(path) == nullptr) return false;
  GuardFiles();
  return true;
}

bool PlayStream(const char* path) { return OpenPlay(path) != nullptr; }

void LockDemo() {
  LockStreams();
  LockDemoFile();
}
void UnlockDemo() {
  UnlockDemoFile();
  UnlockStreams();
}

bool IsOfKernel(int fd) {
  struct statfs system{};
  return Sys(SYS_fstatfs, fd, &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC);
}
bool IsPlainDevice(int fd) { return KindOf(fd) == DemoKind::kDevice; }

bool IsRecorded(int fd) { return (g_rules.reissued & BitOf(KindOf(fd))) == 0; }
bool IsIgnored(DemoCall call) { return (g_rules.ignored & BitOf(call)) != 0; }
bool VolatilesAreRecorded() { return g_volatiles; }

void ForgetDemo() {
  CloseDemoFile();
  g_demo = Demo::Off;
}

void Keep(DemoCall call, int64_t result, int error, const iovec* pieces, int count, uint64_t bytes) {
  const ControlThread* self = Self();
  if (self == nullptr) return;
  RuntimeScope scope;
  AppendEntry({self->number, call, 0, 0, error, static_cast<uint32_t>(bytes), result}, pieces, count);
}

void KeepReissued(DemoCall call) {
  const ControlThread* self = Self();
  if (self == nullptr) return;
  RuntimeScope scope;
  AppendEntry({self->number, call, 1, 0, 0, 0, 0}, nullptr, 0);
}

void KeepPart(DemoCall call, int64_t result) {
  const ControlThread* self = Self();
  if (self == nullptr) return;
  RuntimeScope scope;
  AppendEntry({self->number, call, 0, 1, 0, 0, result}, nullptr, 0);
}

bool NextIsPart(DemoCall call) {
  ControlThread* self = Self();
  const DemoEntry* entry = self == nullptr ? nullptr : NextCall(self);
  return entry != nullptr && entry->call == call && entry->part != 0;
}

void KeepSignal(const ControlThread* self, const PendingSignal& signal) {
  iovec piece{const_cast<siginfo_t*>(&signal.info), sizeof signal.info};
  AppendEntry({self->number, DemoCall::kSignal, 0, 0, signal.number, sizeof signal.info, 0}, &piece, 1);
}

bool PlaySignal(ControlThread* self, PendingSignal* out) {
  const DemoEntry* entry = NextEntry(self, &self->signal_at, true);
  if (entry == nullptr || entry->bytes != sizeof out->info) return false;
  self->signal_at += DemoEntryBytes(entry->bytes);
  out->number = entry->error;
  memcpy(&out->info, entry + 1, sizeof out->info);
  return IsHandled(out->number);  // else it came to another place than then: the step does not fit, and that is said
}

bool PlayVolatile(int32_t since, uint64_t* value) {
  ControlThread* self = Self();
  const DemoEntry* entry = self == nullptr ? nullptr : NextCall(self);
  if (entry == nullptr || entry->call != DemoCall::kVolatile || entry->error != since) return false;
  self->demo_at += DemoEntryBytes(entry->bytes);
  *value = static_cast<uint64_t>(entry->result);
  return true;
}

uint64_t KeptTime(ControlThread* self) {
  uint64_t now = ReadTime(self);
  if (g_demo == Demo::Off || !g_time) return now;
  int error = errno;
  int64_t result = 0;
  if (g_demo == Demo::Record) {
    Keep(DemoCall::kClock, static_cast<int64_t>(now), 0, nullptr, 0, 0);
  } else if (PlayBack(DemoCall::kClock, &result, nullptr, 0)) {
    now = static_cast<uint64_t>(result);
    PassTime(self, now);
  }
  errno = error;
  return now;
}

bool WillPlayBack(DemoCall call) {
  ControlThread* self = Self();
  if (g_demo != Demo::Play || self == nullptr) return false;
  const DemoEntry* entry = NextCall(self);
  return entry != nullptr && entry->call == call && entry->reissued == 0;
}

bool PlayBack(DemoCall call, int64_t* result, const iovec* pieces, int count) {
  ControlThread* self = Self();
  if (self == nullptr) return false;
  const DemoEntry* entry = NextCall(self);
  // Behind the end of the recording (the program was killed there) calls are made, if the user wants to go on.
  if (entry == nullptr && ScheduleGoesOn() && g_options.until != 0) AwaitEndOfRecording(self);
  if (entry == nullptr) return false;
  if (entry->call != call) DivergeCall(self);
  self->demo_at += DemoEntryBytes(entry->bytes);
  if (entry->reissued != 0) return false;
  const char* from = reinterpret_cast<const char*>(entry + 1);
  uint64_t left = entry->bytes;
  for (int i = 0; i < count && left > 0; ++i) {
    uint64_t take = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    memcpy(pieces[i].iov_base, from, take);
    from += take;
    left -= take;
  }
  *result = entry->result;
  errno = entry->error;
  return true;
}

}  // namespace heddle::rt::control
