// Calls that make descriptors. They are visible operations: which number one gets depends on their order.
#include "runtime/intercept/open.h"

#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#include "runtime/control/replay/streams.h"
#include "runtime/control/replay/variables.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/closing.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"

namespace heddle::rt {
namespace {

void Note(Kind kind, int fd, const void* pc, uint64_t how = 0) {
  int error = errno;
  Op op = MakeOp(kind, reinterpret_cast<const void*>(static_cast<intptr_t>(fd)), pc);  // NOLINT: a number as an address
  op.arg2 = how;
  Commit(op);
  errno = error;
}

template <typename Call>
auto InTurn(const void* pc, Call call) {
  if (Uncontrolled()) return call();
  return control::CallInTurn(sched::kCall, 0, pc, call);
}

template <typename Call>
int Opening(const void* pc, Call call) {
  detect::FilesChange();
  return Opened(InTurn(pc, call), pc);
}

// A path is opened: what a replay opens in its place is in control/replay/written_files.h. With the turn.
template <typename Call>
int OpenKept(const char* path, int flags, Call call) {
  control::OpenedFile opened{};
  iovec piece{&opened, sizeof opened};
  if (control::g_demo == control::Demo::Record) {
    if (control::WouldWrite(flags)) control::FileChanges(path);
    int fd = call();
    int error = errno;
    opened = control::DescribeOpened(fd);
    if (fd >= 0 && opened.how == control::OpenHow::Again) control::FileIsRead(fd);
    control::Keep(control::DemoCall::kOpen, fd, error, &piece, 1, sizeof opened);
    errno = error;
    return fd;
  }
  int64_t number = 0;
  if (!control::PlayBack(control::DemoCall::kOpen, &number, &piece, 1)) {
    return control::WouldWrite(flags) ? control::OpenGuarded(path, flags) : call();
  }
  if (number < 0) return -1;
  if (opened.how != control::OpenHow::Again)
    return control::OpenInReplay(opened, path, flags, static_cast<int>(number));
  int fd = call();
  bool same = fd >= 0 && control::IsSameFile(fd, opened);
  if (int original = same ? -1 : control::OpenOriginal(path, flags); original >= 0) {
    if (fd >= 0) REAL(close)(fd);
    fd = original;
    same = true;
  }
  if (fd < 0) Message("replay: a file that the recording read cannot be opened: ", path);
  if (fd >= 0 && !same) control::TellChanged(path);
  return control::MoveTo(fd, static_cast<int>(number));
}

template <typename Call>
int OpeningPath(const char* path, int flags, const void* pc, Call call) {
  if (control::GuardsFiles() && control::g_demo == control::Demo::Off && control::WouldWrite(flags))
    return control::OpenGuarded(path, flags);
  if (Uncontrolled() || control::g_demo == control::Demo::Off) return Opening(pc, call);
  return Opening(pc, [&] { return OpenKept(path, flags, call); });
}

// The flags of a stream's mode.
int FlagsOf(const char* mode) {
  int flags = strchr(mode, '+') != nullptr ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  if (mode[0] == 'w') flags |= O_CREAT | O_TRUNC;
  if (mode[0] == 'a') flags |= O_CREAT | O_APPEND;
  if (strchr(mode, 'e') != nullptr) flags |= O_CLOEXEC;
  if (strchr(mode, 'x') != nullptr) flags |= O_EXCL;
  return flags;
}

template <typename Call>
int OpeningPair(const int* pair, bool crossed, const void* pc, Call call) {
  int result = InTurn(pc, call);
  if (result != 0) return result;
  Opened(pair[0], pc);
  Opened(pair[1], pc);
  detect::DescriptorPair(pair, crossed);
  return result;
}

// dup2 and dup3 close what had the number before.
template <typename Call>
int Replacing(int fd, const void* pc, Call call) {
  if (!Passive() && fd >= 0) Note(Kind::FdClose, fd, pc, detect::kReplaced);
  int result = Opening(pc, call);
  if (result >= 0) detect::DescriptorReplaced(result, pc);
  return result;
}

int Copying(int from, int to) {
  detect::DescriptorCopied(from, to);
  return to;
}

// With a recording, a stream is made of a descriptor that was opened as any other.
FILE* OpeningStream(const char* path, const char* mode, const void* pc) {
  int flags = FlagsOf(mode);
  int fd = OpeningPath(path, flags, pc, [&] { return REAL(open)(path, flags, 0666); });
  if (fd < 0) return nullptr;
  FILE* file = control::NeedsStream(fd, mode) ? control::MakeStream(fd, mode) : REAL(fdopen)(fd, mode);
  if (file == nullptr) REAL(close)(fd);
  return file;
}

template <typename Call>
FILE* OpeningFile(const char* path, const char* mode, const void* pc, Call call) {
  if (Passive()) return call();
  if (control::g_demo != control::Demo::Off || control::GuardsFiles()) return OpeningStream(path, mode, pc);
  FILE* file = Uncontrolled() ? call() : control::CallInTurn(sched::kCall, 0, pc, [&] { return call(); });
  if (file != nullptr) Opened(fileno(file), pc);
  return file;
}

bool NeedsMode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

int Opened(int fd, const void* pc) {
  if (fd >= 0 && !Passive()) Note(Kind::FdOpen, fd, pc);
  return fd;
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: from here on this file is the C interface

#define HEDDLE_OPEN(name)                                                                      \
  HEDDLE_INTERCEPT int name(const char* path, int flags, ...) {                                \
    va_list list;                                                                              \
    va_start(list, flags);                                                                     \
    mode_t mode = NeedsMode(flags) ? va_arg(list, mode_t) : 0;                                 \
    va_end(list);                                                                              \
    return OpeningPath(path, flags, HEDDLE_PC, [&] { return REAL(name)(path, flags, mode); }); \
  }
#define HEDDLE_OPENAT(name)                                                                        \
  HEDDLE_INTERCEPT int name(int at, const char* path, int flags, ...) {                            \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode_t mode = NeedsMode(flags) ? va_arg(list, mode_t) : 0;                                     \
    va_end(list);                                                                                  \
    return OpeningPath(path, flags, HEDDLE_PC, [&] { return REAL(name)(at, path, flags, mode); }); \
  }

HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)
HEDDLE_OPENAT(openat)
HEDDLE_OPENAT(openat64)
// What fortified programs call when the flags are no constant; none of them makes a file.
HEDDLE_INTERCEPT int __open_2(const char* path, int flags) { return open(path, flags, 0); }
HEDDLE_INTERCEPT int __open64_2(const char* path, int flags) { return open64(path, flags, 0); }
HEDDLE_INTERCEPT int __openat_2(int at, const char* path, int flags) { return openat(at, path, flags, 0); }
HEDDLE_INTERCEPT int __openat64_2(int at, const char* path, int flags) { return openat64(at, path, flags, 0); }
HEDDLE_INTERCEPT int creat(const char* path, mode_t mode) {
  return OpeningPath(path, O_WRONLY | O_CREAT | O_TRUNC, HEDDLE_PC, [&] { return REAL(creat)(path, mode); });
}
HEDDLE_INTERCEPT int creat64(const char* path, mode_t mode) {
  return OpeningPath(path, O_WRONLY | O_CREAT | O_TRUNC, HEDDLE_PC, [&] { return REAL(creat64)(path, mode); });
}
HEDDLE_INTERCEPT FILE* fopen(const char* path, const char* mode) {
  return OpeningFile(path, mode, HEDDLE_PC, [&] { return REAL(fopen)(path, mode); });
}
HEDDLE_INTERCEPT FILE* fopen64(const char* path, const char* mode) {
  return OpeningFile(path, mode, HEDDLE_PC, [&] { return REAL(fopen)(path, mode); });
}
// The stream stays, with another file behind it.
HEDDLE_INTERCEPT FILE* freopen(const char* path, const char* mode, FILE* file) {
  using Function = FILE* (*)(const char*, const char*, FILE*);
  static auto real = reinterpret_cast<Function>(FindNext("freopen"));
  bool kept = !Passive() && (control::g_demo != control::Demo::Off || control::GuardsFiles());
  if (!kept || path == nullptr) return real(path, mode, file);
  int flags = FlagsOf(mode);
  fflush(file);
  int fd = OpeningPath(path, flags, HEDDLE_PC, [&] { return REAL(open)(path, flags, 0666); });
  if (fd < 0) {
    fclose(file);
    return nullptr;
  }
  dup2(fd, fileno(file));
  close(fd);
  clearerr(file);
  return file;
}
HEDDLE_INTERCEPT FILE* freopen64(const char* path, const char* mode, FILE* file) { return freopen(path, mode, file); }
// Shared memory by name is a file.
HEDDLE_INTERCEPT int shm_open(const char* name, int flags, mode_t mode) {
  static auto real = reinterpret_cast<int (*)(const char*, int, mode_t)>(FindNext("shm_open"));
  return OpeningPath(name, flags | O_CLOEXEC, HEDDLE_PC, [&] { return real(name, flags, mode); });
}
HEDDLE_INTERCEPT FILE* fdopen(int fd, const char* mode) noexcept {
  if (Uncontrolled() || !control::NeedsStream(fd, mode)) return REAL(fdopen)(fd, mode);
  return control::MakeStream(fd, mode);
}
// In a replay the child runs where the kernel keeps it from writing files; what it wrote to us comes from the
// recording.
HEDDLE_INTERCEPT FILE* popen(const char* command, const char* mode) {
  if (IsWatchedCall(HEDDLE_PC)) {
    ReadsRange(HEDDLE_PC, command, Text(command));
    ReadsRange(HEDDLE_PC, mode, Text(mode));
  }
  using Function = FILE* (*)(const char*, const char*);
  static auto real = reinterpret_cast<Function>(FindNext("popen"));
  bool plays = !Uncontrolled() && control::g_demo == control::Demo::Play && !control::KernelGuardsFiles();
  auto start = [=] {
    control::ShownVariables shown;
    return real(command, mode);
  };
  FILE* file = plays ? REAL(fopen)("/dev/null", "r+") : start();
  return Uncontrolled() ? file : control::ReplaceChildStream(file, mode);
}
HEDDLE_INTERCEPT int pclose(FILE* file) {
  static auto real = reinterpret_cast<int (*)(FILE*)>(FindNext("pclose"));
  if (Uncontrolled()) return Closing(file == nullptr ? -1 : fileno(file), HEDDLE_PC, [&] { return real(file); });
  FILE* child = control::CloseChildStream(file);
  if (control::g_demo == control::Demo::Play) {
    control::KernelGuardsFiles() ? real(child) : REAL(fclose)(child);
    child = nullptr;
  }
  return static_cast<int>(
      Kept(control::DemoCall::kWait, nullptr, 0, [&] { return child == nullptr ? 0 : real(child); }));
}
HEDDLE_INTERCEPT int fclose(FILE* file) {
  int fd = Passive() || file == nullptr ? -1 : fileno(file);
  return Closing(fd, HEDDLE_PC, [&] { return InTurn(HEDDLE_PC, [&] { return REAL(fclose)(file); }); });
}
HEDDLE_INTERCEPT int socket(int domain, int type, int protocol) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(socket)(domain, type, protocol); });
}
HEDDLE_INTERCEPT int socketpair(int domain, int type, int protocol, int pair[2]) noexcept {
  return OpeningPair(pair, true, HEDDLE_PC, [&] { return REAL(socketpair)(domain, type, protocol, pair); });
}
HEDDLE_INTERCEPT int pipe(int pair[2]) noexcept {
  return OpeningPair(pair, false, HEDDLE_PC, [&] { return REAL(pipe)(pair); });
}
HEDDLE_INTERCEPT int pipe2(int pair[2], int flags) noexcept {
  return OpeningPair(pair, false, HEDDLE_PC, [&] { return REAL(pipe2)(pair, flags); });
}
HEDDLE_INTERCEPT int dup(int fd) noexcept {
  return Copying(fd, Opening(HEDDLE_PC, [&] { return REAL(dup)(fd); }));
}
HEDDLE_INTERCEPT int dup2(int fd, int to) noexcept {
  return Copying(fd, Replacing(to, HEDDLE_PC, [&] { return REAL(dup2)(fd, to); }));
}
HEDDLE_INTERCEPT int dup3(int fd, int to, int flags) noexcept {
  return Copying(fd, Replacing(to, HEDDLE_PC, [&] { return REAL(dup3)(fd, to, flags); }));
}
HEDDLE_INTERCEPT int eventfd(unsigned value, int flags) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(eventfd)(value, flags); });
}
HEDDLE_INTERCEPT int epoll_create(int size) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(epoll_create)(size); });
}
HEDDLE_INTERCEPT int epoll_create1(int flags) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(epoll_create1)(flags); });
}
HEDDLE_INTERCEPT int timerfd_create(clockid_t clock, int flags) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(timerfd_create)(clock, flags); });
}
HEDDLE_INTERCEPT int inotify_init1(int flags) noexcept {
  static auto* const real = reinterpret_cast<int (*)(int)>(FindNext("inotify_init1"));
  int made = Opening(HEDDLE_PC, [&] { return real(flags); });
  detect::FilesWatched(made);
  return made;
}
HEDDLE_INTERCEPT int inotify_init() noexcept {
  OnBehalfOf caller(HEDDLE_PC);
  return inotify_init1(0);
}
// Locks of files, which belong to the open file: they keep threads apart that opened it each for itself.
HEDDLE_INTERCEPT int flock(int fd, int how) noexcept {
  static auto* const real = reinterpret_cast<int (*)(int, int)>(FindNext("flock"));
  bool gives = (how & LOCK_UN) != 0;
  if (gives) detect::WritingEnds(fd);
  int result = real(fd, how);
  if (!gives && result == 0) detect::Readable(fd);
  return result;
}
HEDDLE_INTERCEPT int signalfd(int fd, const sigset_t* mask, int flags) noexcept {
  int made = Opening(HEDDLE_PC, [&] { return REAL(signalfd)(fd, mask, flags); });
  detect::SignalDescriptor(made);
  return made;
}
