// The destructor joins, under the lock that the thread needs.
#include <mutex>
#include <thread>
std::mutex lock;
int value;
int main() {
#ifdef FIXED
  std::jthread worker([] {
    std::lock_guard<std::mutex> guard(lock);
    ++value;
  });
  std::lock_guard<std::mutex> guard(lock);
#else
  std::lock_guard<std::mutex> guard(lock);
  std::jthread worker([] {
    std::lock_guard<std::mutex> inner(lock);
    ++value;
  });
#endif
  ++value;
}
// expect: deadlock
