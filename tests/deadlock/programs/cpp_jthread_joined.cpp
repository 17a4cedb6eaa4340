// The destructor of the thread object joins.
// expect: none
#include <mutex>
#include <thread>
std::mutex a, b;
int x;
int main() {
  {
    std::jthread t([](std::stop_token) {
      std::lock_guard<std::mutex> l(a);
      std::lock_guard<std::mutex> m(b);
      x++;
    });
  }
  std::lock_guard<std::mutex> l(b);
  std::lock_guard<std::mutex> m(a);
  x++;
}
