// Double-checked initialisation; the twin publishes an object that is not made yet.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion,data-race
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
int value;
std::atomic<int*> instance{nullptr};
std::mutex lock;
int* Get() {
  int* found = instance.load();
  if (found == nullptr) {
    std::lock_guard hold(lock);
    found = instance.load();
    if (found == nullptr) {
#ifdef BUG
      instance.store(&value);
      value = 7;
#else
      value = 7;
      instance.store(&value);
#endif
      found = &value;
    }
  }
  return found;
}
int main() {
  std::thread a([] { assert(*Get() == 7); });
  std::thread b([] { assert(*Get() == 7); });
  a.join();
  b.join();
}
