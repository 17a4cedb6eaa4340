// std::shared_mutex; the twin writes under the lock for reading.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <mutex>
#include <shared_mutex>
#include <thread>
int main() {
  std::shared_mutex lock;
  int value = 0, seen = 0;
  std::thread writer([&] {
#ifdef BUG
    std::shared_lock hold(lock);
#else
    std::unique_lock hold(lock);
#endif
    ++value;
  });
  std::thread reader([&] {
    std::shared_lock hold(lock);
    seen = value;
  });
  writer.join();
  reader.join();
  return seen > 1;
}
