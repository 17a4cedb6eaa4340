// notify orders nothing, the store does.
#include <atomic>
#include <thread>

#include "steps.h"
std::atomic<int> flag;
int data;
int main() {
#ifdef BUG
  constexpr auto order = std::memory_order_relaxed;
#else
  constexpr auto order = std::memory_order_release;
#endif
  std::thread a([] {
    data = 1;
    flag.store(1, order);
    flag.notify_all();
    NextStep();
  });
  std::thread b([] {
    flag.wait(0);
    WaitStep(1);
    data = 2;
  });
  a.join();
  b.join();
}
