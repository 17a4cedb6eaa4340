// An atomic shared_ptr guards its pointer; a plain one does not.
#include <atomic>
#include <memory>
#include <thread>

#include "steps.h"
std::atomic<std::shared_ptr<int>> p;
std::shared_ptr<int> plain;
int main() {
  std::thread a([] {
    for (int i = 0; i < 50; ++i) p.store(std::make_shared<int>(i));
#ifdef BUG
    plain = std::make_shared<int>(7);
#endif
    NextStep();
  });
  std::thread b([] {
    long sum = 0;
    for (int i = 0; i < 50; ++i)
      if (auto q = p.load()) sum += *q;
    WaitStep(1);
#ifdef BUG
    if (plain) sum += *plain;
#endif
    if (auto q = p.load()) sum += *q;
    if (sum < 0) __builtin_abort();
  });
  a.join();
  b.join();
}
