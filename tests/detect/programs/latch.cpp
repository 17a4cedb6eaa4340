// What is done before count_down is before the return of wait.
#include <latch>
#include <thread>

#include "steps.h"
std::latch l(1);
int data;
int main() {
  std::thread a([] {
#ifndef BUG
    data = 1;
#endif
    l.count_down();
#ifdef BUG
    data = 1;
#endif
    NextStep();
  });
  std::thread b([] {
    l.wait();
    WaitStep(1);
    data = 2;
  });
  a.join();
  b.join();
}
