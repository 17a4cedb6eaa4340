// Two locks in one order; the twin takes them in both.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <mutex>
#include <thread>
int main() {
  std::mutex a, b;
  std::thread one([&] {
    std::lock_guard first(a);
    std::lock_guard second(b);
  });
  std::thread two([&] {
#ifdef BUG
    std::lock_guard first(b);
    std::lock_guard second(a);
#else
    std::scoped_lock both(b, a);
#endif
  });
  one.join();
  two.join();
}
