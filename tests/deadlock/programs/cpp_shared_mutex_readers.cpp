// shared_mutex: readers only.
// expect: none
#include <mutex>
#include <thread>
#include <shared_mutex>
std::shared_mutex a_mutex, b_mutex;
int x;
void one() {
  std::shared_lock<std::shared_mutex> a(a_mutex);
  std::shared_lock<std::shared_mutex> b(b_mutex);
  x++;
}
void two() {
  std::shared_lock<std::shared_mutex> b(b_mutex);
  std::shared_lock<std::shared_mutex> a(a_mutex);
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
