// One pool for two threads. The second begins when the first is done, in an order that nobody sees: a pool that both
// change at the same time would crash now and then.
#include <memory_resource>
#include <thread>
#include <vector>

#include "steps.h"

int main() {
#ifdef BUG
  std::pmr::unsynchronized_pool_resource pool;
#else
  std::pmr::synchronized_pool_resource pool;
#endif
  auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      std::pmr::vector<int> v(&pool);
      v.resize(i % 17 + 1, i);
    }
  };
  std::thread a([&] {
    work();
    NextStep();
  });
  std::thread b([&] {
    WaitStep(1);
    work();
  });
  a.join();
  b.join();
}
