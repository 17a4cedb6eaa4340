// Waking a waiter orders nothing by itself: the value that is stored and read must.
#include <atomic>
#include <thread>

static std::atomic<int> flag{0};
static int data;

int main() {
#ifdef BUG
  constexpr auto kLoad = std::memory_order_relaxed;
  constexpr auto kStore = std::memory_order_relaxed;
#else
  constexpr auto kLoad = std::memory_order_acquire;
  constexpr auto kStore = std::memory_order_release;
#endif
  int seen = 0;
  std::thread thread([&] {
    flag.wait(0, kLoad);
    seen = data;
  });
  data = 7;
  flag.store(1, kStore);
  flag.notify_all();
  thread.join();
  return seen == 8 ? 2 : 0;
}
