// Lamport's bakery for two; the twin has no doorway.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
#include <atomic>
#include <thread>
std::atomic<int> choosing[2];
std::atomic<int> number[2];
int shared;
void Work(int me) {
  int other = 1 - me;
#ifndef BUG
  choosing[me].store(1);
#endif
  int mine = number[other].load() + 1;
  number[me].store(mine);
#ifndef BUG
  choosing[me].store(0);
  while (choosing[other].load() != 0) {
  }
#endif
  for (;;) {
    int theirs = number[other].load();
    if (theirs == 0 || theirs > mine || (theirs == mine && other > me)) break;
  }
  ++shared;
  number[me].store(0);
}
int main() {
  std::thread a(Work, 0), b(Work, 1);
  a.join();
  b.join();
}
