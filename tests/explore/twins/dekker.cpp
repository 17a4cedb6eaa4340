// Dekker's lock, where one gives way; the twin does not look again.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <atomic>
#include <thread>
std::atomic<int> wants[2];
std::atomic<int> turn;
int shared;
void Work(int me) {
  int other = 1 - me;
#ifdef BUG
  while (wants[other].load() != 0) {
  }
  wants[me].store(1);
#else
  wants[me].store(1);
  while (wants[other].load() != 0) {
    if (turn.load() != me) {
      wants[me].store(0);
      while (turn.load() != me) {
      }
      wants[me].store(1);
    }
  }
#endif
  ++shared;
  turn.store(other);
  wants[me].store(0);
}
int main() {
  std::thread a(Work, 0), b(Work, 1);
  a.join();
  b.join();
}
