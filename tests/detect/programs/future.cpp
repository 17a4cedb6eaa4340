// What is done before set_value is before the return of get.
#include <future>

#include "steps.h"
int data;
int main() {
  std::promise<int> p;
  auto f = p.get_future();
  std::packaged_task<int()> task([] { return data; });
  auto got = task.get_future();
  std::thread a([&] {
    data = 1;
    p.set_value(1);
#ifdef BUG
    data = 5;
#endif
    NextStep();
  });
  f.get();
  WaitStep(1);
  data = 2;
  std::thread c(std::move(task));
  auto h = std::async(std::launch::async, [&] { return got.get(); });
  if (h.get() < 0) __builtin_abort();
  data = 3;
  c.join();
  a.join();
}
