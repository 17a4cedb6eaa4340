// std::condition_variable_any on a shared lock; the twin notifies before it changes.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  std::condition_variable_any changed;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock hold(lock);
    while (!ready) changed.wait(hold);
  });
#ifdef BUG
  changed.notify_one();
  std::lock_guard hold(lock);
  ready = true;
#else
  {
    std::lock_guard hold(lock);
    ready = true;
  }
  changed.notify_one();
#endif
  waiter.join();
}
