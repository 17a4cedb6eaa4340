// A promise; in the twin nobody keeps it.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <future>
#include <mutex>
#include <thread>
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::mutex lock;
  bool kept = false;
  std::thread a([&] {
    std::lock_guard hold(lock);
#ifdef BUG
    if (kept) promise.set_value(1);
#else
    if (!kept) promise.set_value(1);
#endif
    kept = true;
  });
  int got = future.get();
  a.join();
  return got != 1;
}
