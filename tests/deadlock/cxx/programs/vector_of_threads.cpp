#include <mutex>
#include <thread>
#include <vector>
std::mutex lock;
int value;
int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([] {
      std::lock_guard<std::mutex> guard(lock);
      ++value;
    });
  }
#ifdef FIXED
  for (std::thread& worker : workers) worker.join();
  return value;
#else
  int seen = value;
  for (std::thread& worker : workers) worker.join();
  return seen;
#endif
}
// expect: race value
