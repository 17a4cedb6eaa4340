// C++20 latch and barrier; they wait through futexes.
#include <barrier>
#include <latch>
#include <thread>
#include <vector>

#include "check.h"

static int sums[2];
static int cells[3];
static int phase;

struct Add {
  void operator()() noexcept {
    for (int cell : cells) sums[phase] += cell;
    ++phase;
  }
};

int main() {
  std::latch done(3);
  std::barrier<Add> barrier(3, Add{});
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 2; ++turn) {
        cells[i] += i + 1;
        barrier.arrive_and_wait();
      }
      done.count_down();
    });
  }
  done.wait();
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d\n", sums[0], sums[1]);
}
