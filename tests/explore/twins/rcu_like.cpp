// A writer waits for readers that began before; the twin does not.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> data[2] = {1, 1};
std::atomic<int> current{0};
std::atomic<int> readers{0};
int main() {
  std::thread reader([] {
    readers.fetch_add(1);
    int at = current.load();
    assert(data[at].load() == 1);
    readers.fetch_sub(1);
  });
  current.store(1);
#ifndef BUG
  while (readers.load() != 0) {
  }
#endif
  data[0].store(0);
  reader.join();
}
