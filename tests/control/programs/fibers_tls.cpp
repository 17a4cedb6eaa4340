// thread_local objects with destructors, errno and pthread_self are each thread's own, whatever carries it.
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static std::mutex m;

struct Noted {
  int value = 0;
  ~Noted() {
    std::lock_guard hold(m);
    std::printf("gone %d\n", value);
  }
};
static thread_local Noted noted;

int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([i] {
      noted.value = i;
      errno = 100 + i;
      pthread_t self = pthread_self();
      for (int k = 0; k < 4; ++k) {
        std::lock_guard hold(m);
        bool right = noted.value == i && errno == 100 + i && pthread_equal(self, pthread_self()) != 0;
        if (!right) std::printf("wrong\n");
      }
    });
  }
  for (auto& thread : threads) thread.join();
}
