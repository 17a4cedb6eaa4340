// One thread was moved out of the vector before its elements are joined.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
#include <vector>
std::mutex a, b;
int x;
int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; i++) {
    all.emplace_back([] {
      std::lock_guard<std::mutex> l(a);  //@ A
      std::lock_guard<std::mutex> m(b);  //@ B
      x++;
    });
  }
  std::thread apart = std::move(all[0]);
  for (auto& t : all) {
    if (t.joinable()) t.join();
  }
  {
    std::lock_guard<std::mutex> l(b);  //@ C
    std::lock_guard<std::mutex> m(a);  //@ D
    x++;
  }
  apart.join();
}
