#include <atomic>
#include <thread>

#include "steps.h"

int data;
std::atomic<int> flag{0};

void First() {
  data = 1;
#ifdef BUG
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  flag.store(1, std::memory_order_relaxed);
  NextStep();
}
void Second() {
  WaitStep(1);
  bool seen = flag.load(std::memory_order_relaxed) == 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (seen) data = 2;
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
}
