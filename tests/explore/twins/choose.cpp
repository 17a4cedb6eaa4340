// Input that is explored: in the twin one of the numbers goes wrong in one order.
// EXPLORE: -> findings=none executions=6
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <heddle/heddle.h>
#include <thread>
std::atomic<unsigned> cell;
int main() {
  unsigned input = heddle::choose(3);
  std::thread a([input] { cell.store(input); });
  std::thread b([] {
#ifdef BUG
    assert(cell.load() != 2);
#else
    assert(cell.load() < 3);
#endif
  });
  a.join();
  b.join();
}
