#include <atomic>
#include <thread>

#include "steps.h"

int data;
std::atomic<int> flag{0};

void First() {
  data = 1;
  std::atomic_thread_fence(std::memory_order_release);
#ifdef BUG
  data = 3;
#else
#endif
  flag.store(1, std::memory_order_relaxed);
  NextStep();
}
void Second() {
  WaitStep(1);
  bool seen = flag.load(std::memory_order_relaxed) == 1;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (seen) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
