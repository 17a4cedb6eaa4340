// A once routine that throws while others wait for it.
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag once;
static int attempts;
static int done;
static std::mutex m;

static void Attempt() {
  if (++attempts < 3) throw std::runtime_error("not yet");
  ++done;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (;;) {
        try {
          std::call_once(once, Attempt);
          return;
        } catch (const std::runtime_error&) {
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d %d\n", attempts, done);
}
