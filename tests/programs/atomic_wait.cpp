// std::atomic wait and notify, of the futex's size and of another.
#include <atomic>
#include <thread>

#include "check.h"

static std::atomic<int> small{0};
static std::atomic<long> large{0};

int main() {
  std::thread waiter([] {
    small.wait(0);
    CHECK(small.load() == 1);
    large.store(1);
    large.notify_all();
  });
  small.store(1);
  small.notify_one();
  large.wait(0);
  waiter.join();
  std::printf("%ld\n", large.load());
}
