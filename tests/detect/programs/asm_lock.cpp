// A spin lock in inline assembly orders those who take it. The bug: one does not. (clang with the plugin only.)
#include <sched.h>

#include <thread>

static int word;
static long counter;

static int CompareAndSwap(int* at, int old, int now) {
  int seen;
  __asm__ __volatile__("lock; cmpxchg %2, %1;"
                       : "=a"(seen), "+m"(*static_cast<volatile int*>(at))
                       : "r"(now), "0"(old)
                       : "memory");
  return seen;
}
static int Swap(int* at, int now) {
  __asm__ __volatile__("xchgl %0, %1" : "+r"(now), "+m"(*static_cast<volatile int*>(at)) : : "memory");
  return now;
}

static void Work(bool locks) {
  for (int i = 0; i < 50; ++i) {
    while (locks && CompareAndSwap(&word, 0, 1) != 0) sched_yield();
    ++counter;
    if (locks) Swap(&word, 0);
  }
}

int main() {
#ifdef BUG
  constexpr bool kBoth = false;
#else
  constexpr bool kBoth = true;
#endif
  std::thread thread([] { Work(true); });
  Work(kBoth);
  thread.join();
}
