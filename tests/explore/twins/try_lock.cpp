// try_lock; the twin goes on without the lock.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race,misuse
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  int value = 0;
  std::thread a([&] {
    std::lock_guard hold(lock);
    ++value;
  });
  std::thread b([&] {
#ifdef BUG
    lock.try_lock();
    ++value;
    lock.unlock();
#else
    if (!lock.try_lock()) return;
    ++value;
    lock.unlock();
#endif
  });
  a.join();
  b.join();
}
