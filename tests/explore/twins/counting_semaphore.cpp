// C++20 semaphores hand a value over; the twin releases before it is written.
// EXPLORE: -std=c++20 -> findings=none
// EXPLORE: -std=c++20 -DBUG -> findings=data-race
#include <semaphore>
#include <thread>
int main() {
  std::binary_semaphore full{0};
  int value = 0;
  std::thread producer([&] {
#ifdef BUG
    full.release();
    value = 1;
#else
    value = 1;
    full.release();
#endif
  });
  full.acquire();
  int got = value;
  producer.join();
  return got == 2;
}
