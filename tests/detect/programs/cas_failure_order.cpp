#include <atomic>
#include <thread>

#include "steps.h"

int data;
std::atomic<int> flag{0};

void First() {
  data = 1;
  flag.store(1, std::memory_order_release);
  NextStep();
}
void Second() {
  WaitStep(1);
  int expected = 5;
#ifdef BUG
  flag.compare_exchange_strong(expected, 6, std::memory_order_acq_rel, std::memory_order_relaxed);
#else
  flag.compare_exchange_strong(expected, 6, std::memory_order_acq_rel, std::memory_order_acquire);
#endif
  if (expected == 1) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
