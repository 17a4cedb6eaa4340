// condition_variable: waiting while holding another mutex.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
#include <condition_variable>
std::mutex m, n;
std::condition_variable c;
bool ready;
int x;
void one() {
  std::unique_lock<std::mutex> l(m);
  std::lock_guard<std::mutex> k(n);  //@ A
  while (!ready) c.wait(l);  //@ B
}
void two() {
  std::lock_guard<std::mutex> l(m);  //@ C
  std::lock_guard<std::mutex> k(n);  //@ D
  ready = true;
  c.notify_one();
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
