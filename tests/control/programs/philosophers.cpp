// Dining philosophers without a deadlock: the last one takes the forks in the other order.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  constexpr int kCount = 5;
  static std::mutex forks[kCount];
  static int meals[kCount];
  std::vector<std::thread> threads;
  for (int i = 0; i < kCount; ++i) {
    threads.emplace_back([i] {
      int low = i < (i + 1) % kCount ? i : (i + 1) % kCount;
      int high = i < (i + 1) % kCount ? (i + 1) % kCount : i;
      for (int k = 0; k < 3; ++k) {
        std::lock_guard first(forks[low]);
        std::lock_guard second(forks[high]);
        ++meals[i];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  int sum = 0;
  for (int meal : meals) sum += meal;
  std::printf("%d\n", sum);
}
