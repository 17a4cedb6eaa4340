// A race that happens only when the second thread takes the lock first: `x` is written outside it then.
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
static bool ready;
static int x;

int main() {
  std::thread first([] {
    std::lock_guard hold(m);
    ready = true;
    x = 1;
  });
  std::thread second([] {
    bool seen = false;
    {
      std::lock_guard hold(m);
      seen = ready;
    }
    if (!seen) x = 2;
  });
  first.join();
  second.join();
  std::printf("%d\n", x);
}
