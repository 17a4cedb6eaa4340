// Two locks in both orders: some schedules end in a deadlock.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex a;
static std::mutex b;
static int count;

static void First() {
  for (int i = 0; i < 3; ++i) {
    std::lock_guard outer(a);
    std::lock_guard inner(b);
    ++count;
  }
}
static void Second() {
  for (int i = 0; i < 3; ++i) {
    std::lock_guard outer(b);
    std::lock_guard inner(a);
    ++count;
  }
}

int main() {
  std::thread first(First);
  std::thread second(Second);
  first.join();
  second.join();
  std::printf("%d\n", count);
}
