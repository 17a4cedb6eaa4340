// Two threads count under a mutex; the twin forgets it in one of them.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  int count = 0;
  std::thread a([&] {
    std::lock_guard hold(lock);
    ++count;
  });
  std::thread b([&] {
#ifndef BUG
    std::lock_guard hold(lock);
#endif
    ++count;
  });
  a.join();
  b.join();
  return count != 2;
}
