// Descriptors. What one thread writes into a pipe or socket and another reads orders them, so both are visible.
#include "runtime/control/demo.h"
#include "runtime/control/descriptors.h"
#include "runtime/control/step_log.h"
#include "runtime/detect/record_file.h"
#include "runtime/intercept/real.h"
#include "runtime/record/output.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

const void* Descriptor(int fd) { return reinterpret_cast<const void*>(static_cast<intptr_t>(fd)); }  // NOLINT

// What a reading call writes: `fixed` bytes in any case, then `unit` bytes for each that it counts.
struct Output {
  const iovec* pieces;
  int count;
  uint64_t unit = 1;
  uint64_t fixed = 0;
};

// A handler ran instead: that is the call's result.
ssize_t Interrupted(control::DemoCall call) {
  int error = errno;
  if (control::g_demo == control::Demo::Record) control::Keep(call, -1, error, nullptr, 0, 0);
  errno = error;
  return -1;
}

// The same under control: in a turn, in which the call cannot block.
template <typename Call>
ssize_t ReadingInTurn(int fd, const void* pc, const Output& output, Call call) {
  Op op = MakeOp(Kind::FdRead, Descriptor(fd), pc);
  if (control::WillPlayBack(control::DemoCall::kRead)) {
    control::Take(control::PointOf(op));
  } else if (!control::TakeReady(control::PointOf(op), fd, POLLIN)) {
    return Interrupted(control::DemoCall::kRead);
  }
  bool kept = control::g_demo == control::Demo::Record && control::IsRecorded(fd);
  auto n = static_cast<ssize_t>(control::Recorded(
      control::DemoCall::kRead, kept, output.pieces, output.count, [&] { return static_cast<int64_t>(call()); },
      [&](int64_t counted) { return output.fixed + output.unit * static_cast<uint64_t>(counted); }));
  int error = errno;
  op.arg = n > 0 ? static_cast<uint64_t>(n) : 0;
  op.result = static_cast<uint8_t>(OutcomeOf(n < 0 ? error : 0));
  g_hooks.commit(op);
  control::Wake(control::kDescriptorKey);  // there is room for writers now
  control::Done(OutcomeOf(n < 0 ? error : 0));
  errno = error;
  return n;
}

template <typename Call>
ssize_t WritingInTurn(int fd, size_t bytes, const void* pc, Call call) {
  Op op = MakeOp(Kind::FdWrite, Descriptor(fd), pc, bytes);
  if (control::WillPlayBack(control::DemoCall::kWrite)) {
    control::Take(control::PointOf(op));
  } else if (!control::TakeReady(control::PointOf(op), fd, POLLOUT)) {
    return Interrupted(control::DemoCall::kWrite);
  }
  g_hooks.commit(op);
  bool kept = control::g_demo == control::Demo::Record && control::IsRecorded(fd);
  auto n = static_cast<ssize_t>(control::Recorded(
      control::DemoCall::kWrite, kept, nullptr, 0, [&] { return static_cast<int64_t>(call()); },
      [](int64_t) { return uint64_t{0}; }));
  int error = errno;
  if (n < 0) g_hooks.amend(OutcomeOf(error));
  control::Wake(control::kDescriptorKey);
  control::Done(OutcomeOf(n < 0 ? error : 0));
  errno = error;
  return n;
}

template <typename Call>
ssize_t Reading(int fd, const void* pc, const Output& output, Call call) {
  if (control::Controlled()) return ReadingInTurn(fd, pc, output, call);
  ssize_t n = call();
  int error = errno;
  Op op = MakeOp(Kind::FdRead, Descriptor(fd), pc, n > 0 ? static_cast<uint64_t>(n) : 0);
  op.result = static_cast<uint8_t>(OutcomeOf(n < 0 ? error : 0));
  Commit(op);
  errno = error;
  return n;
}

// In the order before it happens: the reader may have it before write returns.
template <typename Call>
ssize_t Writing(int fd, size_t bytes, const void* pc, Call call) {
  if (control::Controlled()) return WritingInTurn(fd, bytes, pc, call);
  Commit(MakeOp(Kind::FdWrite, Descriptor(fd), pc, bytes));
  ssize_t n = call();
  if (n < 0) {
    int error = errno;
    RuntimeScope scope;
    g_hooks.amend(OutcomeOf(error));
    errno = error;
  }
  return n;
}

size_t Total(const iovec* pieces, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

}  // namespace

HEDDLE_INTERCEPT ssize_t read(int fd, void* to, size_t bytes) {
  if (Passive()) return REAL(read)(fd, to, bytes);
  iovec piece{to, bytes};
  return Reading(fd, HEDDLE_PC, {&piece, 1}, [&] { return REAL(read)(fd, to, bytes); });
}
HEDDLE_INTERCEPT ssize_t readv(int fd, const iovec* pieces, int count) {
  if (Passive()) return REAL(readv)(fd, pieces, count);
  return Reading(fd, HEDDLE_PC, {pieces, count}, [&] { return REAL(readv)(fd, pieces, count); });
}
HEDDLE_INTERCEPT ssize_t recv(int fd, void* to, size_t bytes, int flags) {
  if (Passive()) return REAL(recv)(fd, to, bytes, flags);
  iovec piece{to, bytes};
  return Reading(fd, HEDDLE_PC, {&piece, 1}, [&] { return REAL(recv)(fd, to, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t recvfrom(int fd, void* to, size_t bytes, int flags, sockaddr* address, socklen_t* length) {
  if (Passive()) return REAL(recvfrom)(fd, to, bytes, flags, address, length);
  bool named = address != nullptr && length != nullptr;
  iovec pieces[] = {{address, named ? *length : 0}, {length, named ? sizeof *length : 0}, {to, bytes}};
  uint64_t fixed = pieces[0].iov_len + pieces[1].iov_len;
  return Reading(fd, HEDDLE_PC, {pieces, 3, 1, fixed},
                 [&] { return REAL(recvfrom)(fd, to, bytes, flags, address, length); });
}
HEDDLE_INTERCEPT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (Passive()) return REAL(recvmsg)(fd, message, flags);
  return Reading(fd, HEDDLE_PC, {message->msg_iov, static_cast<int>(message->msg_iovlen)},
                 [&] { return REAL(recvmsg)(fd, message, flags); });
}
HEDDLE_INTERCEPT int epoll_wait(int fd, epoll_event* events, int limit, int timeout) {
  if (Passive()) return REAL(epoll_wait)(fd, events, limit, timeout);
  if (control::Controlled() && timeout >= 0) {
    // With a limit: in logical time it is up when nothing is ready; real time passes before the turn.
    pollfd wait{fd, POLLIN, 0};
    if (control::RealTime()) REAL(poll)(&wait, 1, timeout);
    iovec piece{events, sizeof(epoll_event) * static_cast<size_t>(limit < 0 ? 0 : limit)};
    return control::CallInTurn(static_cast<uint8_t>(Kind::FdRead), static_cast<uint64_t>(fd), HEDDLE_PC, [&] {
      return static_cast<int>(control::Recorded(
          control::DemoCall::kRead, true, &piece, 1,
          [&] { return static_cast<int64_t>(REAL(epoll_wait)(fd, events, limit, 0)); },
          [](int64_t count) { return static_cast<uint64_t>(count) * sizeof(epoll_event); }));
    });
  }
  iovec piece{events, sizeof(epoll_event) * static_cast<size_t>(limit < 0 ? 0 : limit)};
  return static_cast<int>(Reading(fd, HEDDLE_PC, {&piece, 1, sizeof(epoll_event)},
                                  [&] { return static_cast<ssize_t>(REAL(epoll_wait)(fd, events, limit, timeout)); }));
}

HEDDLE_INTERCEPT ssize_t write(int fd, const void* from, size_t bytes) {
  if (Passive()) return REAL(write)(fd, from, bytes);
  return Writing(fd, bytes, HEDDLE_PC, [&] { return REAL(write)(fd, from, bytes); });
}
HEDDLE_INTERCEPT ssize_t writev(int fd, const iovec* pieces, int count) {
  if (Passive()) return REAL(writev)(fd, pieces, count);
  return Writing(fd, Total(pieces, count), HEDDLE_PC, [&] { return REAL(writev)(fd, pieces, count); });
}
HEDDLE_INTERCEPT ssize_t send(int fd, const void* from, size_t bytes, int flags) {
  if (Passive()) return REAL(send)(fd, from, bytes, flags);
  return Writing(fd, bytes, HEDDLE_PC, [&] { return REAL(send)(fd, from, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t sendto(int fd, const void* from, size_t bytes, int flags, const sockaddr* address,
                                socklen_t length) {
  if (Passive()) return REAL(sendto)(fd, from, bytes, flags, address, length);
  return Writing(fd, bytes, HEDDLE_PC, [&] { return REAL(sendto)(fd, from, bytes, flags, address, length); });
}
HEDDLE_INTERCEPT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (Passive()) return REAL(sendmsg)(fd, message, flags);
  return Writing(fd, Total(message->msg_iov, static_cast<int>(message->msg_iovlen)), HEDDLE_PC,
                 [&] { return REAL(sendmsg)(fd, message, flags); });
}
HEDDLE_INTERCEPT int epoll_ctl(int fd, int operation, int about, epoll_event* event) noexcept {
  if (Passive()) return REAL(epoll_ctl)(fd, operation, about, event);
  return static_cast<int>(
      Writing(fd, 0, HEDDLE_PC, [&] { return static_cast<ssize_t>(REAL(epoll_ctl)(fd, operation, about, event)); }));
}
HEDDLE_INTERCEPT int close(int fd) {
  if (Passive()) return REAL(close)(fd);
  // Daemons close every descriptor there might be; this one they never opened.
  if (fd >= 0 && (fd == g_output.fd() || fd == detect::RecordDescriptor() || fd == control::StepLogDescriptor() ||
                  fd == control::DemoDescriptor())) {
    errno = EBADF;
    return -1;
  }
  if (control::Controlled()) {
    return control::ReleaseInTurn(MakeOp(Kind::FdClose, Descriptor(fd), HEDDLE_PC),
                                  [&] {
                                    int result = REAL(close)(fd);
                                    control::Wake(control::kDescriptorKey);
                                    return result == 0 ? 0 : errno;
                                  }) == 0
               ? 0
               : -1;
  }
  Commit(MakeOp(Kind::FdClose, Descriptor(fd), HEDDLE_PC));
  return REAL(close)(fd);
}
