// Two threads check a plain variable and then act on it: the assertion needs a switch between a check and its act.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race,assertion says=a.data.race.is.the.cause:
// EXPLORE: -DBUG -> findings=data-race options=--goal,race
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex lock;
static std::atomic<int> owners;
static int taken = 0;
static void Take() {
#ifndef BUG
  std::lock_guard hold(lock);
#endif
  if (taken == 0) {
    taken = 1;
    ++owners;
  }
}
int main() {
  std::thread other(Take);
  Take();
  other.join();
  assert(owners == 1);
}
