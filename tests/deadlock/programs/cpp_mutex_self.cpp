// A mutex taken twice in one thread.
// expect: self A-B
#include <mutex>
#include <thread>
std::mutex m;
void inner() {
  std::lock_guard<std::mutex> l(m);  //@ B
}
int x;
void one() {
  std::lock_guard<std::mutex> l(m);  //@ A
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
