// std::jthread with a stop token and a stop callback.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "check.h"

int main() {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool called = false;
  {
    std::jthread worker([&](std::stop_token stop) {
      std::unique_lock<std::mutex> hold(mutex);
      changed.wait(hold, stop, [] { return false; });
      CHECK(stop.stop_requested());
    });
    std::stop_callback callback(worker.get_stop_token(), [&] { called = true; });
    CHECK(worker.request_stop());
    CHECK(!worker.request_stop());
  }
  CHECK(called);
  std::puts("stopped");
}
