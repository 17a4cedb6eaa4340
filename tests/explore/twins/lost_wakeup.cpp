// A flag under a lock with a condition variable; the twin sets it without the lock, and the signal may be lost.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  std::condition_variable changed;
  std::atomic<bool> ready{false};
  std::thread waiter([&] {
    std::unique_lock hold(lock);
    while (!ready.load()) changed.wait(hold);
  });
  {
#ifndef BUG
    std::lock_guard hold(lock);
#endif
    ready.store(true);
  }
  changed.notify_one();
  waiter.join();
}
