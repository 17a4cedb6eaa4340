#include "runtime/control/turn/descriptors.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cerrno>

#include "runtime/control/replay/demo.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/search/outside_state.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/signals.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"

namespace heddle::rt::control {
namespace {

bool IsReady(pollfd* wait) {
  timespec now{0, 0};
  return Sys(SYS_ppoll, wait, 1, &now, nullptr, 0) != 0;
}

struct Waits {
  pollfd* first;
  uint32_t count;
};

// For searches, which want to know who can go on without trying.
bool AnyReady(const void* context) {
  const auto* waits = static_cast<const Waits*>(context);
  timespec now{0, 0};
  return Sys(SYS_ppoll, waits->first, waits->count, &now, nullptr, 0) != 0;
}

// Others of this process decide when the wait ends, and nobody else.
bool IsInternalWait(const Waits& waits) {
  bool internal = Exploring() && waits.count > 0;
  for (uint32_t i = 0; i < waits.count && internal; ++i)
    internal = waits.first[i].fd < 0 || IsInternal(waits.first[i].fd);
  return internal;
}

// The thread is in the kernel.
class Standing {
 public:
  explicit Standing(ControlThread* self) : self_(self) {
    if (self_ != nullptr) self_->stands.store(true);
  }
  ~Standing() {
    if (self_ != nullptr) self_->stands.store(false);
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

 private:
  ControlThread* self_;
};

bool NeverBlocks(int fd) {
  long flags = Sys(SYS_fcntl, fd, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

}  // namespace

bool WaitInKernel(pollfd* waits, uint32_t count, const timespec* span) {
  KeepErrno keep;
  LeaveTurn();
  ControlThread* self = Self();
  Standing standing(self);
  auto wait = [&](const sigset_t* mask) {
    if (self == nullptr) return Sys(SYS_ppoll, waits, count, span, mask, sizeof(uint64_t));
    return SysAsleep(&self->fiber, SYS_ppoll, waits, count, span, mask, sizeof(uint64_t), 0L);
  };
  if (!HandlersInstalled()) return wait(nullptr) >= 0;
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  long ready = t_hot.pending != 0 ? -1 : wait(&mask);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return ready >= 0;
}

bool TakeReady(const Point& point, int fd, short events, DemoCall call) {
  pollfd wait{fd, events, 0};
  bool waits = !NeverBlocks(fd);
  Waits all{&wait, 1};
  Point known = point;
  if (waits && IsInternalWait(all)) {
    known.ready = AnyReady;
    known.context = &all;
  }
  const ControlThread* self = Self();
  for (;;) {
    if (waits && RealTime() && !IsReady(&wait)) WaitInKernel(&wait, 1, nullptr);
    Take(known);
    if (WillPlayBack(call)) return true;
    while (waits && !IsReady(&wait)) {
      if (Interrupted(self, true)) {
        Done(Outcome::Error, true);
        errno = EINTR;
        return false;
      }
      if (RealTime()) break;
      BlockOnDescriptors(&wait, 1);
      if (WillPlayBack(call)) return true;  // a checkpoint was taken up meanwhile
    }
    if (!waits || !RealTime() || IsReady(&wait)) return true;
    PutBack();  // another thread was faster, or a handler ran
  }
}

int TakeAnyReady(const Point& point, pollfd* waits, uint32_t count, const timespec* span, DemoCall call) {
  timespec until{};
  if (span != nullptr) {
    until = Later(CLOCK_MONOTONIC, *span);
    ExpectInput(waits, count);
  }
  if (RealTime()) WaitInKernel(waits, count, span);
  Waits all{waits, count};
  Point known = point;
  if (span == nullptr && IsInternalWait(all)) {
    known.ready = AnyReady;
    known.context = &all;
  }
  Take(known);
  const ControlThread* self = Self();
  for (;;) {
    if (WillPlayBack(call)) return 0;  // asked again: a checkpoint may have been taken up while it waited
    timespec now{0, 0};
    long ready = Sys(SYS_ppoll, waits, count, &now, nullptr, 0);
    if (ready < 0 || (ready == 0 && Interrupted(self, false))) {
      int error = ready < 0 ? errno : EINTR;
      Done(Outcome::Error, true);
      errno = error;
      return -1;
    }
    if (ready != 0 || RealTime()) return static_cast<int>(ready);
    if (span != nullptr && WaitsLast() && BlockOnDescriptors(waits, count, LogicalOf(CLOCK_MONOTONIC, until))) continue;
    if (span != nullptr && !IsInternalWait(all) && WaitsInPlace()) ready = WaitInPlace(waits, count, *span);
    if (ready != 0) return static_cast<int>(ready);
    if (span != nullptr) {
      PassTime(Self(), LogicalOf(CLOCK_MONOTONIC, until));
      HintYield();
      return 0;
    }
    BlockOnDescriptors(waits, count);
  }
}

}  // namespace heddle::rt::control
