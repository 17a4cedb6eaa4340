// Temporary files and folders, whose names libc chooses by chance. A recording keeps the name, so that
// what the program prints and opens later is the same; a replay makes the file in its own place.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

#include "runtime/intercept/away.h"
#include "runtime/intercept/open.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// `choose` is libc's call (false: it failed); `again` makes what `name` says. The thread is under control.
template <typename Choose, typename Again>
bool MakeNamed(char* name, Choose choose, Again again) {
  if (control::g_demo == control::Demo::Off) return choose();
  bool made = false;
  bool played = control::g_demo == control::Demo::Play;
  iovec piece{name, REAL(strlen)(name) + 1};
  int64_t result = control::Recorded(
      control::DemoCall::kOutside, true, &piece, 1,
      [&] {
        played = false;
        made = choose();
        return made ? int64_t{0} : int64_t{-1};
      },
      [&](int64_t) { return piece.iov_len; });
  if (!played || result < 0) return made;
  return again();
}

template <typename Choose>
int MakeFile(char* name, int flags, const void* pc, Choose choose) {
  if (IsWatchedCall(const_cast<void*>(pc))) WritesRange(const_cast<void*>(pc), name, Text(name));
  if (Uncontrolled()) return Opened(choose(), pc);
  int fd = -1;
  control::CallInTurn(heddle::sched::kCall, 0, pc, [&] {
    return MakeNamed(
        name, [&] { return (fd = choose()) >= 0; },
        [&] { return (fd = control::OpenGuarded(name, O_RDWR | flags)) >= 0; });
  });
  return Opened(fd, pc);
}

}  // namespace

#define HEDDLE_TEMPORARY(function)                                            \
  HEDDLE_INTERCEPT int function(char* name) {                                 \
    static auto real = reinterpret_cast<int (*)(char*)>(FindNext(#function)); \
    return MakeFile(name, 0, HEDDLE_PC, [&] { return real(name); });          \
  }
#define HEDDLE_TEMPORARY_WITH_FLAGS(function)                                      \
  HEDDLE_INTERCEPT int function(char* name, int flags) {                           \
    static auto real = reinterpret_cast<int (*)(char*, int)>(FindNext(#function)); \
    return MakeFile(name, flags, HEDDLE_PC, [&] { return real(name, flags); });    \
  }

HEDDLE_TEMPORARY(mkstemp)
HEDDLE_TEMPORARY(mkstemp64)
HEDDLE_TEMPORARY_WITH_FLAGS(mkostemp)
HEDDLE_TEMPORARY_WITH_FLAGS(mkostemp64)

HEDDLE_INTERCEPT char* mkdtemp(char* name) noexcept {
  static auto real = reinterpret_cast<char* (*)(char*)>(FindNext("mkdtemp"));
  if (IsWatchedCall(HEDDLE_PC)) WritesRange(HEDDLE_PC, name, Text(name));
  bool made = MakeNamed(name, [&] { return real(name) != nullptr; }, [] { return true; });
  return made ? name : nullptr;
}
