// Children of fork whose threads take the places of the parent's: their accesses are their own, not uses of freed memory.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "steps.h"

int data;
int other;

static void Child(int depth) {
  std::thread worker([] {
    ++data;
    NextStep();
    WaitStep(1000);
  });
  WaitStep(depth);
  if (fork() == 0) {
    if (depth < 4) Child(depth + 1);
    std::thread again([] { other = 3; });
#ifdef BUG
    other = 4;
#endif
    again.join();
    other = 5;
    data = 6;
    _exit(0);
  }
  wait(nullptr);
  _exit(0);
}

int main() {
  if (fork() == 0) Child(1);
  wait(nullptr);
}
