// std::condition_variable: a queue between two threads, and a wait that times out.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "check.h"

static std::mutex mutex;
static std::condition_variable changed;
static int item;

int main() {
  std::unique_lock<std::mutex> hold(mutex);
  CHECK(changed.wait_until(hold, std::chrono::system_clock::time_point()) == std::cv_status::timeout);
  std::thread producer([] {
    std::lock_guard<std::mutex> mine(mutex);
    item = 5;
    changed.notify_one();
  });
  changed.wait(hold, [] { return item != 0; });
  hold.unlock();
  producer.join();
  std::printf("%d\n", item);
}
