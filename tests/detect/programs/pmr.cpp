// One pool for two threads.
#include <memory_resource>
#include <thread>
#include <vector>
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
  std::thread a(work), b(work);
  a.join();
  b.join();
}
