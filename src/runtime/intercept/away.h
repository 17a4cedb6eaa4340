// Calls that leave the scheduler for a while, or whose result a recording keeps.
#pragma once

#include <algorithm>
#include <cerrno>
#include <initializer_list>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/raw_syscall.h"
#include "runtime/visible.h"

namespace heddle::rt {

inline bool Uncontrolled() { return Passive() || !control::Controlled(); }

inline control::Point CallPoint(const void* pc) { return control::PointOf(sched::kCall, 0, pc); }

// A signal mask for the time of one call, as ppoll and others take it. Null: the thread's own.
class MaskHolder {
 public:
  explicit MaskHolder(const sigset_t* mask) : set_(mask != nullptr) {
    if (set_) pthread_sigmask(SIG_SETMASK, mask, &before_);
  }
  ~MaskHolder() {
    if (set_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  MaskHolder(const MaskHolder&) = delete;
  MaskHolder& operator=(const MaskHolder&) = delete;

 private:
  bool set_;
  sigset_t before_{};
};

// Out of the scheduler while the call is under way. With fibers everybody waits for it.
template <typename Call>
auto Away(const void* pc, Call call) {
  if (Uncontrolled()) return call();
  control::Take(CallPoint(pc));
  control::GoAway();
  control::Done(Outcome::Success, true);
  auto result = call();
  int error = errno;
  control::Take(CallPoint(pc));  // it is back: a step, so that what it learned has a place in the order
  control::Done(Outcome::Success, true);
  errno = error;
  return result;
}

// A call whose result, with `bytes` written to `out` when it did not fail, a recording keeps and a replay does not make
// again. No turn is taken.
template <typename Call>
int64_t KeptInTurn(control::DemoCall kind, void* out, size_t bytes, Call call) {
  iovec piece{out, out == nullptr ? 0 : bytes};
  return control::Recorded(
      kind, true, &piece, 1, [&] { return static_cast<int64_t>(call()); }, [&](int64_t) { return piece.iov_len; });
}
template <typename Call>
int64_t Kept(control::DemoCall kind, void* out, size_t bytes, Call call) {
  return Uncontrolled() ? call() : KeptInTurn(kind, out, bytes, call);
}

// The same for the calls of src/calls/libc.calls: `written` says, from the result, how many of the `room` bytes at `to`
// were written. `fd` >= 0: only when calls on it are recorded; one that writes nothing into memory is made on a file of
// the replay's own place too, so that the file becomes what it was.
template <typename Make, typename Written>
int64_t KeptOutside(int fd, void* to, size_t room, Make make, Written written) {
  if (Uncontrolled()) return make();
  iovec piece{to, to == nullptr ? 0 : room};
  bool made = false;
  int64_t result = control::Recorded(
      control::DemoCall::kOutside, fd < 0 || control::IsRecorded(fd), &piece, 1,
      [&] {
        made = true;
        return make();
      },
      [&](int64_t whole) {
        int64_t bytes = written(whole);
        return bytes < 0 ? 0 : std::min(static_cast<size_t>(bytes), piece.iov_len);
      });
  if (!made && fd >= 0 && to == nullptr && control::IsOwnPlace(fd)) {
    KeepErrno keep;
    make();
  }
  return result;
}

// A call that changes a folder or a file by its path. A replay gives back what it returned; where there is nothing to
// give back (behind the end of the recording, in a child) it does not touch the file and says that it is there to read
// only.
template <typename Make>
int64_t KeptChange(std::initializer_list<const char*> paths, Make make) {
  bool guarded = control::GuardsFiles();
  auto refuse = [] {
    errno = EROFS;
    return int64_t{-1};
  };
  if (guarded && control::g_demo == control::Demo::Off) return refuse();
  if (Uncontrolled() || control::g_demo == control::Demo::Off) return make();
  for (const char* path : paths) control::FileChanges(path);
  return control::Recorded(
      control::DemoCall::kOutside, true, nullptr, 0, [&] { return guarded ? refuse() : make(); },
      [](int64_t) { return uint64_t{0}; });
}

// A call that a recording cannot follow: said once for each.
void NoteUnfollowed(const char* call, bool* told);

}  // namespace heddle::rt
