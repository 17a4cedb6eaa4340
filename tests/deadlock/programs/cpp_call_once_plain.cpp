// call_once without a lock around it.
// expect: none
#include <mutex>
#include <thread>
std::once_flag flag;
std::mutex m;
int x;
void one() {
  std::call_once(flag, [] {
    std::lock_guard<std::mutex> inner(m);
    x++;
  });
  std::lock_guard<std::mutex> l(m);
  x++;
}
void two() {
  one();
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
