#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable changed;
int items;
int main() {
  std::thread worker([] {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return items > 0; });
    --items;
  });
  {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
    ++items;
  }
  changed.notify_one();
  worker.join();
}
// expect: race items
