// The cycle counter as programs read it: each a different way, from two threads. It never goes back in one thread.
#include <x86intrin.h>

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex printing;

static uint64_t by_assembly() {
  uint32_t low;
  uint32_t high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return static_cast<uint64_t>(high) << 32 | low;
}

static uint64_t by_fenced_assembly() {
  uint64_t low;
  uint64_t high;
  asm volatile("lfence\n\trdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
  return high << 32 | low;
}

static void read_all(const char* name) {
  unsigned processor;
  uint64_t values[4] = {__rdtsc(), __rdtscp(&processor), by_assembly(), by_fenced_assembly()};
  std::lock_guard hold(printing);
  for (uint64_t value : values) printf("%s %llu\n", name, static_cast<unsigned long long>(value));
  if (values[0] > values[1] || values[1] > values[2] || values[2] > values[3]) puts("goes back");
}

int main() {
  std::thread other(read_all, "other");
  read_all("main");
  other.join();
}
