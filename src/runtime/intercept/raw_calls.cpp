#include "runtime/intercept/raw_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "runtime/control/replay/demo.h"
#include "runtime/intercept/away.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {
namespace {

template <typename T>
T* At(long value) {
  return reinterpret_cast<T*>(value);  // NOLINT: an argument as the kernel takes it
}
int Int(long value) { return static_cast<int>(value); }
auto Size(long value) { return static_cast<size_t>(value); }
auto Length(long value) { return static_cast<socklen_t>(value); }

bool Gives(long value, long* result) {
  *result = value;
  return true;
}

// Calls that name a thread or a process by its number, which is the recorded one: made again they would name nobody.
long KeptByNumber(long number, const long a[6], void* out, size_t bytes) {
  return Kept(control::DemoCall::kOutside, out, bytes,
              [&] { return static_cast<int64_t>(Sys(number, a[0], a[1], a[2], a[3], a[4], a[5])); });
}

// Rings are filled by the kernel without a call: a recording cannot follow them. A program that is told that the kernel
// has none uses ordinary calls.
long RefuseRing() {
  Message("io_uring cannot be recorded: the program is told that the kernel has none");
  errno = ENOSYS;
  return -1;
}

}  // namespace

bool CallByNumber(long number, const long a[6], long* result) {
  // One line for each call. The names without a prefix are the intercepted functions.
  switch (number) {
    case SYS_read:
      return Gives(read(Int(a[0]), At<void>(a[1]), Size(a[2])), result);
    case SYS_write:
      return Gives(write(Int(a[0]), At<void>(a[1]), Size(a[2])), result);
    case SYS_readv:
      return Gives(readv(Int(a[0]), At<iovec>(a[1]), Int(a[2])), result);
    case SYS_writev:
      return Gives(writev(Int(a[0]), At<iovec>(a[1]), Int(a[2])), result);
    case SYS_close:
      return Gives(close(Int(a[0])), result);
    case SYS_open:
      return Gives(open(At<char>(a[0]), Int(a[1]), a[2]), result);
    case SYS_openat:
      return Gives(openat(Int(a[0]), At<char>(a[1]), Int(a[2]), a[3]), result);
    case SYS_dup:
      return Gives(dup(Int(a[0])), result);
    case SYS_dup2:
      return Gives(dup2(Int(a[0]), Int(a[1])), result);
    case SYS_dup3:
      return Gives(dup3(Int(a[0]), Int(a[1]), Int(a[2])), result);
    case SYS_pipe2:
      return Gives(pipe2(At<int>(a[0]), Int(a[1])), result);
    case SYS_eventfd2:
      return Gives(eventfd(static_cast<unsigned>(a[0]), Int(a[1])), result);
    case SYS_epoll_create1:
      return Gives(epoll_create1(Int(a[0])), result);
    case SYS_epoll_ctl:
      return Gives(epoll_ctl(Int(a[0]), Int(a[1]), Int(a[2]), At<epoll_event>(a[3])), result);
    case SYS_epoll_wait:
      return Gives(epoll_wait(Int(a[0]), At<epoll_event>(a[1]), Int(a[2]), Int(a[3])), result);
    case SYS_poll:
      return Gives(poll(At<pollfd>(a[0]), static_cast<nfds_t>(a[1]), Int(a[2])), result);
    case SYS_socket:
      return Gives(socket(Int(a[0]), Int(a[1]), Int(a[2])), result);
    case SYS_accept4:
      return Gives(accept4(Int(a[0]), At<sockaddr>(a[1]), At<socklen_t>(a[2]), Int(a[3])), result);
    case SYS_connect:
      return Gives(connect(Int(a[0]), At<sockaddr>(a[1]), Length(a[2])), result);
    case SYS_sendmsg:
      return Gives(sendmsg(Int(a[0]), At<msghdr>(a[1]), Int(a[2])), result);
    case SYS_recvmsg:
      return Gives(recvmsg(Int(a[0]), At<msghdr>(a[1]), Int(a[2])), result);
    case SYS_sendmmsg:
      return Gives(sendmmsg(Int(a[0]), At<mmsghdr>(a[1]), static_cast<unsigned>(a[2]), Int(a[3])), result);
    case SYS_recvmmsg:
      return Gives(recvmmsg(Int(a[0]), At<mmsghdr>(a[1]), static_cast<unsigned>(a[2]), Int(a[3]), At<timespec>(a[4])),
                   result);
    case SYS_recvfrom:
      return Gives(recvfrom(Int(a[0]), At<void>(a[1]), Size(a[2]), Int(a[3]), At<sockaddr>(a[4]), At<socklen_t>(a[5])),
                   result);
    case SYS_sendto:
      return Gives(sendto(Int(a[0]), At<void>(a[1]), Size(a[2]), Int(a[3]), At<sockaddr>(a[4]), Length(a[5])), result);
    case SYS_epoll_pwait:
      return Gives(epoll_pwait(Int(a[0]), At<epoll_event>(a[1]), Int(a[2]), Int(a[3]), At<sigset_t>(a[4])), result);
    case SYS_pread64:
      return Gives(pread(Int(a[0]), At<void>(a[1]), Size(a[2]), a[3]), result);
    case SYS_pwrite64:
      return Gives(pwrite(Int(a[0]), At<void>(a[1]), Size(a[2]), a[3]), result);
    case SYS_preadv:
      return Gives(preadv(Int(a[0]), At<iovec>(a[1]), Int(a[2]), a[3]), result);
    case SYS_pwritev:
      return Gives(pwritev(Int(a[0]), At<iovec>(a[1]), Int(a[2]), a[3]), result);
    case SYS_lseek:
      return Gives(lseek(Int(a[0]), a[1], Int(a[2])), result);
    case SYS_ftruncate:
      return Gives(ftruncate(Int(a[0]), a[1]), result);
    case SYS_statx:
      return Gives(statx(Int(a[0]), At<char>(a[1]), Int(a[2]), static_cast<unsigned>(a[3]), At<struct statx>(a[4])),
                   result);
    case SYS_unlink:
      return Gives(unlink(At<char>(a[0])), result);
    case SYS_rename:
      return Gives(rename(At<char>(a[0]), At<char>(a[1])), result);
    case SYS_mkdir:
      return Gives(mkdir(At<char>(a[0]), static_cast<mode_t>(a[1])), result);
    case SYS_rmdir:
      return Gives(rmdir(At<char>(a[0])), result);
    case SYS_kill:
      return Gives(kill(Int(a[0]), Int(a[1])), result);
    case SYS_nanosleep:
      return Gives(nanosleep(At<timespec>(a[0]), At<timespec>(a[1])), result);
    case SYS_clock_gettime:
      return Gives(clock_gettime(Int(a[0]), At<timespec>(a[1])), result);
    case SYS_gettimeofday:
      return Gives(gettimeofday(At<timeval>(a[0]), At<void>(a[1])), result);
    case SYS_sched_yield:
      return Gives(sched_yield(), result);
    case SYS_getrandom:
      return Gives(getrandom(At<void>(a[0]), Size(a[1]), static_cast<unsigned>(a[2])), result);
    case SYS_getpid:
      return Gives(getpid(), result);
    case SYS_getppid:
      return Gives(getppid(), result);
    case SYS_gettid:
      return Gives(gettid(), result);
    case SYS_sched_setattr:
    case SYS_sched_setaffinity:
    case SYS_sched_getscheduler:
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_getpriority:
    case SYS_setpriority:
    case SYS_ioprio_get:
    case SYS_ioprio_set:
    case SYS_getpgid:
    case SYS_getsid:
      return Gives(KeptByNumber(number, a, nullptr, 0), result);
    case SYS_sched_getattr:
      return Gives(KeptByNumber(number, a, At<void>(a[1]), Size(a[2])), result);
    case SYS_sched_getaffinity:
      return Gives(KeptByNumber(number, a, At<void>(a[2]), Size(a[1])), result);
    case SYS_sched_getparam:
      return Gives(KeptByNumber(number, a, At<void>(a[1]), sizeof(sched_param)), result);
    case SYS_io_uring_setup:
      if (control::g_demo == control::Demo::Off) return false;
      return Gives(RefuseRing(), result);
    default:
      return false;
  }
}

}  // namespace heddle::rt
