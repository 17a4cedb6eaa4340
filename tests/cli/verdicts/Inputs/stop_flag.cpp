// The flag is set without the lock and looked at once: the notification may come between the look and the wait.
// FIXED: set under the lock, looked at in a loop.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable stopped;
bool stop = false;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(m);
#ifdef FIXED
    while (!stop) stopped.wait(lock);
#else
    if (!stop) stopped.wait(lock);
#endif
  });
#ifdef FIXED
  {
    std::lock_guard lock(m);
    stop = true;
  }
#else
  stop = true;
#endif
  stopped.notify_all();
  waiter.join();
}
