// A flag that is set outside of the lock: the race is seen at once, what comes of it (the worker looks, the flag is set,
// nobody is there to be woken, the worker waits for ever) only with the racing accesses as scheduling points.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race,deadlock says=a.data.race.is.the.cause:.unordered
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex lock;
static std::condition_variable stopped;
static bool stop = false;
int main() {
  std::thread worker([] {
    std::unique_lock hold(lock);
    if (!stop) stopped.wait(hold);
  });
  {
#ifndef BUG
    std::lock_guard hold(lock);
#endif
    stop = true;
    stopped.notify_all();
  }
  worker.join();
}
