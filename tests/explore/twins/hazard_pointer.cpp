// A reader announces what it reads; the twin does not look whether it is still there.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
struct Thing {
  std::atomic<int> alive{1};
};
Thing things[2];
std::atomic<Thing*> current{&things[0]};
std::atomic<Thing*> hazard{nullptr};
int main() {
  std::thread reader([] {
    Thing* seen = current.load();
    hazard.store(seen);
#ifndef BUG
    if (current.load() != seen) return;
#endif
    assert(seen->alive.load() == 1);
    hazard.store(nullptr);
  });
  Thing* old = current.exchange(&things[1]);
  if (hazard.load() != old) old->alive.store(0);
  reader.join();
}
