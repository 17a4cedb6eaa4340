// The loop that joins leaves out the first one.
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
  for (size_t i = 1; i < all.size(); ++i) all[i].join();
  {
    std::lock_guard<std::mutex> l(b);  //@ C
    std::lock_guard<std::mutex> m(a);  //@ D
    x++;
  }
  all[0].join();
}
