// Calls that close a descriptor and are not under control.
#pragma once

#include <cerrno>
#include <cstdint>

#include "runtime/detect/descriptors.h"
#include "runtime/visible.h"

namespace heddle::rt {

// Tells the mode before and behind `call`; a negative number is not one.
template <typename Call>
auto Closing(int fd, const void* pc, Call call) {
  if (fd < 0 || Passive()) return call();
  int error = errno;
  Commit(MakeOp(Kind::FdClose, reinterpret_cast<const void*>(static_cast<intptr_t>(fd)), pc));  // NOLINT: a number
  errno = error;
  auto result = call();
  detect::DescriptorClosed(fd);
  return result;
}

}  // namespace heddle::rt
