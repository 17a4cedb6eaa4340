// release comes before acquire.
#include <semaphore>
#include <thread>

#include "steps.h"
std::counting_semaphore<4> s(0);
std::binary_semaphore back(0);
int data;
int main() {
  std::thread a([] {
#ifndef BUG
    data = 1;
#endif
    s.release();
#ifdef BUG
    data = 1;
#endif
    NextStep();
    back.acquire();
    data = 3;
  });
  std::thread b([] {
    s.acquire();
    WaitStep(1);
    data = 2;
    back.release();
  });
  a.join();
  b.join();
}
