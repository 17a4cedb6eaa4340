// Limits that a program sets for itself and that heddle would feel as well. Its shadow memory is far larger than any
// limit on the address space, and its files grow when the program's may not: such limits are noted and not applied, and
// the program reads back what it asked for. Filters of system calls are only noted: who is killed by one may be us.
#include "runtime/intercept/limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>

#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/control.h"
#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/output/findings_file.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt {
namespace {

struct Withheld {
  int resource;
  const char* name;
  bool set;
  rlimit value;
};
Withheld g_withheld[] = {{RLIMIT_AS, "RLIMIT_AS", false, {}},
                         {RLIMIT_DATA, "RLIMIT_DATA", false, {}},
                         {RLIMIT_FSIZE, "RLIMIT_FSIZE", false, {}}};
SpinLock g_lock;

// Whether anything of ours is in the process that a limit could hit.
bool Analysed() { return g_mode == Mode::Trace || g_mode == Mode::Detect || control::On(); }

Withheld* Find(int resource) {
  for (Withheld& one : g_withheld) {
    if (one.resource == resource) return &one;
  }
  return nullptr;
}

long Limit(long pid, int resource, const rlimit* wanted, rlimit* old) {
  if (wanted != nullptr) control::NoteSharedGap("a limit of the process is changed (setrlimit)");
  Withheld* withheld = Find(resource);
  bool own = pid == 0 || pid == Sys(SYS_getpid);
  if (withheld == nullptr || !own || !Analysed()) return Sys(SYS_prlimit64, pid, resource, wanted, old);
  SpinHolder hold(g_lock);
  rlimit before = withheld->value;
  if (!withheld->set) Sys(SYS_prlimit64, 0, resource, nullptr, &before);
  if (wanted != nullptr) {
    if (wanted->rlim_cur > wanted->rlim_max || wanted->rlim_max > before.rlim_max) {
      errno = wanted->rlim_cur > wanted->rlim_max ? EINVAL : EPERM;
      return -1;
    }
    if (wanted->rlim_cur != RLIM_INFINITY && !withheld->set) AppendFindingsLine(FindingLine::kLimit, withheld->name);
    withheld->set = true;
    withheld->value = *wanted;
  }
  if (old != nullptr) *old = before;
  return 0;
}

}  // namespace

void NoteSeccomp() {
  if (Analysed()) AppendFindingsLine(FindingLine::kSeccomp);
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_INTERCEPT int setrlimit(__rlimit_resource_t resource, const rlimit* wanted) noexcept {
  return static_cast<int>(Limit(0, static_cast<int>(resource), wanted, nullptr));
}
HEDDLE_INTERCEPT int setrlimit64(__rlimit_resource_t resource, const rlimit64* wanted) noexcept {
  return static_cast<int>(Limit(0, static_cast<int>(resource), reinterpret_cast<const rlimit*>(wanted), nullptr));
}
HEDDLE_INTERCEPT int getrlimit(__rlimit_resource_t resource, rlimit* old) noexcept {
  return static_cast<int>(Limit(0, static_cast<int>(resource), nullptr, old));
}
HEDDLE_INTERCEPT int getrlimit64(__rlimit_resource_t resource, rlimit64* old) noexcept {
  return static_cast<int>(Limit(0, static_cast<int>(resource), nullptr, reinterpret_cast<rlimit*>(old)));
}
HEDDLE_INTERCEPT int prlimit(pid_t pid, __rlimit_resource resource, const rlimit* wanted, rlimit* old) noexcept {
  return static_cast<int>(Limit(pid, static_cast<int>(resource), wanted, old));
}
HEDDLE_INTERCEPT int prlimit64(pid_t pid, __rlimit_resource resource, const rlimit64* wanted, rlimit64* old) noexcept {
  return static_cast<int>(
      Limit(pid, static_cast<int>(resource), reinterpret_cast<const rlimit*>(wanted), reinterpret_cast<rlimit*>(old)));
}
HEDDLE_INTERCEPT int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  unsigned long a[4];
  for (unsigned long& value : a) value = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_SECCOMP) NoteSeccomp();
  return static_cast<int>(Sys(SYS_prctl, option, a[0], a[1], a[2], a[3]));
}
