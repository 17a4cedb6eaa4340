// The value is there when the thread has ended: what it does after setting it comes before whoever gets it.
#include <future>
#include <thread>

#include "steps.h"
int data;
int main() {
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread thread(
      [](std::promise<int> given) {
        given.set_value_at_thread_exit(3);
        data = 1;
        NextStep();
      },
      std::move(promise));
#ifdef BUG
  WaitStep(1);
  ++data;
#endif
  int got = future.get();
  ++data;
  thread.join();
  return got == 3 ? 0 : 1;
}
