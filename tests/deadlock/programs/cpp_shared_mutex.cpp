// shared_mutex: readers and writers.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
#include <shared_mutex>
std::shared_mutex a_mutex, b_mutex;
int x;
void one() {
  std::shared_lock<std::shared_mutex> a(a_mutex);  //@ A
  std::unique_lock<std::shared_mutex> b(b_mutex);  //@ B
  x++;
}
void two() {
  std::shared_lock<std::shared_mutex> b(b_mutex);  //@ C
  std::unique_lock<std::shared_mutex> a(a_mutex);  //@ D
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
