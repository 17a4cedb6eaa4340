// Two threads wait for each other for ever; the others end.
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <thread>

static std::mutex a;
static std::mutex b;
static std::binary_semaphore first_has(0);
static std::binary_semaphore second_has(0);
static std::binary_semaphore both_have(0);

static void First() {
  std::lock_guard outer(a);
  first_has.release();
  second_has.acquire();
  both_have.release();
  std::lock_guard inner(b);
}

static void Second() {
  std::lock_guard outer(b);
  second_has.release();
  first_has.acquire();
#ifndef FIXED
  std::lock_guard inner(a);
#endif
}

int main() {
  std::thread(First).detach();
  std::thread(Second).detach();
  both_have.acquire();
  std::puts("end");
}
