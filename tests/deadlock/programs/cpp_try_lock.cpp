// try_lock on the second mutex.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::lock_guard<std::mutex> a(a_mutex);
  std::lock_guard<std::mutex> b(b_mutex);
  x++;
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);
  if (a_mutex.try_lock()) {
    x++;
    a_mutex.unlock();
  }
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
