// A packaged task takes two locks as main does.
// expect: none
#include <future>
#include <mutex>
#include <thread>
std::mutex a, b;
int x;
void second() {
  std::lock_guard<std::mutex> l(a);
  std::lock_guard<std::mutex> m(b);
  x++;
}
int main() {
  std::packaged_task<void()> task(second);
  std::jthread t([&] { task(); });
  std::lock_guard<std::mutex> l(a);  //@ A
  std::lock_guard<std::mutex> m(b);  //@ B
  x++;
}
