// An atomic counter that two threads raise, and a flag that each publishes. usage: counter ROUNDS
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

static std::atomic<long> counter{0};
static std::atomic<int> flag[2];

static void Count(int me, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    counter.fetch_add(1, std::memory_order_relaxed);
    if ((i & 15) == 0) flag[me].store(static_cast<int>(i), std::memory_order_release);
    if ((i & 15) == 8) (void)flag[1 - me].load(std::memory_order_acquire);
  }
}

int main(int argc, char** argv) {
  long rounds = argc > 1 ? std::atol(argv[1]) : 1000000;
  std::thread other(Count, 0, rounds);
  Count(1, rounds);
  other.join();
  std::printf("%ld\n", counter.load());
}
