#include "runtime/control/descriptors.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>

#include "runtime/control/logical_time.h"
#include "runtime/intercept/real.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

bool IsReady(pollfd* wait) {
  timespec now{0, 0};
  return Sys(SYS_ppoll, wait, 1, &now, nullptr, 0) != 0;
}

bool NeverBlocks(int fd) {
  long flags = Sys(SYS_fcntl, fd, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

}  // namespace

bool TakeReady(const Point& point, int fd, short events) {
  pollfd wait{fd, events, 0};
  bool waits = !NeverBlocks(fd);
  const ControlThread* self = Self();
  for (;;) {
    if (waits && RealTime() && !IsReady(&wait) && REAL(poll)(&wait, 1, -1) < 0) return false;
    Take(point);
    uint32_t signals = self->signals;
    while (waits && !IsReady(&wait) && !RealTime()) {
      BlockOnDescriptors(&wait, 1);
      if (self->signals == signals) continue;
      Done(Outcome::Error, true);
      errno = EINTR;
      return false;
    }
    if (!waits || !RealTime() || IsReady(&wait)) return true;
    Done(Outcome::Busy, true);  // another thread was faster
  }
}

int TakeAnyReady(const Point& point, pollfd* waits, uint32_t count, const timespec* span) {
  timespec until{};
  if (span != nullptr) until = Later(CLOCK_MONOTONIC, *span);
  if (RealTime()) {
    long ready = Sys(SYS_ppoll, waits, count, span, nullptr, 0);
    if (ready < 0) return -1;
  }
  Take(point);
  const ControlThread* self = Self();
  uint32_t signals = self->signals;
  for (;;) {
    timespec now{0, 0};
    long ready = Sys(SYS_ppoll, waits, count, &now, nullptr, 0);
    if (ready != 0 || RealTime()) return static_cast<int>(ready);
    if (span != nullptr) {
      PassTime(Self(), LogicalOf(CLOCK_MONOTONIC, until));
      HintYield();
      return 0;
    }
    BlockOnDescriptors(waits, count);
    if (self->signals == signals) continue;
    Done(Outcome::Error, true);
    errno = EINTR;
    return -1;
  }
}

}  // namespace heddle::rt::control
