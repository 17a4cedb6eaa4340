// A lock by test-and-set; the twin tests and sets in two steps.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <atomic>
#include <thread>
std::atomic<bool> taken;
int shared;
void Work() {
#ifdef BUG
  while (taken.load()) {
  }
  taken.store(true);
#else
  while (taken.exchange(true)) {
  }
#endif
  ++shared;
  taken.store(false);
}
int main() {
  std::thread a(Work), b(Work), c(Work);
  a.join();
  b.join();
  c.join();
}
