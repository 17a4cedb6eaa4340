// std::atomic::wait; the twin forgets to notify.
// EXPLORE: -std=c++20 -> findings=none
// EXPLORE: -std=c++20 -DBUG -> findings=deadlock
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
