// condition_variable as usual.
// expect: none
#include <mutex>
#include <thread>
#include <condition_variable>
std::mutex m;
std::condition_variable c;
bool ready;
int x;
void one() {
  std::unique_lock<std::mutex> l(m);
  c.wait(l, [] { return ready; });
}
void two() {
  std::lock_guard<std::mutex> l(m);
  ready = true;
  c.notify_one();
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
