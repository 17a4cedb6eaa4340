// Built with -fsanitize=undefined, whose runtime starts before ours: the program's own race is seen all the same.
#include <climits>
#include <cstdlib>
#include <mutex>
#include <thread>

static int g_sum;
static std::mutex g_lock;

static void Add(int value) {
#ifndef BUG
  std::lock_guard<std::mutex> guard(g_lock);
#endif
  g_sum += value;
}

int main() {
  std::thread a(Add, 1);
  std::thread b(Add, 2);
  a.join();
  b.join();
  int large = INT_MAX - 3 + g_sum;
  return large == INT_MAX ? 0 : 1;
}
