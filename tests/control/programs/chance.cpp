// Randomness of every kind.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <sys/random.h>
#include <thread>

static std::mutex m;

static void Draw() {
  unsigned from_kernel = 0;
  if (getrandom(&from_kernel, sizeof from_kernel, 0) != sizeof from_kernel) std::abort();
  std::random_device device;
  unsigned from_device = device();
  int from_rand = std::rand();
  std::lock_guard hold(m);
  std::printf("%u %u %d\n", from_kernel, from_device, from_rand);
}

int main() {
  std::thread first(Draw);
  std::thread second(Draw);
  first.join();
  second.join();
}
