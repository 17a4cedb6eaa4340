// What goes through a pair of sockets orders its ends. The bug: the word goes through another pair.
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "steps.h"

extern int data;
int data;

int main() {
  int one[2];
  int two[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, one) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, two) != 0) return 2;
#ifdef BUG
  if (write(two[0], "x", 1) != 1) return 2;  // the word that the other waits for comes from before
#endif
  std::thread thread([&] {
    data = 1;
    if (write(one[0], "x", 1) != 1) return;
  });
  char byte;
#ifdef BUG
  if (read(two[1], &byte, 1) != 1) return 2;
#else
  if (read(one[1], &byte, 1) != 1) return 2;
#endif
  data = 2;
  thread.join();
}
