// The lock of a stream, taken by the program.
#include <stdio.h>

#include <thread>

#include "steps.h"
int data;
FILE* file;
static void Add(int step) {
  WaitStep(step);
  flockfile(file);
#ifdef BUG
  funlockfile(file);
  ++data;
#else
  flockfile(file);
  ++data;
  funlockfile(file);
  funlockfile(file);
#endif
  NextStep();
}
int main() {
  file = tmpfile();
  std::thread other(Add, 0);
  Add(1);
  other.join();
  fclose(file);
}
