// An event that stays set; the twin resets it before everybody saw it.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable changed;
bool is_set;
void Wait() {
  std::unique_lock hold(lock);
  while (!is_set) changed.wait(hold);
#ifdef BUG
  is_set = false;
#endif
}
int main() {
  std::thread a(Wait), b(Wait);
  {
    std::lock_guard hold(lock);
    is_set = true;
    changed.notify_all();
  }
  a.join();
  b.join();
}
