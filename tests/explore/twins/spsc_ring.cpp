// One producer, one consumer, a ring of two; the twin publishes before it writes.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion,data-race
// EXPLORE: -> options=--memory,c11
// EXPLORE: -DBUG -> options=--memory,c11 findings=data-race
#include <atomic>
#include <cassert>
#include <thread>
int ring[2];
std::atomic<unsigned> written{0};
std::atomic<unsigned> taken{0};
int main() {
  std::thread producer([] {
    for (unsigned i = 0; i < 2; ++i) {
#ifdef BUG
      written.store(i + 1);
      ring[i % 2] = static_cast<int>(i) + 1;
#else
      ring[i % 2] = static_cast<int>(i) + 1;
      written.store(i + 1);
#endif
    }
  });
  for (unsigned i = 0; i < 2; ++i) {
    if (written.load() <= i) break;
    int value = ring[i % 2];
    assert(value == static_cast<int>(i) + 1);
    taken.store(i + 1);
  }
  producer.join();
}
