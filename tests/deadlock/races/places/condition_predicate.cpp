#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable c;
static bool ready;
static int value;
int main() {
  std::thread t([] {
    value = 4;  // NORACE
    {
      std::lock_guard<std::mutex> hold(m);
      ready = true;  // NORACE
    }
    c.notify_one();
  });
  {
    std::unique_lock<std::mutex> hold(m);
    c.wait(hold, [] { return ready; });  // NORACE
  }
  value++;  // NORACE
  t.join();
}
