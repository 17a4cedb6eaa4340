// A coroutine that goes on in another thread.
#include <coroutine>
#include <thread>

#include "steps.h"
int data;
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Task Work() {
  int local = data;
  co_await std::suspend_always{};
  data = local + 1;
}
int main() {
  Task t = Work();
  t.handle.resume();
  std::thread a([&] {
    t.handle.resume();
    NextStep();
  });
#ifdef BUG
  WaitStep(1);
  data = 7;
  a.join();
#else
  a.join();
  data = 7;
#endif
  t.handle.destroy();
}
