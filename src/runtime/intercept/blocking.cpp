// Calls that wait for something outside. Under controlled scheduling a thread in one must not be waited for by the
// others; under detection what they report orders threads.
#include <sys/syscall.h>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/turn/descriptors.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/others.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/children.h"
#include "runtime/intercept/open.h"
#include "runtime/libc/real.h"
#include "runtime/raw_syscall.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// With the turn: gives back what a recorded call returned and ends the step; false when there is no such call next.
bool GiveBack(control::DemoCall call, const iovec* pieces, int64_t* result, int count = 1) {
  if (!control::WillPlayBack(call)) return false;
  control::PlayBack(call, result, pieces, count);
  int error = errno;
  // What is done with it is given back too.
  if (call == control::DemoCall::kAccept) control::MakePlaceholder(static_cast<int>(*result));
  control::Done(*result < 0 ? Outcome::Error : Outcome::Success, *result == 0);
  errno = error;
  return true;
}

// The call was made: its result, or that a replay makes it again.
void KeepIfRecording(control::DemoCall call, int64_t result, const iovec* pieces, int count = 1) {
  int error = errno;
  int64_t unused = 0;
  if (control::g_demo == control::Demo::Play) control::PlayBack(call, &unused, nullptr, 0);
  if (control::g_demo == control::Demo::Record && control::IsIgnored(call)) control::KeepReissued(call);
  if (control::g_demo == control::Demo::Record && !control::IsIgnored(call)) {
    uint64_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
    control::Keep(call, result, error, pieces, count, bytes);
  }
  errno = error;
}

int PollInTurn(pollfd* waits, nfds_t count, const timespec* span, const void* pc) {
  iovec piece{waits, count * sizeof(pollfd)};
  int64_t played = 0;
  auto polled = static_cast<uint32_t>(count);
  int ready = control::TakeAnyReady(CallPoint(pc), waits, polled, span, control::DemoCall::kPoll);
  if (ready >= 0 && GiveBack(control::DemoCall::kPoll, &piece, &played)) return static_cast<int>(played);
  KeepIfRecording(control::DemoCall::kPoll, ready, &piece);
  int error = errno;
  if (ready >= 0) control::Done(Outcome::Success, ready == 0);
  errno = error;
  return ready;
}

template <typename Call>
int Accepting(int fd, sockaddr* address, socklen_t* length, const void* pc, Call call) {
  if (Uncontrolled()) return call();
  bool named = address != nullptr && length != nullptr;
  iovec pieces[] = {{length, named ? sizeof *length : 0}, {address, named ? *length : 0}};
  int64_t played = 0;
  bool ready = control::TakeReady(CallPoint(pc), fd, POLLIN, control::DemoCall::kAccept);
  if (ready && GiveBack(control::DemoCall::kAccept, pieces, &played, 2)) return static_cast<int>(played);
  int result = ready ? call() : -1;
  KeepIfRecording(control::DemoCall::kAccept, result, pieces, 2);
  if (!ready) return -1;
  int error = errno;
  control::Done();
  errno = error;
  return result;
}

template <typename Call>
pid_t WaitForChild(int* status, const void* pc, Call call) {
  return Away(pc, [&] {
    auto child = static_cast<pid_t>(Kept(control::DemoCall::kWait, status, sizeof *status, call));
    if (child > 0 && !Uncontrolled()) AwaitMadeChild(child);
    return child;
  });
}

constexpr int kMaxSelect = FD_SETSIZE;

// Whoever learns that there is something to read learns what its writer did.
int PollReady(const pollfd* waits, nfds_t count, int ready) {
  for (nfds_t i = 0; ready > 0 && i < count; ++i) {
    if ((waits[i].revents & ~POLLOUT) != 0) detect::Readable(waits[i].fd);
  }
  return ready;
}
int SelectReady(int limit, const fd_set* read, int ready) {
  for (int fd = 0; ready > 0 && read != nullptr && fd < limit && fd < kMaxSelect; ++fd) {
    if (FD_ISSET(fd, read)) detect::Readable(fd);
  }
  return ready;
}

short EventsOf(int fd, const fd_set* read, const fd_set* write, const fd_set* except) {
  int events = 0;
  if (read != nullptr && FD_ISSET(fd, read)) events |= POLLIN;
  if (write != nullptr && FD_ISSET(fd, write)) events |= POLLOUT;
  if (except != nullptr && FD_ISSET(fd, except)) events |= POLLPRI;
  return static_cast<short>(events);
}

}  // namespace

HEDDLE_INTERCEPT int poll(pollfd* waits, nfds_t count, int timeout) {
  if (Uncontrolled()) return PollReady(waits, count, REAL(poll)(waits, count, timeout));
  timespec span{timeout / 1000, (timeout % 1000) * 1'000'000L};
  return PollReady(waits, count, PollInTurn(waits, count, timeout < 0 ? nullptr : &span, HEDDLE_PC));
}
HEDDLE_INTERCEPT int ppoll(pollfd* waits, nfds_t count, const timespec* span, const sigset_t* mask) {
  if (Uncontrolled()) return PollReady(waits, count, REAL(ppoll)(waits, count, span, mask));
  MaskHolder hold(mask);
  return PollReady(waits, count, PollInTurn(waits, count, span, HEDDLE_PC));
}
static int SelectInTurn(int limit, fd_set* read, fd_set* write, fd_set* except, const timespec* span, const void* pc) {
  fd_set sets[3];
  iovec piece{sets, sizeof sets};
  int64_t played = 0;
  pollfd waits[kMaxSelect];
  uint32_t count = 0;
  for (int fd = 0; fd < limit && fd < kMaxSelect; ++fd) {
    short events = EventsOf(fd, read, write, except);
    if (events != 0) waits[count++] = {fd, events, 0};
  }
  int ready = control::TakeAnyReady(CallPoint(pc), waits, count, span, control::DemoCall::kPoll);
  if (ready >= 0 && GiveBack(control::DemoCall::kPoll, &piece, &played)) {
    if (read != nullptr) *read = sets[0];
    if (write != nullptr) *write = sets[1];
    if (except != nullptr) *except = sets[2];
    return static_cast<int>(played);
  }
  timeval now{0, 0};
  int result = ready < 0 ? -1 : REAL(select)(limit, read, write, except, &now);
  if (read != nullptr) sets[0] = *read;
  if (write != nullptr) sets[1] = *write;
  if (except != nullptr) sets[2] = *except;
  KeepIfRecording(control::DemoCall::kPoll, result, &piece);
  int error = errno;
  if (ready >= 0) control::Done(Outcome::Success, ready == 0);
  errno = error;
  return result;
}
HEDDLE_INTERCEPT int select(int limit, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  if (Uncontrolled()) return SelectReady(limit, read, REAL(select)(limit, read, write, except, timeout));
  timespec span{};
  if (timeout != nullptr) span = {timeout->tv_sec, timeout->tv_usec * 1000};
  int ready = SelectInTurn(limit, read, write, except, timeout == nullptr ? nullptr : &span, HEDDLE_PC);
  return SelectReady(limit, read, ready);
}
HEDDLE_INTERCEPT int pselect(int limit, fd_set* read, fd_set* write, fd_set* except, const timespec* span,
                             const sigset_t* mask) {
  if (Uncontrolled()) return SelectReady(limit, read, REAL(pselect)(limit, read, write, except, span, mask));
  MaskHolder hold(mask);
  return SelectReady(limit, read, SelectInTurn(limit, read, write, except, span, HEDDLE_PC));
}
HEDDLE_INTERCEPT int accept(int fd, sockaddr* address, socklen_t* length) {
  detect::DescriptorUsed(fd, HEDDLE_PC);
  int made = Accepting(fd, address, length, HEDDLE_PC, [&] { return REAL(accept)(fd, address, length); });
  if (made >= 0) detect::Accepted(fd);
  return Opened(made, HEDDLE_PC);
}
HEDDLE_INTERCEPT int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  auto call = [&] { return REAL(accept4)(fd, address, length, flags); };
  detect::DescriptorUsed(fd, HEDDLE_PC);
  int made = Accepting(fd, address, length, HEDDLE_PC, call);
  if (made >= 0) detect::Accepted(fd);
  return Opened(made, HEDDLE_PC);
}
HEDDLE_INTERCEPT int shutdown(int fd, int how) noexcept {
  if (how != SHUT_RD) detect::WritingEnds(fd);
  if (Uncontrolled()) return REAL(shutdown)(fd, how);
  return static_cast<int>(control::Recorded(
      control::DemoCall::kSocket, control::IsRecorded(fd), nullptr, 0,
      [&] { return static_cast<int64_t>(REAL(shutdown)(fd, how)); }, [](int64_t) { return uint64_t{0}; }));
}
HEDDLE_INTERCEPT int connect(int fd, const sockaddr* address, socklen_t length) {
  detect::Connecting(fd, address, length);
  return Away(HEDDLE_PC, [&] {
    if (Uncontrolled()) return REAL(connect)(fd, address, length);
    control::ExpectOthers(control::Outsider::kServer);
    return static_cast<int>(control::Recorded(
        control::DemoCall::kConnect, true, nullptr, 0,
        [&] { return static_cast<int64_t>(REAL(connect)(fd, address, length)); }, [](int64_t) { return uint64_t{0}; }));
  });
}
HEDDLE_INTERCEPT pid_t waitpid(pid_t process, int* status, int options) {
  return WaitForChild(status, HEDDLE_PC, [&] { return REAL(waitpid)(process, status, options); });
}
HEDDLE_INTERCEPT pid_t wait4(pid_t process, int* status, int options, rusage* usage) noexcept {
  return WaitForChild(status, HEDDLE_PC, [&] { return REAL(wait4)(process, status, options, usage); });
}
HEDDLE_INTERCEPT pid_t wait(int* status) {
  return WaitForChild(status, HEDDLE_PC, [&] { return REAL(wait)(status); });
}
