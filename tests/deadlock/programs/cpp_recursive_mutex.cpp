// recursive_mutex.
// expect: none
#include <mutex>
#include <thread>
std::recursive_mutex m;
void inner() {
  std::lock_guard<std::recursive_mutex> l(m);
}
int x;
void one() {
  std::lock_guard<std::recursive_mutex> l(m);
  inner();
  x++;
}
void two() {
  inner();
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
