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
  flag.fetch_add(1, std::memory_order_release);
#ifdef BUG
  flag.store(3, std::memory_order_relaxed);
#else
  flag.fetch_add(1, std::memory_order_relaxed);
#endif
  NextStep();
}
void Third() {
  WaitStep(2);
  if (flag.load(std::memory_order_acquire) == 3) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  std::thread third(Third);
  first.join();
  second.join();
  third.join();
}
