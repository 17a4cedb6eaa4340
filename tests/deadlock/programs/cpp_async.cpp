// The task of std::async takes two locks in another order than main.
// expect: cycle A-B C-D
#include <future>
#include <mutex>
std::mutex a, b;
int x;
void second() {
  std::lock_guard<std::mutex> l(b);  //@ C
  std::lock_guard<std::mutex> m(a);  //@ D
  x++;
}
int main() {
  std::future<void> done = std::async(std::launch::async, second);
  std::lock_guard<std::mutex> l(a);  //@ A
  std::lock_guard<std::mutex> m(b);  //@ B
  x++;
}
