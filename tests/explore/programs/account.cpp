// N deposits and N withdrawals under one lock, each by a thread of its own: (2N)! executions.
// EXPLORE: -DN=2 -> executions=24
// EXPLORE: -DN=4 -> executions=40320 options=--no-races full
#include <mutex>
#include <thread>
#include <vector>
#ifndef N
#define N 2
#endif
int main() {
  std::mutex lock;
  int balance = 0;
  auto change = [&](int by) {
    std::lock_guard hold(lock);
    balance += by;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < N; ++i) {
    threads.emplace_back(change, 10);
    threads.emplace_back(change, -10);
  }
  for (std::thread& thread : threads) thread.join();
  return balance;
}
