// std::lock and adopted guards.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::lock(a_mutex, b_mutex);
  std::lock_guard<std::mutex> a(a_mutex, std::adopt_lock);
  std::lock_guard<std::mutex> b(b_mutex, std::adopt_lock);
  x++;
}
void two() {
  std::lock(b_mutex, a_mutex);
  std::lock_guard<std::mutex> a(a_mutex, std::adopt_lock);
  std::lock_guard<std::mutex> b(b_mutex, std::adopt_lock);
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
