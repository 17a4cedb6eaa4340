// A sequence lock with atomic data; the twin does not look whether it changed.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<unsigned> sequence;
std::atomic<int> low, high;
int main() {
  std::thread writer([] {
    sequence.store(1);
    low.store(1);
    high.store(1);
    sequence.store(2);
  });
  std::thread reader([] {
    unsigned before = sequence.load();
    int a = low.load();
    int b = high.load();
    unsigned behind = sequence.load();
#ifdef BUG
    (void)before;
    (void)behind;
    assert(a == b);
#else
    if (before == behind && before % 2 == 0) assert(a == b);
#endif
  });
  writer.join();
  reader.join();
}
