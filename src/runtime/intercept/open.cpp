// Calls that make descriptors. They are visible operations: which number one gets depends on their order.
#include "runtime/intercept/open.h"

#include <sys/signalfd.h>

#include "runtime/control/replay/streams.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"

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
  return Opened(InTurn(pc, call), pc);
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

// A stream of ours in the place of libc's (control/replay/streams.h). With the turn.
FILE* Replaced(FILE* file, const char* mode) {
  if (file == nullptr || Uncontrolled() || !control::NeedsStream(REAL(fileno)(file), mode)) return file;
  int fd = REAL(dup)(REAL(fileno)(file));
  REAL(fclose)(file);
  return fd < 0 ? nullptr : control::MakeStream(fd, mode);
}

int Copying(int from, int to) {
  detect::DescriptorCopied(from, to);
  return to;
}

template <typename Call>
FILE* OpeningFile(const char* mode, const void* pc, Call call) {
  if (Passive()) return call();
  FILE* file = Uncontrolled() ? call() : control::CallInTurn(sched::kCall, 0, pc, [&] { return call(); });
  file = Replaced(file, mode);
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

#define HEDDLE_OPEN(name)                                                     \
  HEDDLE_INTERCEPT int name(const char* path, int flags, ...) {               \
    va_list list;                                                             \
    va_start(list, flags);                                                    \
    mode_t mode = NeedsMode(flags) ? va_arg(list, mode_t) : 0;                \
    va_end(list);                                                             \
    return Opening(HEDDLE_PC, [&] { return REAL(name)(path, flags, mode); }); \
  }
#define HEDDLE_OPENAT(name)                                                       \
  HEDDLE_INTERCEPT int name(int at, const char* path, int flags, ...) {           \
    va_list list;                                                                 \
    va_start(list, flags);                                                        \
    mode_t mode = NeedsMode(flags) ? va_arg(list, mode_t) : 0;                    \
    va_end(list);                                                                 \
    return Opening(HEDDLE_PC, [&] { return REAL(name)(at, path, flags, mode); }); \
  }

HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)
HEDDLE_OPENAT(openat)
HEDDLE_OPENAT(openat64)
HEDDLE_INTERCEPT int creat(const char* path, mode_t mode) {
  return Opening(HEDDLE_PC, [&] { return REAL(creat)(path, mode); });
}
HEDDLE_INTERCEPT int creat64(const char* path, mode_t mode) {
  return Opening(HEDDLE_PC, [&] { return REAL(creat64)(path, mode); });
}
HEDDLE_INTERCEPT FILE* fopen(const char* path, const char* mode) {
  return OpeningFile(mode, HEDDLE_PC, [&] { return REAL(fopen)(path, mode); });
}
HEDDLE_INTERCEPT FILE* fopen64(const char* path, const char* mode) {
  return OpeningFile(mode, HEDDLE_PC, [&] { return REAL(fopen)(path, mode); });
}
HEDDLE_INTERCEPT FILE* fdopen(int fd, const char* mode) noexcept {
  if (Uncontrolled() || !control::NeedsStream(fd, mode)) return REAL(fdopen)(fd, mode);
  return control::MakeStream(fd, mode);
}
// The child runs in a replay too; what it writes comes from the recording.
HEDDLE_INTERCEPT FILE* popen(const char* command, const char* mode) {
  if (IsWatchedCall(HEDDLE_PC)) {
    ReadsRange(HEDDLE_PC, command, Text(command));
    ReadsRange(HEDDLE_PC, mode, Text(mode));
  }
  using Function = FILE* (*)(const char*, const char*);
  static auto real = reinterpret_cast<Function>(FindNext("popen"));
  FILE* file = real(command, mode);
  return Uncontrolled() ? file : control::ReplaceChildStream(file, mode);
}
HEDDLE_INTERCEPT int pclose(FILE* file) {
  static auto real = reinterpret_cast<int (*)(FILE*)>(FindNext("pclose"));
  if (Uncontrolled()) return real(file);
  FILE* child = control::CloseChildStream(file);
  return static_cast<int>(Kept(control::DemoCall::kWait, nullptr, 0, [&] { return real(child); }));
}
HEDDLE_INTERCEPT int fclose(FILE* file) {
  if (!Passive() && file != nullptr) Note(Kind::FdClose, fileno(file), HEDDLE_PC);
  return InTurn(HEDDLE_PC, [&] { return REAL(fclose)(file); });
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
HEDDLE_INTERCEPT int signalfd(int fd, const sigset_t* mask, int flags) noexcept {
  return Opening(HEDDLE_PC, [&] { return REAL(signalfd)(fd, mask, flags); });
}
