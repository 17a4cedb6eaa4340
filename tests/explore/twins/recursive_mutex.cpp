// A recursive mutex; the twin's is not.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock,misuse
#include <mutex>
#include <thread>
#ifdef BUG
using Mutex = std::mutex;
#else
using Mutex = std::recursive_mutex;
#endif
Mutex lock;
int value;
void Inner() {
  std::lock_guard hold(lock);
  ++value;
}
void Outer() {
  std::lock_guard hold(lock);
  Inner();
}
int main() {
  std::thread a(Outer), b(Inner);
  a.join();
  b.join();
}
