#include "runtime/intercept/open.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "runtime/intercept/real.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

void Note(Kind kind, int fd, const void* pc) {
  int error = errno;
  Commit(MakeOp(kind, reinterpret_cast<const void*>(static_cast<intptr_t>(fd)), pc));  // NOLINT: a number as an address
  errno = error;
}

int OpenedPair(int result, const int* pair, const void* pc) {
  if (result != 0 || Passive()) return result;
  Note(Kind::FdOpen, pair[0], pc);
  Note(Kind::FdOpen, pair[1], pc);
  return result;
}

// dup2 and dup3 close what had the number before.
template <typename Call>
int Replacing(int fd, const void* pc, Call call) {
  if (!Passive() && fd >= 0) Note(Kind::FdClose, fd, pc);
  return Opened(call(), pc);
}

}  // namespace

int Opened(int fd, const void* pc) {
  if (fd >= 0 && !Passive()) Note(Kind::FdOpen, fd, pc);
  return fd;
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: from here on this file is the C interface

namespace {

// The third argument of open is there only with some flags; reading it anyway reads a register.
mode_t ModeOf(va_list list) { return static_cast<mode_t>(va_arg(list, unsigned)); }

}  // namespace

#define HEDDLE_OPEN(name)                                       \
  HEDDLE_INTERCEPT int name(const char* path, int flags, ...) { \
    va_list list;                                               \
    va_start(list, flags);                                      \
    mode_t mode = ModeOf(list);                                 \
    va_end(list);                                               \
    return Opened(REAL(name)(path, flags, mode), HEDDLE_PC);    \
  }
#define HEDDLE_OPENAT(name)                                             \
  HEDDLE_INTERCEPT int name(int at, const char* path, int flags, ...) { \
    va_list list;                                                       \
    va_start(list, flags);                                              \
    mode_t mode = ModeOf(list);                                         \
    va_end(list);                                                       \
    return Opened(REAL(name)(at, path, flags, mode), HEDDLE_PC);        \
  }

HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)
HEDDLE_OPENAT(openat)
HEDDLE_OPENAT(openat64)
HEDDLE_INTERCEPT int creat(const char* path, mode_t mode) { return Opened(REAL(creat)(path, mode), HEDDLE_PC); }
HEDDLE_INTERCEPT int creat64(const char* path, mode_t mode) { return Opened(REAL(creat64)(path, mode), HEDDLE_PC); }
HEDDLE_INTERCEPT int socket(int domain, int type, int protocol) noexcept {
  return Opened(REAL(socket)(domain, type, protocol), HEDDLE_PC);
}
HEDDLE_INTERCEPT int socketpair(int domain, int type, int protocol, int pair[2]) noexcept {
  return OpenedPair(REAL(socketpair)(domain, type, protocol, pair), pair, HEDDLE_PC);
}
HEDDLE_INTERCEPT int pipe(int pair[2]) noexcept { return OpenedPair(REAL(pipe)(pair), pair, HEDDLE_PC); }
HEDDLE_INTERCEPT int pipe2(int pair[2], int flags) noexcept {
  return OpenedPair(REAL(pipe2)(pair, flags), pair, HEDDLE_PC);
}
HEDDLE_INTERCEPT int dup(int fd) noexcept { return Opened(REAL(dup)(fd), HEDDLE_PC); }
HEDDLE_INTERCEPT int dup2(int fd, int to) noexcept {
  return Replacing(to, HEDDLE_PC, [&] { return REAL(dup2)(fd, to); });
}
HEDDLE_INTERCEPT int dup3(int fd, int to, int flags) noexcept {
  return Replacing(to, HEDDLE_PC, [&] { return REAL(dup3)(fd, to, flags); });
}
HEDDLE_INTERCEPT int eventfd(unsigned value, int flags) noexcept {
  return Opened(REAL(eventfd)(value, flags), HEDDLE_PC);
}
HEDDLE_INTERCEPT int epoll_create(int size) noexcept { return Opened(REAL(epoll_create)(size), HEDDLE_PC); }
HEDDLE_INTERCEPT int epoll_create1(int flags) noexcept { return Opened(REAL(epoll_create1)(flags), HEDDLE_PC); }
HEDDLE_INTERCEPT int timerfd_create(clockid_t clock, int flags) noexcept {
  return Opened(REAL(timerfd_create)(clock, flags), HEDDLE_PC);
}
