// N philosophers, each eats once. The last one takes the forks in the other order, unless CYCLE.
// EXPLORE: -DN=5 -> executions=30
// EXPLORE: -DN=8 -> executions=254 options=--no-races
// EXPLORE: -DN=4 -DCYCLE -> executions=15 findings=deadlock
// EXPLORE: -DN=3 -DCYCLE -> executions=7 findings=deadlock options=--memory,c11
#include <mutex>
#include <thread>
#include <vector>
#ifndef N
#define N 3
#endif
int main() {
  std::mutex forks[N];
  std::vector<std::thread> threads;
  for (int i = 0; i < N; ++i) {
    int first = i;
    int second = (i + 1) % N;
#ifndef CYCLE
    if (second < first) std::swap(first, second);
#endif
    threads.emplace_back([&forks, first, second] {
      std::lock_guard one(forks[first]);
      std::lock_guard two(forks[second]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}
