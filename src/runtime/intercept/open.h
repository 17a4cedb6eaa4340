// Descriptors that come to be. The kernel gives a number again only after its last owner has closed it, so closing
// happens before opening with the same number: programs keep tables by it.
#pragma once

namespace heddle::rt {

// Notes that `fd` (negative: the call failed) was opened by the call at `pc`; returns it, errno untouched.
int Opened(int fd, const void* pc);

}  // namespace heddle::rt
