// jthread that runs beside main.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::lock_guard<std::mutex> a(a_mutex);  //@ A
  std::lock_guard<std::mutex> b(b_mutex);  //@ B
  x++;
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);  //@ C
  std::lock_guard<std::mutex> a(a_mutex);  //@ D
  x++;
}
int main() {
  std::jthread a(one);
  two();
}
