// An atomic counter; the twin reads and writes it in two steps.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
int main() {
  std::atomic<int> count{0};
  auto add = [&] {
#ifdef BUG
    count.store(count.load() + 1);
#else
    count.fetch_add(1);
#endif
  };
  std::thread a(add), b(add), c(add);
  a.join();
  b.join();
  c.join();
  assert(count == 3);
}
