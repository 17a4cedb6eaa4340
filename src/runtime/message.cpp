#include "runtime/message.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

#include "runtime/raw_syscall.h"

namespace heddle::rt {

void Message(const char* a, const char* b, const char* c) {
  const char* parts[] = {"heddle: ", a, b, c, "\n"};
  iovec pieces[5];
  int count = 0;
  for (const char* part : parts) {
    if (part == nullptr) continue;
    pieces[count++] = {const_cast<char*>(part), strlen(part)};
  }
  // Straight to the kernel: the program may have its own writev.
  Sys(SYS_writev, STDERR_FILENO, pieces, count);
}

}  // namespace heddle::rt
