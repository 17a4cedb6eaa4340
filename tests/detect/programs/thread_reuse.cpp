// Threads come and go in one slot; each but the buggy one is joined before the next.
#include <thread>

int data;

int main() {
  for (int i = 0; i < 3000; ++i) {
    std::thread worker([] { ++data; });
    worker.join();
  }
#ifdef BUG
  std::thread a([] { ++data; });
  std::thread b([] { ++data; });
  a.join();
  b.join();
#endif
}
