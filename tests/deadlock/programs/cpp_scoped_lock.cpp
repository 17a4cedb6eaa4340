// scoped_lock takes all of them in an order of its own.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::scoped_lock both(a_mutex, b_mutex);
  x++;
}
void two() {
  std::scoped_lock both(b_mutex, a_mutex);
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
