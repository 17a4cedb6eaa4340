// What is written before the flag is set is known to who has seen the flag.
#include <atomic>
#include <thread>
std::atomic<bool> ready{false};
int value;
int main() {
  std::thread reader([] {
    while (!ready.load(std::memory_order_acquire)) {
    }
    volatile int seen = value;
    (void)seen;
  });
#ifdef FIXED
  value = 1;
  ready.store(true, std::memory_order_release);
#else
  ready.store(true, std::memory_order_release);
  value = 1;
#endif
  reader.join();
}
// expect: race value
