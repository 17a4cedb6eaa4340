// The future's destructor waits for the thread, under the lock that it needs.
#include <future>
#include <mutex>
std::mutex lock;
int value;
int main() {
#ifdef FIXED
  auto result = std::async(std::launch::async, [] {
    std::lock_guard<std::mutex> guard(lock);
    ++value;
  });
  {
    std::lock_guard<std::mutex> guard(lock);
    ++value;
  }
#else
  std::lock_guard<std::mutex> guard(lock);
  auto result = std::async(std::launch::async, [] {
    std::lock_guard<std::mutex> inner(lock);
    ++value;
  });
#endif
}
// expect: deadlock
// alarm when fixed: because the library hands the result over by a flag
