#include <atomic>
#include <thread>
static std::atomic<bool> ready;
static int value;
int main() {
  std::thread t([] {
    value = 4;  // NORACE
    ready = true;
  });
  while (!ready) std::this_thread::yield();
  value++;  // NORACE
  t.join();
}
