// Shared holders do not exclude each other.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "steps.h"
std::shared_mutex m;
int data;
int main() {
  std::thread a([] {
#ifdef BUG
    std::shared_lock lock(m);
#else
    std::unique_lock lock(m);
#endif
    data = 1;
    lock.unlock();
    NextStep();
  });
  std::thread b([] {
    WaitStep(1);
    std::shared_lock lock(m);
#ifdef BUG
    data = 2;
#else
    if (data != 1) __builtin_abort();
#endif
  });
  a.join();
  b.join();
}
