// Temporary files and folders, whose names libc chooses by chance. A recording keeps the name; a replay makes the file
// under that name again, so that what the program prints and opens later is the same. It never takes a file that is
// there already: then it makes another one, and says so.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

#include "runtime/intercept/away.h"
#include "runtime/intercept/open.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"

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
  if (again()) return true;
  Message("replay: a file of the recording is there already, another one is made in its place: ", name);
  char* end = name + piece.iov_len - 1;
  for (int i = 1; i <= 6; ++i) end[-i] = 'X';
  return choose();
}

template <typename Choose>
int MakeFile(char* name, int flags, const void* pc, Choose choose) {
  if (IsWatchedCall(const_cast<void*>(pc))) WritesRange(const_cast<void*>(pc), name, Text(name));
  if (Uncontrolled()) return Opened(choose(), pc);
  int fd = -1;
  control::CallInTurn(heddle::sched::kCall, 0, pc, [&] {
    return MakeNamed(
        name, [&] { return (fd = choose()) >= 0; },
        [&] { return (fd = REAL(open)(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600)) >= 0; });
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
  bool made = MakeNamed(name, [&] { return real(name) != nullptr; }, [&] { return mkdir(name, 0700) == 0; });
  return made ? name : nullptr;
}
