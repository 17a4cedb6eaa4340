// Clocks, sleeps and timed waits in logical time: the output has every value.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

int main() {
  using namespace std::chrono_literals;
  std::mutex m;
  std::condition_variable ready;
  bool done = false;
  std::thread worker([&] {
    for (int i = 0; i < 3; ++i) {
      std::this_thread::sleep_for(100s);
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      std::printf("worker %ld.%09ld\n", static_cast<long>(now.tv_sec), now.tv_nsec);
    }
    std::lock_guard hold(m);
    done = true;
    ready.notify_one();
  });
  std::unique_lock hold(m);
  int timeouts = 0;
  auto start = std::chrono::steady_clock::now();
  while (!done) {
    if (ready.wait_for(hold, 10s) == std::cv_status::timeout) ++timeouts;
  }
  auto spent = std::chrono::steady_clock::now() - start;
  std::printf("main %d timeouts, at least 10 s each: %d, time %ld\n", timeouts, spent >= timeouts * 10s,
              static_cast<long>(std::time(nullptr)));
  hold.unlock();
  worker.join();
}
