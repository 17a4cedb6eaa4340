// A spinning barrier. Each thread writes its own cell before it and reads the other's after it. With the bug the last
// thread to arrive opens the barrier without releasing what it wrote.
#include <atomic>

#include "start.h"

#ifdef BUG
constexpr auto kOpen = std::memory_order_relaxed;
#else
constexpr auto kOpen = std::memory_order_release;
#endif

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void Wait() {
    int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, kOpen);
      return;
    }
    while (round_.load(std::memory_order_acquire) == round) sched_yield();
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

constexpr int kRounds = 3;
Barrier barrier(2);
int cells[kRounds][2];
int sums[2];

void Body(int me) {
  for (int round = 0; round < kRounds; ++round) {
    cells[round][me] = round + 1;
    barrier.Wait();
    sums[me] += cells[round][1 - me];
  }
}

int main(int argc, char** argv) {
  RunThreads(argc, argv, [] { Body(0); }, [] { Body(1); });
}
