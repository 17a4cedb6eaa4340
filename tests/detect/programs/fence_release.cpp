#include <atomic>
#include <thread>

#include "steps.h"

int data;
std::atomic<int> flag{0};

void First() {
  data = 1;
#ifdef BUG
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
  flag.store(1, std::memory_order_relaxed);
  NextStep();
}
void Second() {
  WaitStep(1);
  if (flag.load(std::memory_order_acquire) == 1) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
