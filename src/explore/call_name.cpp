#include "explore/call_name.h"

#include <sys/syscall.h>

#include <utility>

namespace heddle::explore {

std::string CallName(uint32_t number) {
  constexpr std::pair<uint32_t, const char*> kNames[] = {{SYS_read, "read"},
                                                         {SYS_write, "write"},
                                                         {SYS_close, "close"},
                                                         {SYS_openat, "open"},
                                                         {SYS_open, "open"},
                                                         {SYS_fstat, "stat"},
                                                         {SYS_newfstatat, "stat"},
                                                         {SYS_lseek, "lseek"},
                                                         {SYS_mmap, "mmap"},
                                                         {SYS_munmap, "munmap"},
                                                         {SYS_mprotect, "mprotect"},
                                                         {SYS_brk, "brk"},
                                                         {SYS_ioctl, "ioctl"},
                                                         {SYS_pread64, "pread"},
                                                         {SYS_pwrite64, "pwrite"},
                                                         {SYS_pipe, "pipe"},
                                                         {SYS_pipe2, "pipe"},
                                                         {SYS_ppoll, "poll"},
                                                         {SYS_poll, "poll"},
                                                         {SYS_madvise, "madvise"},
                                                         {SYS_socket, "socket"},
                                                         {SYS_connect, "connect"},
                                                         {SYS_sendto, "send"},
                                                         {SYS_recvfrom, "recv"},
                                                         {SYS_fork, "fork"},
                                                         {SYS_vfork, "vfork"},
                                                         {SYS_clone, "fork"},
                                                         {SYS_clone3, "clone"},
                                                         {SYS_execve, "exec"},
                                                         {SYS_wait4, "wait"},
                                                         {SYS_fcntl, "fcntl"},
                                                         {SYS_unlink, "unlink"},
                                                         {SYS_rename, "rename"},
                                                         {SYS_exit, "exit"},
                                                         {SYS_kill, "kill"},
                                                         {SYS_tgkill, "a signal to itself"},
                                                         {SYS_getrandom, "getrandom"},
                                                         {SYS_socketpair, "socketpair"},
                                                         {SYS_clock_gettime, "clock_gettime"},
                                                         {SYS_nanosleep, "sleep"},
                                                         {SYS_clock_nanosleep, "sleep"},
                                                         {SYS_eventfd2, "eventfd"},
                                                         {SYS_rt_sigaction, "sigaction"},
                                                         {SYS_rt_sigprocmask, "sigprocmask"},
                                                         {SYS_sched_getaffinity, "sched_getaffinity"},
                                                         {SYS_setsockopt, "setsockopt"},
                                                         {SYS_futex, "futex"},
                                                         {SYS_ftruncate, "ftruncate"},
                                                         {SYS_epoll_create1, "epoll"},
                                                         {SYS_memfd_create, "memfd_create"},
                                                         {SYS_sysinfo, "sysinfo"}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return name;
  }
  return "system call " + std::to_string(number);
}

}  // namespace heddle::explore
