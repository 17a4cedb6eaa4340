// Blocking writes of more than there may be room for. The kernel would keep the writer until somebody reads; under
// control it would keep the turn as well, and when the reader is a thread of the same program nobody could go on. So
// such a write is made of parts, each a visible operation of its own that writes what there is room for and does not
// block. A recording marks all parts but the last.
//
// Invariant: a write that fits is one operation, as it would be without this.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "runtime/raw_syscall.h"

namespace heddle::rt {

enum class Parts : uint8_t { None, Write, Send };  // how a part is written, if it may be written in parts

// Descriptors that are ready take so much at once.
inline constexpr size_t kSureBytes = 4096;

// A stream on which a write waits until all is written.
inline bool IsBlockingStream(int fd) {
  KeepErrno keep;
  struct stat about{};
  long flags = Sys(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || (flags & (O_NONBLOCK | O_DIRECT)) != 0 || Sys(SYS_fstat, fd, &about) != 0) return false;
  if (S_ISFIFO(about.st_mode)) return true;
  int type = 0;
  socklen_t length = sizeof type;
  return S_ISSOCK(about.st_mode) && Sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
         type == SOCK_STREAM;
}

// What is left of the pieces behind `done` bytes, as many as fit into `room`.
template <int room>
int RestOf(const iovec* pieces, int count, size_t done, iovec (&to)[room]) {
  int used = 0;
  for (int i = 0; i < count && used < room; ++i) {
    size_t skipped = std::min(done, pieces[i].iov_len);
    done -= skipped;
    if (skipped < pieces[i].iov_len) {
      to[used++] = {static_cast<char*>(pieces[i].iov_base) + skipped, pieces[i].iov_len - skipped};
    }
  }
  return used;
}

// Writes what there is room for behind `done` bytes; 0 when there is none.
inline int64_t WriteOnePart(int fd, const iovec* pieces, int count, size_t done, Parts how, int flags) {
  constexpr int kMostPieces = 64;
  constexpr long kNoWait = 8;  // RWF_NOWAIT
  iovec rest[kMostPieces];
  int used = RestOf(pieces, count, done, rest);
  long n = 0;
  if (how == Parts::Send) {
    msghdr message{};
    message.msg_iov = rest;
    message.msg_iovlen = static_cast<size_t>(used);
    n = Sys(SYS_sendmsg, fd, &message, flags | MSG_DONTWAIT);
  } else {
    n = Sys(SYS_pwritev2, fd, rest, used, -1L, -1L, kNoWait);
    if (n < 0 && errno == EOPNOTSUPP) n = Sys(SYS_writev, fd, rest, used);  // an old kernel: it waits
  }
  return n < 0 && errno == EAGAIN ? 0 : n;
}

}  // namespace heddle::rt
