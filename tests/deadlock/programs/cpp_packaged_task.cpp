// A packaged task takes two locks in another order than main.
// expect: cycle A-B C-D
#include <future>
#include <mutex>
#include <thread>
std::mutex a, b;
int x;
void second() {
  std::lock_guard<std::mutex> l(b);  //@ C
  std::lock_guard<std::mutex> m(a);  //@ D
  x++;
}
int main() {
  std::packaged_task<void()> task(second);
  std::jthread t([&] { task(); });
  std::lock_guard<std::mutex> l(a);  //@ A
  std::lock_guard<std::mutex> m(b);  //@ B
  x++;
}
