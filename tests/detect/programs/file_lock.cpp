// Two threads that opened a file each for itself, and lock it.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
int data;
static void Add(int fd, int step, bool locks) {
  WaitStep(step);
  if (locks) flock(fd, LOCK_EX);
  ++data;
  if (locks) flock(fd, LOCK_UN);
  NextStep();
}
int main() {
  char name[] = "/tmp/heddle-lock-XXXXXX";
  int first = mkstemp(name);
  int second = open(name, O_RDWR);
  unlink(name);
#ifdef BUG
  bool both = false;
#else
  bool both = true;
#endif
  std::thread other(Add, first, 0, true);
  Add(second, 1, both);
  other.join();
  close(first);
  close(second);
}
