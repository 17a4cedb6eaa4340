// A lock is held where the coroutine is suspended.
#include <coroutine>
#include <mutex>
#include <thread>
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
std::mutex a, b;
int value;
Task Steps() {
  std::lock_guard<std::mutex> first(a);
  co_await std::suspend_always{};
  std::lock_guard<std::mutex> second(b);
  ++value;
}
int main() {
  std::thread worker([] {
    Task task = Steps();
    task.handle.resume();
    task.handle.resume();
    task.handle.destroy();
  });
  {
#ifdef FIXED
    std::lock_guard<std::mutex> first(a);
    std::lock_guard<std::mutex> second(b);
#else
    std::lock_guard<std::mutex> second(b);
    std::lock_guard<std::mutex> first(a);
#endif
    ++value;
  }
  worker.join();
}
// expect: deadlock
