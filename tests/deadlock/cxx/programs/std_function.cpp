#include <functional>
#include <mutex>
#include <thread>
std::mutex lock;
int value;
void Run(const std::function<void()>& task) { task(); }
int main() {
  std::function<void()> task = [] {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
    ++value;
  };
  std::thread one([&] { Run(task); });
  std::thread two([&] { Run(task); });
  one.join();
  two.join();
}
// expect: race value
