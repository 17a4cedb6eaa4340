// The second frame is resumed while the first one holds the lock.
#include <coroutine>
#include <mutex>
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
std::mutex lock;
int value;
Task Steps() {
  std::lock_guard<std::mutex> guard(lock);
  co_await std::suspend_always{};
  ++value;
}
int main() {
  Task one = Steps();
  one.handle.resume();
#ifndef FIXED
  Task two = Steps();
  two.handle.resume();
#endif
  one.handle.resume();
}
// expect: deadlock
