// A stop request ends a wait; what follows still needs the mutex.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "steps.h"
int data;
std::mutex m;
std::condition_variable_any cv;
int main() {
  std::jthread a([](std::stop_token stop) {
    std::unique_lock lock(m);
    cv.wait(lock, stop, [] { return false; });
#ifdef BUG
    lock.unlock();
#endif
    data = 1;
    NextStep();
  });
  std::stop_callback call(a.get_stop_token(), [] {});
  a.request_stop();
#ifdef BUG
  WaitStep(1);
  data = 2;
#else
  {
    std::lock_guard lock(m);
    data = 2;
  }
#endif
}
