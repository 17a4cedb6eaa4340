// std::thread and the mutexes of the standard library.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "check.h"

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static int count;

static void Work(int by) {
  std::scoped_lock both(plain, recursive);
  std::lock_guard<std::recursive_mutex> again(recursive);
  count += by;
}

int main() {
  std::thread a(Work, 1);
  a.join();
  std::thread b([] {
    std::shared_lock<std::shared_mutex> reader(shared);
    CHECK(!shared.try_lock());
  });
  b.join();
  timed.lock();
  std::thread c([] { CHECK(!timed.try_lock_until(std::chrono::system_clock::time_point())); });
  c.join();
  timed.unlock();
  shared.lock();
  shared.unlock();
  CHECK(plain.try_lock());
  plain.unlock();
  std::printf("%d\n", count);
}
