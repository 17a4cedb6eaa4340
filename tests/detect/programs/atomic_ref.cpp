// Both sides have to use atomic_ref.
#include <atomic>
#include <thread>

#include "steps.h"
int flag, data;
int main() {
  std::thread a([] {
    data = 1;
    std::atomic_ref(flag).store(1);
    NextStep();
  });
  std::thread b([] {
    WaitStep(1);
#ifdef BUG
    if (flag == 1) data = 2;
#else
    if (std::atomic_ref(flag).load() == 1) data = 2;
#endif
  });
  a.join();
  b.join();
}
