// Unsynchronised printing: the order of the lines is the schedule's.
#include <cstdio>
#include <iostream>
#include <thread>
#include <vector>

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 4; ++k) {
        if (k % 2 == 0) {
          std::printf("%d.%d\n", i, k);
        } else {
          std::cout << "stream\n";
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}
