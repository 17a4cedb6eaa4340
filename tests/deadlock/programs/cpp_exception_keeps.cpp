// An exception leaves a lock that nobody unlocks.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
void may_throw(int n) { if (n > 3) throw n; }
int x;
void one() {
  try {
    a_mutex.lock();  //@ A
    may_throw(x);
    a_mutex.unlock();
  } catch (int) {
    std::lock_guard<std::mutex> b(b_mutex);  //@ B
    x++;
    a_mutex.unlock();
  }
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);  //@ C
  std::lock_guard<std::mutex> a(a_mutex);  //@ D
  x++;
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
