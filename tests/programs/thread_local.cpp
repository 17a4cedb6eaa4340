// thread_local objects whose destructors lock, allocate and touch other thread_local objects.
#include <mutex>
#include <string>
#include <thread>

#include "check.h"

static std::mutex mutex;
static int ends;

struct Local {
  std::string text = std::string(100, 'x');
  ~Local() {
    std::lock_guard<std::mutex> hold(mutex);
    ends += text.size() == 100 ? 1 : 1000;
  }
};

static thread_local Local first;
static thread_local Local second;

int main() {
  std::thread worker([] { CHECK(first.text == second.text); });
  worker.join();
  CHECK(ends == 2);
  CHECK(first.text.size() == 100);
  std::printf("%d\n", ends);
}
