// Dekker's mutual exclusion from relaxed atomics and fences. With the bug the seq_cst fence between a thread's own flag
// and its look at the other's is missing: both may enter.
#include <atomic>

#include "start.h"

std::atomic<bool> wants[2] = {false, false};
std::atomic<int> turn{0};
int shared_value;

void Announce(int me) {
  wants[me].store(true, std::memory_order_relaxed);
#ifndef BUG
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void Lock(int me) {
  Announce(me);
  while (wants[1 - me].load(std::memory_order_relaxed)) {
    if (turn.load(std::memory_order_relaxed) == me) {
      sched_yield();
      continue;
    }
    wants[me].store(false, std::memory_order_relaxed);
    while (turn.load(std::memory_order_relaxed) != me) sched_yield();
    Announce(me);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

void Unlock(int me) {
  turn.store(1 - me, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  wants[me].store(false, std::memory_order_relaxed);
}

void Body(int me) {
  Await(me);
  Lock(me);
  shared_value++;
  Unlock(me);
  Reached();
}

int main(int argc, char** argv) {
  RunThreads(argc, argv, [] { Body(0); }, [] { Body(1); });
}
