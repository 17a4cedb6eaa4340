// An exception unlocks on its way.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
void may_throw(int n) { if (n > 3) throw n; }
int x;
void one() {
  try {
    std::lock_guard<std::mutex> a(a_mutex);
    may_throw(x);
  } catch (int) {
  }
  std::lock_guard<std::mutex> b(b_mutex);
  x++;
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);
  std::lock_guard<std::mutex> a(a_mutex);
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
