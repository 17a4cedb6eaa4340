// scoped_lock under another lock, which is also taken inside.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
std::mutex c_mutex;
int x;
void one() {
  std::lock_guard<std::mutex> c(c_mutex);  //@ A
  std::scoped_lock both(a_mutex, b_mutex);  //@ B
  x++;
}
void two() {
  std::lock_guard<std::mutex> a(a_mutex);  //@ C
  std::lock_guard<std::mutex> c(c_mutex);  //@ D
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
