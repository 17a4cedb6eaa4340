// The child of fork goes on alone: what the parent's threads did before does not race with it.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "steps.h"

int data;

int main() {
  std::thread worker([] {
    data = 1;
    NextStep();
    WaitStep(2);
  });
  WaitStep(1);
  if (fork() == 0) {
    data = 2;
#ifdef BUG
    std::thread again([] { data = 3; });
    data = 4;
    again.join();
#endif
    _exit(0);
  }
  wait(nullptr);
  NextStep();
  worker.join();
}
