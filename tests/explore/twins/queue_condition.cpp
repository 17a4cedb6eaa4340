// A queue with a condition variable; the twin looks once where it should look again.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  std::condition_variable filled;
  int items = 0;
  auto consume = [&] {
    std::unique_lock hold(lock);
#ifdef BUG
    if (items == 0) filled.wait(hold);
#else
    while (items == 0) filled.wait(hold);
#endif
    assert(items > 0);
    --items;
  };
  std::thread a(consume), b(consume);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard hold(lock);
    ++items;
    filled.notify_all();
  }
  a.join();
  b.join();
}
