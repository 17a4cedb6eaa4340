// std::atomic::wait; the twin forgets to notify.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=deadlock
#include <atomic>
#include <thread>
int main() {
  std::atomic<int> state{0};
  std::thread waiter([&] { state.wait(0); });
  state.store(1);
#ifndef BUG
  state.notify_one();
#endif
  waiter.join();
}
