// Transfers between accounts that have locks; the twin checks the balance before it locks.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
std::mutex lock;
std::atomic<int> balance{10};
void Withdraw() {
#ifdef BUG
  if (balance.load() < 10) return;
  std::lock_guard hold(lock);
#else
  std::lock_guard hold(lock);
  if (balance.load() < 10) return;
#endif
  balance.fetch_sub(10);
}
int main() {
  std::thread a(Withdraw), b(Withdraw);
  a.join();
  b.join();
  assert(balance >= 0);
}
