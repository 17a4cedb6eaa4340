// Calls whose answers differ from run to run without any thread doing anything: ids, times of files, names and states
// of sockets, devices. Only a recording cares.
#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>

#include <cstdarg>

#include "runtime/control/replay/streams.h"
#include "runtime/control/turn/others.h"
#include "runtime/intercept/away.h"
#include "runtime/libc/real.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

using control::DemoCall;

// A name of a socket: the bytes and how many there are.
template <typename Call>
int KeptName(sockaddr* address, socklen_t* length, Call call) {
  if (Uncontrolled() || address == nullptr || length == nullptr) return call();
  iovec pieces[] = {{address, *length}, {length, sizeof *length}};
  return static_cast<int>(control::Recorded(
      DemoCall::kSocket, true, pieces, 2, [&] { return static_cast<int64_t>(call()); },
      [&](int64_t) { return pieces[0].iov_len + pieces[1].iov_len; }));
}

// A call on a socket that writes nothing, as the rules say.
template <typename Call>
int KeptOn(int fd, Call call) {
  if (Uncontrolled()) return call();
  return static_cast<int>(control::Recorded(
      DemoCall::kSocket, control::IsRecorded(fd), nullptr, 0, [&] { return static_cast<int64_t>(call()); },
      [](int64_t) { return uint64_t{0}; }));
}

}  // namespace

HEDDLE_INTERCEPT pid_t getpid() noexcept {
  return static_cast<pid_t>(Kept(DemoCall::kIds, nullptr, 0, [] { return REAL(getpid)(); }));
}
HEDDLE_INTERCEPT pid_t getppid() noexcept {
  return static_cast<pid_t>(Kept(DemoCall::kIds, nullptr, 0, [] { return REAL(getppid)(); }));
}
HEDDLE_INTERCEPT pid_t gettid() noexcept {
  return static_cast<pid_t>(Kept(DemoCall::kIds, nullptr, 0, [] { return REAL(gettid)(); }));
}

HEDDLE_INTERCEPT int stat(const char* path, struct stat* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(stat)(path, out); }));
}
HEDDLE_INTERCEPT int lstat(const char* path, struct stat* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(lstat)(path, out); }));
}
HEDDLE_INTERCEPT int fstat(int fd, struct stat* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(fstat)(fd, out); }));
}
HEDDLE_INTERCEPT int fstatat(int fd, const char* path, struct stat* out, int flags) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(fstatat)(fd, path, out, flags); }));
}
HEDDLE_INTERCEPT int stat64(const char* path, struct stat64* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(stat64)(path, out); }));
}
HEDDLE_INTERCEPT int lstat64(const char* path, struct stat64* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(lstat64)(path, out); }));
}
HEDDLE_INTERCEPT int fstat64(int fd, struct stat64* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(fstat64)(fd, out); }));
}
HEDDLE_INTERCEPT int statx(int fd, const char* path, int flags, unsigned mask, struct statx* out) noexcept {
  return static_cast<int>(
      Kept(DemoCall::kStat, out, sizeof *out, [&] { return REAL(statx)(fd, path, flags, mask, out); }));
}

HEDDLE_INTERCEPT int getsockname(int fd, sockaddr* address, socklen_t* length) noexcept {
  return KeptName(address, length, [&] { return REAL(getsockname)(fd, address, length); });
}
HEDDLE_INTERCEPT int getpeername(int fd, sockaddr* address, socklen_t* length) noexcept {
  return KeptName(address, length, [&] { return REAL(getpeername)(fd, address, length); });
}
HEDDLE_INTERCEPT int getsockopt(int fd, int level, int name, void* value, socklen_t* length) noexcept {
  return KeptName(static_cast<sockaddr*>(value), length,
                  [&] { return REAL(getsockopt)(fd, level, name, value, length); });
}
// Of sockets that a replay connects to nobody: not made again, so none can fail there.
HEDDLE_INTERCEPT int setsockopt(int fd, int level, int name, const void* value, socklen_t length) noexcept {
  return KeptOn(fd, [&] { return REAL(setsockopt)(fd, level, name, value, length); });
}
HEDDLE_INTERCEPT int bind(int fd, const sockaddr* address, socklen_t length) noexcept {
  return KeptOn(fd, [&] { return REAL(bind)(fd, address, length); });
}
HEDDLE_INTERCEPT int listen(int fd, int backlog) noexcept {
  if (!Uncontrolled()) control::ExpectOthers(control::Outsider::kClient);
  return KeptOn(fd, [&] { return REAL(listen)(fd, backlog); });
}
// What an ioctl writes is in its number, for those that follow the convention, and known for the common ones that do
// not.
HEDDLE_INTERCEPT int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* argument = va_arg(list, void*);
  va_end(list);
  size_t bytes = (_IOC_DIR(request) & _IOC_READ) != 0 ? _IOC_SIZE(request) : 0;
  if (request == FIONREAD || request == TIOCGPGRP) bytes = sizeof(int);
  if (request == TIOCGWINSZ) bytes = sizeof(winsize);
  if (request == TCGETS) bytes = 60;  // the kernel's termios with all that follows
  return static_cast<int>(Kept(DemoCall::kIoctl, bytes == 0 ? nullptr : argument, bytes,
                               [&] { return REAL(ioctl)(fd, request, argument); }));
}
HEDDLE_INTERCEPT int getrusage(__rusage_who_t who, rusage* out) noexcept {
  return static_cast<int>(Kept(DemoCall::kClock, out, sizeof *out, [&] { return REAL(getrusage)(who, out); }));
}
HEDDLE_INTERCEPT clock_t times(tms* out) noexcept {
  return Kept(DemoCall::kClock, out, sizeof *out, [&] { return REAL(times)(out); });
}

HEDDLE_INTERCEPT int fileno(FILE* file) noexcept {
  int ours = control::StreamDescriptor(file);
  return ours >= 0 ? ours : REAL(fileno)(file);
}
HEDDLE_INTERCEPT int fileno_unlocked(FILE* file) noexcept {
  int ours = control::StreamDescriptor(file);
  return ours >= 0 ? ours : REAL(fileno_unlocked)(file);
}
