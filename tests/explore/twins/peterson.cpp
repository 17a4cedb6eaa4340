// Peterson's lock; the twin sets the turn before the flag.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <atomic>
#include <thread>
std::atomic<int> flag[2];
std::atomic<int> turn;
int shared;
void Work(int me) {
  int other = 1 - me;
#ifdef BUG
  turn.store(other);
  flag[me].store(1);
#else
  flag[me].store(1);
  turn.store(other);
#endif
  while (flag[other].load() == 1 && turn.load() == other) {
  }
  ++shared;
  flag[me].store(0);
}
int main() {
  std::thread a(Work, 0), b(Work, 1);
  a.join();
  b.join();
}
