// C++20 counting_semaphore and binary_semaphore.
#include <chrono>
#include <semaphore>
#include <thread>

#include "check.h"

static std::counting_semaphore<10> filled(0);
static std::binary_semaphore empty(1);
static int box;

int main() {
  CHECK(!filled.try_acquire());
  CHECK(!filled.try_acquire_for(std::chrono::nanoseconds(1)));
  std::thread producer([] {
    for (int i = 1; i <= 20; ++i) {
      empty.acquire();
      box = i;
      filled.release();
    }
  });
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    filled.acquire();
    sum += box;
    empty.release();
  }
  producer.join();
  std::printf("%d\n", sum);
}
