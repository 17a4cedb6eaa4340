// The list of system calls that a search knows, and the handler that looks at each call of an execution in a copy.
//
// A call is harmless when it changes nothing but the copy's own memory or descriptors that the copy made; when it only
// asks; when it prints; when the runtime has made it a visible operation (reads, writes and waits on descriptors); or
// when what it changes is put back (outside_state.h). Anything else is performed too, and noted as a gap.
// Calls that cannot be made from the handler (new processes, the return from a signal handler) are made by letting the
// thread go back to its instruction with the gate open; nothing is watched behind that, which is a gap as well.
#include "runtime/control/search/watched_calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cstring>

#include "runtime/control/search/gaps.h"
#include "runtime/control/search/outside_state.h"
#include "runtime/control/search/restart_point.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/raw_syscall.h"

extern "C" {
extern char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: the linker's names
extern char __etext[] __attribute__((visibility("hidden")));
}

namespace heddle::rt::control {
namespace {

constexpr long kUserDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
constexpr char kAllow = 0;
constexpr char kStop = 1;
constexpr uint64_t kOwnSignals = uint64_t{1} << (SIGSYS - 1U);

volatile char g_gate = kAllow;

struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

struct Name {
  long number;
  const char* gap;  // null: harmless
};

constexpr Name kCalls[] = {
    // memory, identity, time
    {SYS_munmap, nullptr},
    {SYS_mprotect, nullptr},
    {SYS_mremap, nullptr},
    {SYS_madvise, nullptr},
    {SYS_getpid, nullptr},
    {SYS_gettid, nullptr},
    {SYS_getppid, nullptr},
    {SYS_getuid, nullptr},
    {SYS_geteuid, nullptr},
    {SYS_getgid, nullptr},
    {SYS_getegid, nullptr},
    {SYS_uname, nullptr},
    {SYS_getrlimit, nullptr},
    {SYS_sched_yield, nullptr},
    {SYS_sched_getaffinity, nullptr},
    {SYS_getcpu, nullptr},
    {SYS_clock_gettime, nullptr},
    {SYS_clock_getres, nullptr},
    {SYS_gettimeofday, nullptr},
    {SYS_time, nullptr},
    {SYS_getrandom, nullptr},
    {SYS_set_robust_list, nullptr},
    {SYS_rseq, nullptr},
    {SYS_sigaltstack, nullptr},
    {SYS_exit, nullptr},
    {SYS_exit_group, nullptr},
    // asking about files and descriptors
    {SYS_stat, nullptr},
    {SYS_fstat, nullptr},
    {SYS_lstat, nullptr},
    {SYS_newfstatat, nullptr},
    {SYS_statx, nullptr},
    {SYS_access, nullptr},
    {SYS_faccessat, nullptr},
    {SYS_faccessat2, nullptr},
    {SYS_readlink, nullptr},
    {SYS_readlinkat, nullptr},
    {SYS_getcwd, nullptr},
    {SYS_getdents64, nullptr},
    {SYS_pread64, nullptr},
    {SYS_close, nullptr},
    // visible operations of the runtime, on descriptors
    {SYS_poll, nullptr},
    {SYS_ppoll, nullptr},
    {SYS_select, nullptr},
    {SYS_pselect6, nullptr},
    {SYS_epoll_create1, nullptr},
    {SYS_epoll_wait, nullptr},
    {SYS_epoll_pwait, nullptr},
    {SYS_pipe, nullptr},
    {SYS_pipe2, nullptr},
    {SYS_eventfd2, nullptr},
    {SYS_socketpair, nullptr},
    // known to matter, with the names that people know
    {SYS_fork, "fork"},
    {SYS_vfork, "vfork"},
    {SYS_clone, "a process is made (fork)"},
    {SYS_clone3, "a process is made (fork)"},
    {SYS_execve, "execve"},
    {SYS_wait4, "waitpid"},
    {SYS_kill, "kill"},
    {SYS_unlink, "unlink"},
    {SYS_unlinkat, "unlink"},
    {SYS_rename, "rename"},
    {SYS_mkdir, "mkdir"},
    {SYS_rmdir, "rmdir"},
    {SYS_brk, "the end of the data segment is moved (sbrk)"},
    {SYS_truncate, "truncate"},
    {SYS_ftruncate, "ftruncate"},
    {SYS_chdir, "chdir"},
    {SYS_umask, "umask"},
    {SYS_socket, "socket"},
    {SYS_connect, "connect"},
    {SYS_bind, "bind"},
    {SYS_listen, "listen"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept"},
    {SYS_shutdown, "shutdown"},
    {SYS_timer_create, "timer_create"},
    {SYS_timerfd_create, "timerfd_create"},
    {SYS_signalfd4, "signalfd"},
    {SYS_flock, "flock"},
    {SYS_memfd_create, "memfd_create"},
    {SYS_shmget, "shmget"},
    {SYS_shmat, "shmat"},
    {SYS_setitimer, "setitimer"},
    {SYS_alarm, "alarm"},
    {SYS_prctl, "prctl"},
};

bool IsAsking(long command) {
  return command == F_GETFL || command == F_GETFD || command == F_SETFD || command == F_DUPFD ||
         command == F_DUPFD_CLOEXEC;
}

// What the call is to the search: null when harmless.
const char* GapOf(long number, const greg_t* r) {
  auto first = static_cast<int>(r[REG_RDI]);
  switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_pwrite64:
      return first == 1 || first == 2 || IsPutBack(first, true) ? nullptr : "a file is written (write)";
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
      return IsPutBack(first, false) ? nullptr : "a descriptor from before the first thread is read (read)";
    case SYS_prlimit64:
      return r[REG_RDX] == 0 ? nullptr : "a limit of the process is changed (setrlimit)";
    case SYS_lseek:
      return IsPutBack(first, false) ? nullptr : "lseek";
    case SYS_open:
      return (r[REG_RSI] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) == 0 ? nullptr
                                                                         : "a file is opened to be written (open)";
    case SYS_openat:
      return (r[REG_RDX] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) == 0 ? nullptr
                                                                         : "a file is opened to be written (open)";
    case SYS_mmap:
      return (r[REG_R10] & MAP_SHARED) == 0 || (r[REG_RDX] & PROT_WRITE) == 0 ? nullptr
                                                                              : "memory is shared with others (mmap)";
    case SYS_epoll_ctl:
      return IsShared(first) ? "epoll_ctl" : nullptr;
    case SYS_ioctl:  // printing asks what standard output is
      return static_cast<uint32_t>(r[REG_RSI]) == TCGETS ? nullptr : "ioctl";
    case SYS_fcntl:
      return IsAsking(r[REG_RSI]) ? nullptr : "fcntl";
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
      return nullptr;
    case SYS_futex:
      return (r[REG_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE ? nullptr : "code without instrumentation waits (futex)";
    case SYS_tgkill:
    case SYS_tkill: {
      long signal = number == SYS_tgkill ? r[REG_RDX] : r[REG_RSI];
      return signal == SIGABRT ? nullptr : "a signal is sent (raise)";
    }
    case SYS_rt_sigaction:
      return r[REG_RSI] == 0 || first == SIGABRT ? nullptr : "sigaction";
    default:
      break;
  }
  for (const Name& name : kCalls) {
    if (name.number == number) return name.gap;
  }
  return "a system call that heddle does not know";
}

// The mask that the thread goes on with; ours must stay open.
void SetMask(ucontext_t* context, const greg_t* r) {
  auto* mask = reinterpret_cast<uint64_t*>(&context->uc_sigmask);
  uint64_t old = *mask;
  const auto* given = reinterpret_cast<const uint64_t*>(r[REG_RSI]);  // NOLINT: an argument of a system call
  auto* told = reinterpret_cast<uint64_t*>(r[REG_RDX]);               // NOLINT
  if (given != nullptr) {
    if (r[REG_RDI] == SIG_BLOCK) *mask |= *given;
    if (r[REG_RDI] == SIG_UNBLOCK) *mask &= ~*given;
    if (r[REG_RDI] == SIG_SETMASK) *mask = *given;
    *mask &= ~kOwnSignals;
  }
  if (told != nullptr) *told = old;
}

// A handler that blocks our signal would be killed by the next call.
long SetAction(const greg_t* r) {
  if (r[REG_RDI] == SIGSYS) return 0;
  if (r[REG_RSI] == 0) return RawSyscall(SYS_rt_sigaction, r[REG_RDI], 0, r[REG_RDX], r[REG_R10], 0, 0);
  KernelAction action = *reinterpret_cast<const KernelAction*>(r[REG_RSI]);  // NOLINT: an argument of a system call
  action.mask &= ~kOwnSignals;
  return RawSyscall(SYS_rt_sigaction, r[REG_RDI], reinterpret_cast<long>(&action), r[REG_RDX], r[REG_R10], 0, 0);
}

bool CannotBeMadeHere(long number) {
  return number == SYS_rt_sigreturn || number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
         number == SYS_clone3 || number == SYS_execve;
}

// Also those of the loader, which takes libraries away.
bool ChangesMappings(long number) {
  return number == SYS_munmap || number == SYS_mmap || number == SYS_mremap || number == SYS_mprotect ||
         number == SYS_madvise || number == SYS_shmdt || number == SYS_brk;
}

void OnCall(int, siginfo_t* info, void* context) {
  g_gate = kAllow;
  auto* place = static_cast<ucontext_t*>(context);
  greg_t* r = place->uc_mcontext.gregs;
  long number = info->si_syscall;
  if (CannotBeMadeHere(number)) {
    constexpr int kInstruction = 2;
    NoteGap(number == SYS_rt_sigreturn ? "a signal handler runs" : GapOf(number, r));
    r[REG_RIP] -= kInstruction;
    r[REG_RAX] = number;
    return;  // the gate stays open
  }
  if (number == SYS_rt_sigprocmask) {
    SetMask(place, r);
    r[REG_RAX] = 0;
    g_gate = kStop;
    return;
  }
  if (const char* gap = GapOf(number, r); gap != nullptr) NoteGap(gap);
  if (ChangesMappings(number)) NoteMemoryRemapped();
  if (number == SYS_rt_sigaction) {
    r[REG_RAX] = SetAction(r);
  } else {
    r[REG_RAX] = RawSyscall(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
  }
  g_gate = kStop;
}

}  // namespace

void WatchCalls() {
  constexpr unsigned long kRestorer = 0x04000000;
  KernelAction action{OnCall, SA_SIGINFO | SA_NODEFER | kRestorer, heddle_sigreturn, 0};
  uint64_t own = kOwnSignals;
  auto begin = reinterpret_cast<long>(__ehdr_start);
  auto bytes = reinterpret_cast<long>(__etext) - begin;
  bool watching = Sys(SYS_rt_sigaction, SIGSYS, &action, nullptr, sizeof(uint64_t)) == 0 &&
                  Sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &own, nullptr, sizeof own) == 0 &&
                  Sys(SYS_prctl, kUserDispatch, 1, begin, bytes, reinterpret_cast<long>(&g_gate)) == 0;
  if (!watching) return NoteGap("this machine cannot watch system calls");
  g_gate = kStop;
}

}  // namespace heddle::rt::control
