// From one pipe into another without passing through the program.
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
int data;
int main() {
  int first[2];
  int second[2];
  if (pipe(first) != 0 || pipe(second) != 0) return 1;
  std::thread middle([&] { splice(first[0], nullptr, second[1], nullptr, 1, 0); });
  std::thread last([&] {
    char byte;
    if (read(second[0], &byte, 1) == 1) WaitStep(1);
    ++data;
  });
#ifndef BUG
  data = 1;
#endif
  if (write(first[1], "x", 1) != 1) return 1;
#ifdef BUG
  data = 1;
#endif
  NextStep();
  middle.join();
  last.join();
}
