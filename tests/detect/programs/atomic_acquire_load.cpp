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
#ifdef BUG
  if (flag.load(std::memory_order_relaxed) == 1) data = 2;
#else
  if (flag.load(std::memory_order_acquire) == 1) data = 2;
#endif
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
