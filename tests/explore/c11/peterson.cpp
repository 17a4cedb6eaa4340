/* Peterson's lock with release and acquire: right if `turn` is changed by a read-modify-write, wrong with a store.
   EXPLORE: -> options=--memory,c11
   EXPLORE: -DBUG -> options=--memory,c11 findings=data-race
   EXPLORE: -DBUG -> findings=none
 */
#include <atomic>
#include <thread>

std::atomic<int> wants[2];
std::atomic<int> turn;
int shared;

static void Enter(int self) {
  int other = 1 - self;
  wants[self].store(1, std::memory_order_relaxed);
#ifdef BUG
  turn.store(other, std::memory_order_release);
#else
  turn.exchange(other, std::memory_order_acq_rel);
#endif
  while (wants[other].load(std::memory_order_acquire) == 1 && turn.load(std::memory_order_acquire) == other) {
  }
}

static void Work(int self) {
  Enter(self);
  ++shared;
  wants[self].store(0, std::memory_order_release);
}

int main() {
  std::thread a(Work, 0), b(Work, 1);
  a.join();
  b.join();
}
