// All threads of a vector are joined before the locks are taken in the other order.
// expect: none
#include <mutex>
#include <thread>
#include <vector>
std::mutex a, b;
int x;
int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; i++) {
    all.emplace_back([] {
      std::lock_guard<std::mutex> l(a);
      std::lock_guard<std::mutex> m(b);
      x++;
    });
  }
  for (auto& t : all) t.join();
  std::lock_guard<std::mutex> l(b);
  std::lock_guard<std::mutex> m(a);
  x++;
}
