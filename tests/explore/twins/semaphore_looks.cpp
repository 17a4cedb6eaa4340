// A semaphore of the C++ library that two threads take and give back. Its looks before it waits in the kernel are one
// each, but for a swap that failed (docs/explore.md): with 16 of each there were 856 executions. The deadlock is one of
// libstdc++ 12 itself.
// EXPLORE: -std=c++20 -> executions=116 findings=deadlock
#include <semaphore>
#include <thread>
std::counting_semaphore<4> semaphore{1};
int count;
int main() {
  auto use = [] {
    semaphore.acquire();
    ++count;
    semaphore.release();
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
}
