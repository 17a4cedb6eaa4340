// unique_lock that is unlocked early.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::unique_lock<std::mutex> a(a_mutex);
  x++;
  a.unlock();
  std::unique_lock<std::mutex> b(b_mutex);
  x++;
}
void two() {
  std::unique_lock<std::mutex> b(b_mutex);
  x++;
  b.unlock();
  std::unique_lock<std::mutex> a(a_mutex);
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
