// Two threads that do nothing but visible operations: under round robin every one of them is a switch. Prints the
// nanoseconds of one: elapsed, and of processor time.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

static double Now(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);  // the real one, whatever the library function says
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int main(int count, char** arguments) {
  long steps = count > 1 ? std::atol(arguments[1]) : 100000;
  static std::atomic<long> first{0};
  static std::atomic<long> second{0};
  double start = Now(CLOCK_MONOTONIC);
  double cpu = Now(CLOCK_PROCESS_CPUTIME_ID);
  std::thread other([steps] {
    for (long i = 0; i < steps; ++i) second.fetch_add(1, std::memory_order_relaxed);
  });
  for (long i = 0; i < steps; ++i) first.fetch_add(1, std::memory_order_relaxed);
  other.join();
  double each = 1e9 / static_cast<double>(2 * steps);
  std::printf("%.1f %.1f\n", (Now(CLOCK_MONOTONIC) - start) * each, (Now(CLOCK_PROCESS_CPUTIME_ID) - cpu) * each);
}
