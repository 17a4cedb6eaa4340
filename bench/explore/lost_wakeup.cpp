// Two threads that only acquire and release a std::counting_semaphore, without heddle: prints that they hang, and
// whether the semaphore is free while one of them waits for it. docs/explore.md tells why.
// Build: g++ -std=c++20 -O2 -pthread bench/explore/lost_wakeup.cpp -o lost_wakeup
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <semaphore>
#include <thread>

static constexpr long kRounds = 25'000'000;
static std::counting_semaphore<4> g_free(1);
static std::atomic<long> g_arrived{0};
static std::atomic<long> g_rounds{0};

static void Pause(unsigned* seed, unsigned most) {
  *seed = *seed * 1664525U + 1013904223U;
  for (unsigned i = (*seed >> 22) % most; i > 0; --i) __builtin_ia32_pause();
}

static void Work(unsigned seed) {
  for (long round = 1; round <= kRounds; ++round) {
    g_arrived.fetch_add(1);
    while (g_arrived.load() < 2 * round) continue;
    Pause(&seed, 64);
    g_free.acquire();
    Pause(&seed, 256);
    g_free.release();
    g_rounds.store(round);
  }
}

int main() {
  std::thread one(Work, 12345U);
  std::thread two(Work, 777U);
  for (long last = -1; last < kRounds;) {
    sleep(5);
    long now = g_rounds.load();
    if (now == last) {
      std::printf("hangs after %ld rounds; the semaphore is %s\n", now, g_free.try_acquire() ? "free" : "taken");
      std::fflush(stdout);
      _exit(1);
    }
    last = now;
  }
  one.join();
  two.join();
}
