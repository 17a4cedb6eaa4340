// A buffer of one with two conditions; the twin has one condition and wakes the wrong one.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable changed;
int items;
void Put() {
  std::unique_lock hold(lock);
  while (items == 1) changed.wait(hold);
  ++items;
#ifdef BUG
  changed.notify_one();
#else
  changed.notify_all();
#endif
}
void Take() {
  std::unique_lock hold(lock);
  while (items == 0) changed.wait(hold);
  --items;
#ifdef BUG
  changed.notify_one();
#else
  changed.notify_all();
#endif
}
int main() {
  std::thread a(Put), b(Put), c(Take), d(Take);
  a.join();
  b.join();
  c.join();
  d.join();
}
