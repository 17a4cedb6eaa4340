// The functions of libc that heddle stands in front of. REAL(name)(...) calls the one behind.
//
// Found once at the start with dlsym; before that, the few that may be needed earlier have stand-ins. The allocation
// functions are not here: glibc exports __libc_malloc and friends, which need no look-up.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// What fortified programs call; libc's headers declare it only for those.
extern "C" int __vfprintf_chk(FILE* file, int flag, const char* format, va_list list);

namespace heddle::rt {

// REAL_FUNCTION(name): found with dlsym. REAL_VERSIONED: in a named version, where an older one must not be taken.
#define HEDDLE_REAL_FUNCTIONS(REAL_FUNCTION, REAL_VERSIONED) \
  REAL_FUNCTION(pthread_create)                              \
  REAL_FUNCTION(pthread_join)                                \
  REAL_FUNCTION(pthread_tryjoin_np)                          \
  REAL_FUNCTION(pthread_timedjoin_np)                        \
  REAL_FUNCTION(pthread_clockjoin_np)                        \
  REAL_FUNCTION(pthread_detach)                              \
  REAL_FUNCTION(pthread_exit)                                \
  REAL_FUNCTION(pthread_cancel)                              \
  REAL_FUNCTION(pthread_setname_np)                          \
  REAL_FUNCTION(pthread_once)                                \
  REAL_FUNCTION(pthread_mutex_init)                          \
  REAL_FUNCTION(pthread_mutex_destroy)                       \
  REAL_FUNCTION(pthread_mutex_lock)                          \
  REAL_FUNCTION(pthread_mutex_trylock)                       \
  REAL_FUNCTION(pthread_mutex_timedlock)                     \
  REAL_FUNCTION(pthread_mutex_clocklock)                     \
  REAL_FUNCTION(pthread_mutex_unlock)                        \
  REAL_FUNCTION(pthread_spin_init)                           \
  REAL_FUNCTION(pthread_spin_destroy)                        \
  REAL_FUNCTION(pthread_spin_lock)                           \
  REAL_FUNCTION(pthread_spin_trylock)                        \
  REAL_FUNCTION(pthread_spin_unlock)                         \
  REAL_FUNCTION(pthread_rwlock_init)                         \
  REAL_FUNCTION(pthread_rwlock_destroy)                      \
  REAL_FUNCTION(pthread_rwlock_rdlock)                       \
  REAL_FUNCTION(pthread_rwlock_tryrdlock)                    \
  REAL_FUNCTION(pthread_rwlock_timedrdlock)                  \
  REAL_FUNCTION(pthread_rwlock_clockrdlock)                  \
  REAL_FUNCTION(pthread_rwlock_wrlock)                       \
  REAL_FUNCTION(pthread_rwlock_trywrlock)                    \
  REAL_FUNCTION(pthread_rwlock_timedwrlock)                  \
  REAL_FUNCTION(pthread_rwlock_clockwrlock)                  \
  REAL_FUNCTION(pthread_rwlock_unlock)                       \
  REAL_VERSIONED(pthread_cond_init, "GLIBC_2.3.2")           \
  REAL_VERSIONED(pthread_cond_destroy, "GLIBC_2.3.2")        \
  REAL_VERSIONED(pthread_cond_signal, "GLIBC_2.3.2")         \
  REAL_VERSIONED(pthread_cond_broadcast, "GLIBC_2.3.2")      \
  REAL_VERSIONED(pthread_cond_wait, "GLIBC_2.3.2")           \
  REAL_VERSIONED(pthread_cond_timedwait, "GLIBC_2.3.2")      \
  REAL_FUNCTION(pthread_cond_clockwait)                      \
  REAL_FUNCTION(pthread_barrier_init)                        \
  REAL_FUNCTION(pthread_barrier_destroy)                     \
  REAL_FUNCTION(pthread_barrier_wait)                        \
  REAL_FUNCTION(sem_init)                                    \
  REAL_FUNCTION(sem_destroy)                                 \
  REAL_FUNCTION(sem_wait)                                    \
  REAL_FUNCTION(sem_trywait)                                 \
  REAL_FUNCTION(sem_timedwait)                               \
  REAL_FUNCTION(sem_clockwait)                               \
  REAL_FUNCTION(sem_post)                                    \
  REAL_FUNCTION(mtx_init)                                    \
  REAL_FUNCTION(mtx_destroy)                                 \
  REAL_FUNCTION(mtx_lock)                                    \
  REAL_FUNCTION(mtx_trylock)                                 \
  REAL_FUNCTION(mtx_timedlock)                               \
  REAL_FUNCTION(mtx_unlock)                                  \
  REAL_FUNCTION(cnd_init)                                    \
  REAL_FUNCTION(cnd_destroy)                                 \
  REAL_FUNCTION(cnd_signal)                                  \
  REAL_FUNCTION(cnd_broadcast)                               \
  REAL_FUNCTION(cnd_wait)                                    \
  REAL_FUNCTION(cnd_timedwait)                               \
  REAL_FUNCTION(thrd_create)                                 \
  REAL_FUNCTION(thrd_join)                                   \
  REAL_FUNCTION(thrd_detach)                                 \
  REAL_FUNCTION(call_once)                                   \
  REAL_FUNCTION(memcpy)                                      \
  REAL_FUNCTION(memmove)                                     \
  REAL_FUNCTION(memset)                                      \
  REAL_FUNCTION(memcmp)                                      \
  REAL_FUNCTION(strlen)                                      \
  REAL_FUNCTION(strcmp)                                      \
  REAL_FUNCTION(strncmp)                                     \
  REAL_FUNCTION(strcpy)                                      \
  REAL_FUNCTION(strncpy)                                     \
  REAL_FUNCTION(strcat)                                      \
  REAL_FUNCTION(mmap)                                        \
  REAL_FUNCTION(munmap)                                      \
  REAL_FUNCTION(mremap)                                      \
  REAL_FUNCTION(fork)                                        \
  REAL_FUNCTION(execve)                                      \
  REAL_FUNCTION(execv)                                       \
  REAL_FUNCTION(execvp)                                      \
  REAL_FUNCTION(longjmp)                                     \
  REAL_FUNCTION(siglongjmp)                                  \
  REAL_FUNCTION(_exit)                                       \
  REAL_FUNCTION(signal)                                      \
  REAL_FUNCTION(sigaction)                                   \
  REAL_FUNCTION(read)                                        \
  REAL_FUNCTION(write)                                       \
  REAL_FUNCTION(readv)                                       \
  REAL_FUNCTION(writev)                                      \
  REAL_FUNCTION(send)                                        \
  REAL_FUNCTION(recv)                                        \
  REAL_FUNCTION(sendto)                                      \
  REAL_FUNCTION(recvfrom)                                    \
  REAL_FUNCTION(sendmsg)                                     \
  REAL_FUNCTION(recvmsg)                                     \
  REAL_FUNCTION(close)                                       \
  REAL_FUNCTION(epoll_ctl)                                   \
  REAL_FUNCTION(epoll_wait)                                  \
  REAL_FUNCTION(setenv)                                      \
  REAL_FUNCTION(unsetenv)                                    \
  REAL_FUNCTION(putenv)                                      \
  REAL_FUNCTION(nanosleep)                                   \
  REAL_FUNCTION(clock_nanosleep)                             \
  REAL_FUNCTION(usleep)                                      \
  REAL_FUNCTION(sleep)                                       \
  REAL_FUNCTION(thrd_sleep)                                  \
  REAL_FUNCTION(sched_yield)                                 \
  REAL_FUNCTION(thrd_yield)                                  \
  REAL_FUNCTION(clock_gettime)                               \
  REAL_FUNCTION(gettimeofday)                                \
  REAL_FUNCTION(time)                                        \
  REAL_FUNCTION(clock)                                       \
  REAL_FUNCTION(timespec_get)                                \
  REAL_FUNCTION(getrandom)                                   \
  REAL_FUNCTION(getentropy)                                  \
  REAL_FUNCTION(arc4random)                                  \
  REAL_FUNCTION(arc4random_buf)                              \
  REAL_FUNCTION(arc4random_uniform)                          \
  REAL_FUNCTION(rand)                                        \
  REAL_FUNCTION(random)                                      \
  REAL_FUNCTION(drand48)                                     \
  REAL_FUNCTION(lrand48)                                     \
  REAL_FUNCTION(vfprintf)                                    \
  REAL_FUNCTION(__vfprintf_chk)                              \
  REAL_FUNCTION(puts)                                        \
  REAL_FUNCTION(fputs)                                       \
  REAL_FUNCTION(fputc)                                       \
  REAL_FUNCTION(fwrite)                                      \
  REAL_FUNCTION(fflush)                                      \
  REAL_FUNCTION(perror)                                      \
  REAL_FUNCTION(poll)                                        \
  REAL_FUNCTION(ppoll)                                       \
  REAL_FUNCTION(select)                                      \
  REAL_FUNCTION(accept)                                      \
  REAL_FUNCTION(accept4)                                     \
  REAL_FUNCTION(open)                                        \
  REAL_FUNCTION(open64)                                      \
  REAL_FUNCTION(openat)                                      \
  REAL_FUNCTION(openat64)                                    \
  REAL_FUNCTION(creat)                                       \
  REAL_FUNCTION(creat64)                                     \
  REAL_FUNCTION(socket)                                      \
  REAL_FUNCTION(socketpair)                                  \
  REAL_FUNCTION(pipe)                                        \
  REAL_FUNCTION(pipe2)                                       \
  REAL_FUNCTION(dup)                                         \
  REAL_FUNCTION(dup2)                                        \
  REAL_FUNCTION(dup3)                                        \
  REAL_FUNCTION(eventfd)                                     \
  REAL_FUNCTION(epoll_create)                                \
  REAL_FUNCTION(epoll_create1)                               \
  REAL_FUNCTION(timerfd_create)                              \
  REAL_FUNCTION(connect)                                     \
  REAL_FUNCTION(waitpid)                                     \
  REAL_FUNCTION(wait4)                                       \
  REAL_FUNCTION(wait)                                        \
  REAL_FUNCTION(pause)                                       \
  REAL_FUNCTION(sigsuspend)                                  \
  REAL_FUNCTION(sigwait)                                     \
  REAL_FUNCTION(sigwaitinfo)                                 \
  REAL_FUNCTION(sigtimedwait)                                \
  REAL_FUNCTION(recvmmsg)                                    \
  REAL_FUNCTION(sendmmsg)                                    \
  REAL_FUNCTION(epoll_pwait)                                 \
  REAL_FUNCTION(pselect)                                     \
  REAL_FUNCTION(getpid)                                      \
  REAL_FUNCTION(getppid)                                     \
  REAL_FUNCTION(gettid)                                      \
  REAL_FUNCTION(stat)                                        \
  REAL_FUNCTION(lstat)                                       \
  REAL_FUNCTION(fstat)                                       \
  REAL_FUNCTION(fstatat)                                     \
  REAL_FUNCTION(stat64)                                      \
  REAL_FUNCTION(lstat64)                                     \
  REAL_FUNCTION(fstat64)                                     \
  REAL_FUNCTION(statx)                                       \
  REAL_FUNCTION(getsockname)                                 \
  REAL_FUNCTION(getpeername)                                 \
  REAL_FUNCTION(getsockopt)                                  \
  REAL_FUNCTION(setsockopt)                                  \
  REAL_FUNCTION(bind)                                        \
  REAL_FUNCTION(listen)                                      \
  REAL_FUNCTION(shutdown)                                    \
  REAL_FUNCTION(sendfile)                                    \
  REAL_FUNCTION(fdopen)                                      \
  REAL_FUNCTION(ioctl)                                       \
  REAL_FUNCTION(getrusage)                                   \
  REAL_FUNCTION(times)                                       \
  REAL_FUNCTION(fopen)                                       \
  REAL_FUNCTION(fclose)                                      \
  REAL_FUNCTION(signalfd)                                    \
  REAL_FUNCTION(fileno)                                      \
  REAL_FUNCTION(fileno_unlocked)                             \
  REAL_FUNCTION(raise)                                       \
  REAL_FUNCTION(kill)                                        \
  REAL_FUNCTION(setitimer)                                   \
  REAL_FUNCTION(alarm)                                       \
  REAL_FUNCTION(pthread_kill)                                \
  REAL_FUNCTION(abort)

}  // namespace heddle::rt

namespace heddle::rt {

struct RealFunctions {
#define HEDDLE_DECLARE(name) decltype(&::name) name;
#define HEDDLE_DECLARE_VERSIONED(name, version) decltype(&::name) name;
  HEDDLE_REAL_FUNCTIONS(HEDDLE_DECLARE, HEDDLE_DECLARE_VERSIONED)
#undef HEDDLE_DECLARE
#undef HEDDLE_DECLARE_VERSIONED
};
extern RealFunctions g_real;

void FindRealFunctions();

// The function of this name behind ours, for those that not every program has; null when there is none.
void* FindNext(const char* name);
// The same for functions of the C++ library. A C program may load it with a plugin, where RTLD_NEXT does not look.
void* FindCxx(const char* name);

}  // namespace heddle::rt

#define REAL(name) heddle::rt::g_real.name

// An exported function that stands in front of libc's.
#define HEDDLE_INTERCEPT extern "C" __attribute__((visibility("default")))
#define HEDDLE_PC heddle::rt::CallerPc(__builtin_return_address(0))
