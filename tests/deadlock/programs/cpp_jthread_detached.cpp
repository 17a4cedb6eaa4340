// The thread was detached, so the destructor does not wait for it.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a, b;
int x;
int main() {
  {
    std::jthread t([](std::stop_token) {
      std::lock_guard<std::mutex> l(a);  //@ A
      std::lock_guard<std::mutex> m(b);  //@ B
      x++;
    });
    t.detach();
  }
  std::lock_guard<std::mutex> l(b);  //@ C
  std::lock_guard<std::mutex> m(a);  //@ D
  x++;
}
