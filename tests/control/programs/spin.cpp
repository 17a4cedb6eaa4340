// Threads that spin until another acts, in three ways.
#include <atomic>
#include <cstdio>
#include <sched.h>
#include <thread>

static std::atomic<bool> flag{false};
static std::atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;

static void Work() {
  while (!flag.load(std::memory_order_acquire)) {
  }
  for (int i = 0; i < 5; ++i) {
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
    ++count;
    lock.clear(std::memory_order_release);
    sched_yield();
  }
}

int main() {
  std::thread first(Work);
  std::thread second(Work);
  flag.store(true);
  first.join();
  second.join();
  std::printf("%d\n", count);
}
