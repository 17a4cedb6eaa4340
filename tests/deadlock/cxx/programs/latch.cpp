#include <latch>
#include <thread>
std::latch ready(1);
int value;
int main() {
  std::thread worker([] {
#ifdef FIXED
    value = 1;
    ready.count_down();
#else
    ready.count_down();
    value = 1;
#endif
  });
  ready.wait();
  int seen = value;
  worker.join();
  return seen;
}
// expect: race value
