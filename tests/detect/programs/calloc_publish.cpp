// calloc writes zeros: who gets the block without an order may see what was there before.
#include <stdlib.h>

#include <atomic>
#include <thread>
std::atomic<int*> box;
int main() {
#ifdef BUG
  constexpr auto order = std::memory_order_relaxed;
#else
  constexpr auto order = std::memory_order_release;
#endif
  std::thread a([] { box.store(static_cast<int*>(calloc(8, 4)), order); });
  std::thread b([] {
    int* got = nullptr;
    while ((got = box.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    if (got[3] != 0) abort();
    free(got);
  });
  a.join();
  b.join();
}
