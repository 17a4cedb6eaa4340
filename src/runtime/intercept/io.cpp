// Descriptors. What one thread writes into a pipe or socket and another reads orders them, so both are visible.
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/syscall.h>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/output_check.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/replay/written_files.h"
#include "runtime/control/turn/descriptors.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/closing.h"
#include "runtime/intercept/long_writes.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/output/findings_file.h"
#include "runtime/output/trace_file.h"
#include "runtime/raw_syscall.h"
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
  bool at_once = false;  // MSG_DONTWAIT: it never waits
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
  if (output.at_once) {
    control::Take(control::PointOf(op));
  } else if (!control::TakeReady(control::PointOf(op), fd, POLLIN, control::DemoCall::kRead)) {
    return Interrupted(control::DemoCall::kRead);
  }
  bool kept = control::g_demo == control::Demo::Record && control::IsRecorded(fd);
  bool made = false;
  auto n = static_cast<ssize_t>(control::Recorded(
      control::DemoCall::kRead, kept, output.pieces, output.count,
      [&] {
        made = true;
        return static_cast<int64_t>(call());
      },
      [&](int64_t counted) { return output.fixed + output.unit * static_cast<uint64_t>(counted); }));
  int error = errno;
  if (!made && n > 0 && control::IsOwnPlace(fd)) Sys(SYS_lseek, fd, n, SEEK_CUR);
  op.arg = n > 0 ? static_cast<uint64_t>(n) : 0;
  op.result = static_cast<uint8_t>(OutcomeOf(n < 0 ? error : 0));
  g_hooks.commit(op);
  control::Wake(control::kDescriptorKey);  // there is room for writers now
  control::Done(OutcomeOf(n < 0 ? error : 0));
  errno = error;
  return n;
}

size_t Total(const iovec* pieces, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

// What a writing call reads. Null: nothing, and it never waits.
struct Input {
  const iovec* pieces;
  int count;
  const iovec* result = nullptr;  // what it writes besides
  Parts parts = Parts::None;
  int flags = 0;  // Parts::Send
};

void CheckOutput(int fd, const Input& input, const void* pc) {
  if (!control::OutputChecked(fd)) return;
  for (int i = 0; i < input.count && input.pieces[i].iov_base != nullptr; ++i) {
    control::NoteOutput(input.pieces[i].iov_base, input.pieces[i].iov_len, reinterpret_cast<uint64_t>(pc));
  }
}

// With the turn: whether the write is made in parts.
bool IsInParts(int fd, const Input& input, size_t bytes) {
  if (input.parts == Parts::None || bytes <= kSureBytes) return false;
  if (control::g_demo == control::Demo::Play && control::WillPlayBack(control::DemoCall::kWrite)) {
    return control::NextIsPart(control::DemoCall::kWrite);
  }
  return IsBlockingStream(fd) && (control::g_demo == control::Demo::Off || control::IsRecorded(fd));
}

// One part, with the turn; `goes_on`: it was not the last.
int64_t PartInTurn(int fd, const Input& input, size_t done, size_t bytes, bool* goes_on) {
  using control::DemoCall;
  int64_t n = 0;
  *goes_on = control::g_demo == control::Demo::Play && control::NextIsPart(DemoCall::kWrite);
  if (control::g_demo == control::Demo::Play && control::PlayBack(DemoCall::kWrite, &n, nullptr, 0)) return n;
  n = WriteOnePart(fd, input.pieces, input.count, done, input.parts, input.flags);
  int error = errno;
  *goes_on = n >= 0 && done + static_cast<size_t>(n) < bytes;
  if (control::g_demo == control::Demo::Record) {
    *goes_on ? control::KeepPart(DemoCall::kWrite, n) : control::Keep(DemoCall::kWrite, n, error, nullptr, 0, 0);
  }
  errno = error;
  return n;
}

// With the turn for the first part. What was written counts, whatever ends it.
ssize_t WritingInParts(int fd, const Input& input, const Op& op, size_t bytes) {
  size_t done = 0;
  for (;;) {
    bool goes_on = false;
    int64_t n = PartInTurn(fd, input, done, bytes, &goes_on);
    int error = errno;
    if (n < 0) g_hooks.amend(OutcomeOf(error));
    control::Wake(control::kDescriptorKey);
    control::Done(OutcomeOf(n < 0 ? error : 0));
    errno = error;
    if (n < 0) return done > 0 ? static_cast<ssize_t>(done) : -1;
    done += static_cast<size_t>(n);
    if (!goes_on) return static_cast<ssize_t>(done);
    if (!control::TakeReady(control::PointOf(op), fd, POLLOUT, control::DemoCall::kWrite)) {
      Interrupted(control::DemoCall::kWrite);
      return done > 0 ? static_cast<ssize_t>(done) : -1;
    }
    g_hooks.commit(op);
  }
}

template <typename Call>
ssize_t WritingInTurn(int fd, const Input& input, const void* pc, Call call) {
  Op op = MakeOp(Kind::FdWrite, Descriptor(fd), pc, Total(input.pieces, input.count));
  bool at_once = input.pieces == nullptr;  // epoll_ctl
  if (at_once) {
    control::Take(control::PointOf(op));
  } else if (!control::TakeReady(control::PointOf(op), fd, POLLOUT, control::DemoCall::kWrite)) {
    return Interrupted(control::DemoCall::kWrite);
  }
  CheckOutput(fd, input, pc);
  g_hooks.commit(op);
  if (IsInParts(fd, input, op.arg)) return WritingInParts(fd, input, op, op.arg);
  bool kept = control::g_demo == control::Demo::Record && control::IsRecorded(fd);
  bool made = false;
  auto n = static_cast<ssize_t>(control::Recorded(
      control::DemoCall::kWrite, kept, input.result, input.result == nullptr ? 0 : 1,
      [&] {
        made = true;
        return static_cast<int64_t>(call());
      },
      [&](int64_t) { return input.result == nullptr ? uint64_t{0} : input.result->iov_len; }));
  int error = errno;
  if (!made && n > 0 && control::IsOwnPlace(fd)) call();
  if (n < 0) g_hooks.amend(OutcomeOf(error));
  control::Wake(control::kDescriptorKey);
  control::Done(OutcomeOf(n < 0 ? error : 0));
  errno = error;
  return n;
}

// What the call wrote is an access of its caller.
void Received(const void* pc, const Output& output, ssize_t n) {
  if (n < 0 || !IsWatchedCall(pc)) return;
  int error = errno;
  auto bytes = static_cast<int64_t>(output.fixed + output.unit * static_cast<uint64_t>(n));
  WritesPieces(const_cast<void*>(pc), output.pieces, output.count, bytes);
  errno = error;
}

template <typename Call>
ssize_t Reading(int fd, const void* pc, const Output& output, Call call) {
  detect::DescriptorUsed(fd, pc);
  if (control::Controlled()) {
    ssize_t in_turn = ReadingInTurn(fd, pc, output, call);
    Received(pc, output, in_turn);
    return in_turn;
  }
  ssize_t n = call();
  int error = errno;
  Op op = MakeOp(Kind::FdRead, Descriptor(fd), pc, n > 0 ? static_cast<uint64_t>(n) : 0);
  op.result = static_cast<uint8_t>(OutcomeOf(n < 0 ? error : 0));
  Commit(op);
  Received(pc, output, n);  // behind what the sender did
  errno = error;
  return n;
}

// In the order before it happens: the reader may have it before write returns.
template <typename Call>
ssize_t Writing(int fd, const Input& input, const void* pc, Call call) {
  if (IsWatchedCall(pc)) ReadsPieces(const_cast<void*>(pc), input.pieces, input.count);
  if (control::Controlled()) return WritingInTurn(fd, input, pc, call);
  Commit(MakeOp(Kind::FdWrite, Descriptor(fd), pc, Total(input.pieces, input.count)));
  ssize_t n = call();
  if (n < 0) {
    int error = errno;
    RuntimeScope scope;
    g_hooks.amend(OutcomeOf(error));
    errno = error;
  }
  return n;
}

// What recvmsg writes besides the data: the sender, the control data, and how much of each there was.
constexpr int kMaxMessagePieces = 64;
Output MessageOutput(msghdr* message, iovec* pieces) {
  pieces[0] = {message->msg_name, message->msg_name == nullptr ? 0 : message->msg_namelen};
  pieces[1] = {&message->msg_namelen, sizeof message->msg_namelen};
  pieces[2] = {message->msg_control, message->msg_control == nullptr ? 0 : message->msg_controllen};
  pieces[3] = {&message->msg_controllen, sizeof message->msg_controllen};
  pieces[4] = {&message->msg_flags, sizeof message->msg_flags};
  int count = 5;
  uint64_t fixed = Total(pieces, count);
  for (size_t i = 0; i < message->msg_iovlen && count < kMaxMessagePieces; ++i) pieces[count++] = message->msg_iov[i];
  return {pieces, count, 1, fixed};
}

// Those that came with it (SCM_RIGHTS).
void DescriptorsOf(msghdr* message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(message); at != nullptr; at = CMSG_NXTHDR(message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(at) + i * sizeof fd, sizeof fd);
      control::DescriptorReceived(fd);
    }
  }
}

template <typename Call>
int ReceivingMany(int fd, mmsghdr* messages, const void* pc, Call call) {
  detect::DescriptorUsed(fd, pc);
  int count = call();
  if (count <= 0) return count;
  KeepErrno keep;
  Commit(MakeOp(Kind::FdRead, Descriptor(fd), pc, static_cast<uint64_t>(count)));
  if (!IsWatchedCall(pc)) return count;
  for (int i = 0; i < count; ++i) {
    const msghdr& message = messages[i].msg_hdr;
    WritesRange(const_cast<void*>(pc), &messages[i].msg_len, sizeof messages[i].msg_len);
    WritesPieces(const_cast<void*>(pc), message.msg_iov, static_cast<int64_t>(message.msg_iovlen), messages[i].msg_len);
  }
  return count;
}
template <typename Call>
int SendingMany(int fd, const mmsghdr* messages, unsigned count, const void* pc, Call call) {
  for (unsigned i = 0; i < count && IsWatchedCall(pc); ++i) {
    const msghdr& message = messages[i].msg_hdr;
    ReadsPieces(const_cast<void*>(pc), message.msg_iov, static_cast<int64_t>(message.msg_iovlen));
  }
  Commit(MakeOp(Kind::FdWrite, Descriptor(fd), pc));
  return call();
}

// From one descriptor to another within the kernel. What is read must be known before it is written: so the call is
// made when there is something to read.
template <typename Call>
ssize_t Moving(int in, int out, bool waits, const void* pc, Call call) {
  static bool told = false;
  NoteUnfollowed("splice, tee or copy_file_range", &told);
  if (Passive() || control::Controlled()) return call();
  detect::DescriptorUsed(in, pc);
  bool file_waits = (Sys(SYS_fcntl, in, F_GETFL) & O_NONBLOCK) == 0;
  pollfd wait{in, POLLIN, 0};
  if (waits && file_waits) Sys(SYS_ppoll, &wait, 1, nullptr, nullptr, 0);
  Commit(MakeOp(Kind::FdRead, Descriptor(in), pc));
  Commit(MakeOp(Kind::FdWrite, Descriptor(out), pc));
  return call();
}

void Polled(int fd, const epoll_event* events, int count) {
  for (int i = 0; i < count; ++i) {
    if ((events[i].events & ~static_cast<uint32_t>(EPOLLOUT)) != 0) detect::PollReported(fd, events[i].data.u64);
  }
}

template <typename Call>
int EpollWait(int fd, epoll_event* events, int limit, const void* pc, Call call) {
  iovec piece{events, sizeof(epoll_event) * static_cast<size_t>(limit < 0 ? 0 : limit)};
  auto count =
      static_cast<int>(Reading(fd, pc, {&piece, 1, sizeof(epoll_event)}, [&] { return static_cast<ssize_t>(call()); }));
  Polled(fd, events, count);
  return count;
}

int EpollInTurn(int fd, epoll_event* events, int limit, const timespec* span, const void* pc) {
  pollfd wait{fd, POLLIN, 0};
  Op op = MakeOp(Kind::FdRead, Descriptor(fd), pc);
  if (control::TakeAnyReady(control::PointOf(op), &wait, 1, span, control::DemoCall::kRead) < 0) {
    return static_cast<int>(Interrupted(control::DemoCall::kRead));
  }
  iovec piece{events, sizeof(epoll_event) * static_cast<size_t>(limit < 0 ? 0 : limit)};
  auto n = static_cast<int>(control::Recorded(
      control::DemoCall::kRead, true, &piece, 1,
      [&] { return static_cast<int64_t>(REAL(epoll_wait)(fd, events, limit, 0)); },
      [](int64_t count) { return static_cast<uint64_t>(count) * sizeof(epoll_event); }));
  int error = errno;
  op.result = static_cast<uint8_t>(OutcomeOf(n < 0 ? error : 0));
  g_hooks.commit(op);
  control::Done(OutcomeOf(n < 0 ? error : 0), n <= 0);
  Polled(fd, events, n);
  errno = error;
  return n;
}

// Of heddle's own files.
bool IsOwn(int fd) {
  return fd == g_output.fd() || fd == FindingsDescriptor() || fd == control::StepLogDescriptor() ||
         fd == control::DemoDescriptor();
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
  return Reading(fd, HEDDLE_PC, {&piece, 1, 1, 0, (flags & MSG_DONTWAIT) != 0},
                 [&] { return REAL(recv)(fd, to, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t recvfrom(int fd, void* to, size_t bytes, int flags, sockaddr* address, socklen_t* length) {
  if (Passive()) return REAL(recvfrom)(fd, to, bytes, flags, address, length);
  bool named = address != nullptr && length != nullptr;
  iovec pieces[] = {{address, named ? *length : 0}, {length, named ? sizeof *length : 0}, {to, bytes}};
  uint64_t fixed = pieces[0].iov_len + pieces[1].iov_len;
  return Reading(fd, HEDDLE_PC, {pieces, 3, 1, fixed, (flags & MSG_DONTWAIT) != 0},
                 [&] { return REAL(recvfrom)(fd, to, bytes, flags, address, length); });
}
HEDDLE_INTERCEPT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (Passive()) return REAL(recvmsg)(fd, message, flags);
  iovec pieces[kMaxMessagePieces];
  auto output = MessageOutput(message, pieces);
  output.at_once = (flags & MSG_DONTWAIT) != 0;
  ssize_t n = Reading(fd, HEDDLE_PC, output, [&] { return REAL(recvmsg)(fd, message, flags); });
  if (n >= 0 && control::g_demo != control::Demo::Off) DescriptorsOf(message);
  return n;
}
// One message after the other: the limit of time is not looked at.
HEDDLE_INTERCEPT int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* span) {
  if (Passive()) return REAL(recvmmsg)(fd, messages, count, flags, span);
  if (!control::Controlled())
    return ReceivingMany(fd, messages, HEDDLE_PC, [&] { return REAL(recvmmsg)(fd, messages, count, flags, span); });
  unsigned got = 0;
  for (; got < count; ++got) {
    int how = got > 0 && (flags & MSG_WAITFORONE) != 0 ? flags | MSG_DONTWAIT : flags;
    ssize_t n = recvmsg(fd, &messages[got].msg_hdr, how & ~MSG_WAITFORONE);
    if (n < 0) return got > 0 ? static_cast<int>(got) : -1;
    messages[got].msg_len = static_cast<unsigned>(n);
  }
  return static_cast<int>(got);
}
HEDDLE_INTERCEPT int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (Passive()) return REAL(sendmmsg)(fd, messages, count, flags);
  if (!control::Controlled())
    return SendingMany(fd, messages, count, HEDDLE_PC, [&] { return REAL(sendmmsg)(fd, messages, count, flags); });
  unsigned sent = 0;
  for (; sent < count; ++sent) {
    ssize_t n = sendmsg(fd, &messages[sent].msg_hdr, flags);
    if (n < 0) return sent > 0 ? static_cast<int>(sent) : -1;
    messages[sent].msg_len = static_cast<unsigned>(n);
  }
  return static_cast<int>(sent);
}
HEDDLE_INTERCEPT int eventfd_read(int fd, eventfd_t* value) {
  OnBehalfOf caller(HEDDLE_PC);
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}
HEDDLE_INTERCEPT int eventfd_write(int fd, eventfd_t value) {
  OnBehalfOf caller(HEDDLE_PC);
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
HEDDLE_INTERCEPT int epoll_wait(int fd, epoll_event* events, int limit, int timeout) {
  if (Passive()) return REAL(epoll_wait)(fd, events, limit, timeout);
  timespec span{timeout / 1000, (timeout % 1000) * 1'000'000L};
  if (control::Controlled()) return EpollInTurn(fd, events, limit, timeout < 0 ? nullptr : &span, HEDDLE_PC);
  return EpollWait(fd, events, limit, HEDDLE_PC, [&] { return REAL(epoll_wait)(fd, events, limit, timeout); });
}

HEDDLE_INTERCEPT int epoll_pwait(int fd, epoll_event* events, int limit, int timeout, const sigset_t* mask) {
  if (Passive()) return REAL(epoll_pwait)(fd, events, limit, timeout, mask);
  if (!control::Controlled()) {
    auto call = [&] { return REAL(epoll_pwait)(fd, events, limit, timeout, mask); };
    return EpollWait(fd, events, limit, HEDDLE_PC, call);
  }
  timespec span{timeout / 1000, (timeout % 1000) * 1'000'000L};
  MaskHolder hold(mask);
  return EpollInTurn(fd, events, limit, timeout < 0 ? nullptr : &span, HEDDLE_PC);
}

HEDDLE_INTERCEPT ssize_t write(int fd, const void* from, size_t bytes) {
  if (Passive()) return REAL(write)(fd, from, bytes);
  iovec piece{const_cast<void*>(from), bytes};
  return Writing(fd, {&piece, 1, nullptr, Parts::Write}, HEDDLE_PC, [&] { return REAL(write)(fd, from, bytes); });
}
HEDDLE_INTERCEPT ssize_t writev(int fd, const iovec* pieces, int count) {
  if (Passive()) return REAL(writev)(fd, pieces, count);
  return Writing(fd, {pieces, count, nullptr, Parts::Write}, HEDDLE_PC,
                 [&] { return REAL(writev)(fd, pieces, count); });
}
HEDDLE_INTERCEPT ssize_t send(int fd, const void* from, size_t bytes, int flags) {
  if (Passive()) return REAL(send)(fd, from, bytes, flags);
  iovec piece{const_cast<void*>(from), bytes};
  Parts parts = (flags & (MSG_DONTWAIT | MSG_OOB)) != 0 ? Parts::None : Parts::Send;
  return Writing(fd, {&piece, 1, nullptr, parts, flags}, HEDDLE_PC, [&] { return REAL(send)(fd, from, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t sendto(int fd, const void* from, size_t bytes, int flags, const sockaddr* address,
                                socklen_t length) {
  if (Passive()) return REAL(sendto)(fd, from, bytes, flags, address, length);
  iovec piece{const_cast<void*>(from), bytes};
  return Writing(fd, {&piece, 1}, HEDDLE_PC, [&] { return REAL(sendto)(fd, from, bytes, flags, address, length); });
}
HEDDLE_INTERCEPT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (Passive()) return REAL(sendmsg)(fd, message, flags);
  return Writing(fd, {message->msg_iov, static_cast<int>(message->msg_iovlen)}, HEDDLE_PC,
                 [&] { return REAL(sendmsg)(fd, message, flags); });
}
// From a file, without passing through the program. What a replay does not send is skipped in the file.
HEDDLE_INTERCEPT ssize_t sendfile(int out, int in, off_t* offset, size_t bytes) noexcept {
  if (Passive()) return REAL(sendfile)(out, in, offset, bytes);
  iovec piece{nullptr, bytes};
  iovec place{offset, offset == nullptr ? 0 : sizeof *offset};
  bool made = false;
  auto call = [&] {
    made = true;
    return REAL(sendfile)(out, in, offset, bytes);
  };
  ssize_t n = Writing(out, {&piece, 1, &place}, HEDDLE_PC, call);
  if (!made && n > 0 && offset == nullptr) Sys(SYS_lseek, in, n, SEEK_CUR);
  return n;
}
HEDDLE_INTERCEPT ssize_t sendfile64(int out, int in, off64_t* offset, size_t bytes) noexcept {
  return sendfile(out, in, offset, bytes);
}
HEDDLE_INTERCEPT ssize_t splice(int in, off64_t* at, int out, off64_t* to, size_t bytes, unsigned flags) {
  static auto* const real = reinterpret_cast<decltype(&splice)>(FindNext("splice"));
  return Moving(in, out, (flags & SPLICE_F_NONBLOCK) == 0, HEDDLE_PC,
                [&] { return real(in, at, out, to, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t tee(int in, int out, size_t bytes, unsigned flags) {
  static auto* const real = reinterpret_cast<decltype(&tee)>(FindNext("tee"));
  return Moving(in, out, (flags & SPLICE_F_NONBLOCK) == 0, HEDDLE_PC, [&] { return real(in, out, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t copy_file_range(int in, off64_t* at, int out, off64_t* to, size_t bytes, unsigned flags) {
  static auto* const real = reinterpret_cast<decltype(&copy_file_range)>(FindNext("copy_file_range"));
  return Moving(in, out, false, HEDDLE_PC, [&] { return real(in, at, out, to, bytes, flags); });
}
HEDDLE_INTERCEPT ssize_t vmsplice(int fd, const iovec* pieces, size_t count, unsigned flags) {
  static auto* const real = reinterpret_cast<decltype(&vmsplice)>(FindNext("vmsplice"));
  static bool told = false;
  NoteUnfollowed("vmsplice", &told);
  if (Passive() || control::Controlled()) return real(fd, pieces, count, flags);
  return Writing(fd, {pieces, static_cast<int>(count)}, HEDDLE_PC, [&] { return real(fd, pieces, count, flags); });
}

// Message queues are descriptors: a message goes from whoever sends to whoever receives.
HEDDLE_INTERCEPT int mq_send(mqd_t queue, const char* from, size_t bytes, unsigned priority) {
  static auto* const real = reinterpret_cast<decltype(&mq_send)>(FindNext("mq_send"));
  if (Passive()) return real(queue, from, bytes, priority);
  iovec piece{const_cast<char*>(from), bytes};
  return static_cast<int>(
      Writing(queue, {&piece, 1}, HEDDLE_PC, [&] { return static_cast<ssize_t>(real(queue, from, bytes, priority)); }));
}
HEDDLE_INTERCEPT int mq_timedsend(mqd_t queue, const char* from, size_t bytes, unsigned priority,
                                  const timespec* until) {
  static auto* const real = reinterpret_cast<decltype(&mq_timedsend)>(FindNext("mq_timedsend"));
  if (Passive()) return real(queue, from, bytes, priority, until);
  iovec piece{const_cast<char*>(from), bytes};
  return static_cast<int>(Writing(queue, {&piece, 1}, HEDDLE_PC,
                                  [&] { return static_cast<ssize_t>(real(queue, from, bytes, priority, until)); }));
}
HEDDLE_INTERCEPT ssize_t mq_receive(mqd_t queue, char* to, size_t bytes, unsigned* priority) {
  static auto* const real = reinterpret_cast<decltype(&mq_receive)>(FindNext("mq_receive"));
  if (Passive()) return real(queue, to, bytes, priority);
  iovec pieces[] = {{priority, priority == nullptr ? 0 : sizeof *priority}, {to, bytes}};
  return Reading(queue, HEDDLE_PC, {pieces, 2, 1, pieces[0].iov_len}, [&] { return real(queue, to, bytes, priority); });
}
HEDDLE_INTERCEPT ssize_t mq_timedreceive(mqd_t queue, char* to, size_t bytes, unsigned* priority,
                                         const timespec* until) {
  static auto* const real = reinterpret_cast<decltype(&mq_timedreceive)>(FindNext("mq_timedreceive"));
  if (Passive()) return real(queue, to, bytes, priority, until);
  iovec pieces[] = {{priority, priority == nullptr ? 0 : sizeof *priority}, {to, bytes}};
  return Reading(queue, HEDDLE_PC, {pieces, 2, 1, pieces[0].iov_len},
                 [&] { return real(queue, to, bytes, priority, until); });
}
HEDDLE_INTERCEPT int epoll_ctl(int fd, int operation, int about, epoll_event* event) noexcept {
  if (Passive()) return REAL(epoll_ctl)(fd, operation, about, event);
  detect::PollChanged(fd, operation, about, event == nullptr ? 0 : event->data.u64);
  return static_cast<int>(Writing(fd, {nullptr, 0}, HEDDLE_PC,
                                  [&] { return static_cast<ssize_t>(REAL(epoll_ctl)(fd, operation, about, event)); }));
}
// The ranges between heddle's own descriptors.
HEDDLE_INTERCEPT int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (Passive() || first > last) return static_cast<int>(Sys(SYS_close_range, first, last, flags));
  constexpr unsigned kOwn = 4;
  int own[kOwn] = {g_output.fd(), FindingsDescriptor(), control::StepLogDescriptor(), control::DemoDescriptor()};
  while (first <= last) {
    unsigned stop = last;
    bool found = false;
    for (int fd : own) {
      auto number = static_cast<unsigned>(fd);
      if (fd < 0 || number < first || number > stop) continue;
      stop = number;
      found = true;
    }
    unsigned end = found ? stop - 1 : last;
    if (!found || stop > first) {
      if (Sys(SYS_close_range, first, end, flags) != 0) return -1;
    }
    if (!found || stop == last) return 0;
    first = stop + 1;
  }
  return 0;
}
HEDDLE_INTERCEPT void closefrom(int low) noexcept {
  int error = errno;
  close_range(low < 0 ? 0 : static_cast<unsigned>(low), ~0U, 0);
  errno = error;
}
HEDDLE_INTERCEPT int close(int fd) {
  if (Passive()) return REAL(close)(fd);
  // Daemons close every descriptor there might be; these they never opened. Under control it is a step all the same:
  // which numbers are ours is not the same in every run of a schedule.
  bool own = fd >= 0 && IsOwn(fd);
  if (own && !control::Controlled()) {
    errno = EBADF;
    return -1;
  }
  if (control::Controlled()) {
    return control::ReleaseInTurn(MakeOp(Kind::FdClose, Descriptor(fd), HEDDLE_PC),
                                  [&] {
                                    if (own) {
                                      errno = EBADF;
                                      return EBADF;
                                    }
                                    int result = REAL(close)(fd);
                                    control::Wake(control::kDescriptorKey);
                                    return result == 0 ? 0 : errno;
                                  }) == 0
               ? 0
               : -1;
  }
  return Closing(fd, HEDDLE_PC, [&] { return REAL(close)(fd); });
}
