// The task of std::async takes two locks as main does.
// expect: none
#include <future>
#include <mutex>
std::mutex a, b;
int x;
void second() {
  std::lock_guard<std::mutex> l(a);
  std::lock_guard<std::mutex> m(b);
  x++;
}
int main() {
  std::future<void> done = std::async(std::launch::async, second);
  std::lock_guard<std::mutex> l(a);  //@ A
  std::lock_guard<std::mutex> m(b);  //@ B
  x++;
}
