// One thread fails at once; the twin's other two have a race and an assertion of their own, which come to light although
// the first never gets further.
// EXPLORE: -> findings=assertion
// EXPLORE: -DBUG -> findings=assertion,data-race
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> ready{0};
int data = 0;
int main() {
  std::thread fails([] { assert(ready.load() == 2); });
  std::thread writer([] {
    data = 1;
    ready.store(1);
  });
  std::thread reader([] {
#ifndef BUG
    if (ready.load() != 1) return;
#endif
    assert(data >= 0);
  });
  fails.join();
  writer.join();
  reader.join();
}
