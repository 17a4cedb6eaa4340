// A member that is read without the guard.
#include <mutex>
#include <thread>
class Counter {
 public:
  void Add() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++value_;  //@ A
  }
  int Get() {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex_);
#endif
    return value_;  //@ B
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};
Counter counter;
int main() {
  std::thread one([] { counter.Add(); });
  std::thread two([] { counter.Add(); });
  int seen = counter.Get();
  one.join();
  two.join();
  return seen;
}
// expect: counter.value_ A-B
