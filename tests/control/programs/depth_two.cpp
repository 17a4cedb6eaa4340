// A bug of depth two: the second thread must act between two neighbouring operations of the first.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

static std::atomic<int> state{0};
static std::atomic<int> noise{0};

int main() {
  std::thread first([] {
    for (int i = 0; i < 4; ++i) noise.fetch_add(1);
    state.store(1);
    state.store(2);
  });
  std::thread second([] {
    for (int i = 0; i < 2; ++i) noise.fetch_add(1);
    if (state.load() == 1) std::abort();
  });
  first.join();
  second.join();
  std::puts("missed");
}
