#include "runtime/signals/outside.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cstdio>

#include "runtime/mode.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"
#include "runtime/spin.h"

namespace heddle::rt {
namespace {

bool g_helpers = false;  // libc may run functions of the program in threads of its own

// Signals of faults and of abort come from the program's own threads, which all wait.
bool ComesFromElsewhere(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
      return false;
    default:
      return true;
  }
}

bool TimerRuns() {
  for (int which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval value{};
    if (Sys(SYS_getitimer, which, &value) == 0 && (value.it_value.tv_sec | value.it_value.tv_usec) != 0) return true;
  }
  return false;
}

// Whether one of the processes in the list lives. One that has ended and was not waited for does nothing more.
bool OneLives(const char* list) {
  while (*list != '\0') {
    long process = 0;
    for (; *list >= '0' && *list <= '9'; ++list) process = process * 10 + (*list - '0');
    siginfo_t info{};
    bool known = process != 0 && Sys(SYS_waitid, P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT, nullptr) == 0;
    if (known && info.si_pid == 0) return true;
    while (*list != '\0' && (*list < '0' || *list > '9')) ++list;
  }
  return false;
}

// The children that the thread made. True also when they are more than fit.
bool HasLivingChild(const char* thread) {
  char path[64];
  char list[4096];
  snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  long n = Sys(SYS_read, fd, list, sizeof list - 1);
  Sys(SYS_close, fd);
  if (n <= 0) return false;
  list[n] = '\0';
  return n == sizeof list - 1 || OneLives(list);
}

bool HasChildren() {
  siginfo_t info{};
  if (Sys(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, nullptr) != 0) return false;
  if (info.si_pid == 0) return true;  // there are some, and none has ended
  long folder = Sys(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;
  bool lives = false;
  alignas(dirent64) char entries[4096];
  for (long n = 0; !lives && (n = Sys(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < n && !lives;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      lives = entry->d_name[0] != '.' && HasLivingChild(entry->d_name);
      at += entry->d_reclen;
    }
  }
  Sys(SYS_close, folder);
  return lives;
}

uint64_t HexAt(const char** at) {
  uint64_t value = 0;
  for (;; ++*at) {
    char c = **at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

// A line of /proc/self/maps: "begin-end rwxs ...".
bool IsSharedLine(const char* line, uint64_t address) {
  uint64_t begin = HexAt(&line);
  if (*line++ != '-') return false;
  uint64_t end = HexAt(&line);
  return address >= begin && address < end && line[0] == ' ' && line[4] == 's';
}

}  // namespace

bool OutsideMayAct() {
  KeepErrno keep;
  for (int number = 1; number < NSIG; ++number) {
    if (ComesFromElsewhere(number) && IsHandled(number)) return true;
  }
  return __atomic_load_n(&g_helpers, __ATOMIC_RELAXED) || TimerRuns() || HasChildren();
}

void LibcMayRunThreads() { __atomic_store_n(&g_helpers, true, __ATOMIC_RELAXED); }

bool IsSharedMemory(uint64_t address) {
  static SpinLock lock;
  static char text[8192];
  KeepErrno keep;
  SpinHolder hold(lock);
  long fd = Sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool shared = false;
  size_t kept = 0;  // of a line whose end is still to come
  for (;;) {
    long n = Sys(SYS_read, fd, text + kept, sizeof text - 1 - kept);
    if (n <= 0) break;
    size_t size = kept + static_cast<size_t>(n);
    size_t line = 0;
    for (size_t i = kept; i < size; ++i) {
      if (text[i] != '\n') continue;
      text[i] = '\0';
      shared = shared || IsSharedLine(text + line, address);
      line = i + 1;
    }
    kept = line == 0 ? 0 : size - line;  // a line that does not fit is none that matters
    for (size_t i = 0; i < kept; ++i) text[i] = text[line + i];
  }
  Sys(SYS_close, fd);
  return shared;
}

}  // namespace heddle::rt
