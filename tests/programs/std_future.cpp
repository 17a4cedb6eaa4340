// std::call_once, promises and futures, async, packaged tasks.
#include <future>
#include <mutex>
#include <thread>

#include "check.h"

static std::once_flag once;
static int inits;

static int Twice(int value) {
  std::call_once(once, [] { ++inits; });
  return 2 * value;
}

int main() {
  std::future<int> quick = std::async(std::launch::async, Twice, 4);
  std::promise<int> promise;
  std::future<int> promised = promise.get_future();
  std::thread other([&promise] { promise.set_value(Twice(5)); });
  std::packaged_task<int(int)> task(Twice);
  std::future<int> packaged = task.get_future();
  std::thread third(std::move(task), 6);
  int sum = quick.get() + promised.get() + packaged.get();
  other.join();
  third.join();
  std::promise<void> broken;
  std::future<void> failed = broken.get_future();
  broken.set_exception(std::make_exception_ptr(1));
  try {
    failed.get();
  } catch (int) {
    ++sum;
  }
  std::printf("%d %d\n", sum, inits);
}
