// Runs until it is ended: threads come and go, memory, mutexes and atomics are made and destroyed, a map grows and
// shrinks under its lock. Nothing of it lasts, so neither may what a detector keeps. usage: soak
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 2000;

struct Box {
  std::mutex mutex;
  std::atomic<int> uses{0};
  std::vector<int> values;
};

std::mutex map_mutex;
std::map<int, std::shared_ptr<Box>> boxes;

std::shared_ptr<Box> Take(int key) {
  std::lock_guard hold(map_mutex);
  std::shared_ptr<Box>& box = boxes[key];
  if (!box) box = std::make_shared<Box>();
  return box;
}

void Drop(int key) {
  std::lock_guard hold(map_mutex);
  boxes.erase(key);
}

void Work(unsigned seed) {
  for (int round = 0; round < kRounds; ++round) {
    seed = seed * 1664525U + 1013904223U;
    int key = static_cast<int>(seed >> 22U);
    std::shared_ptr<Box> box = Take(key);
    box->uses.fetch_add(1, std::memory_order_acq_rel);
    {
      std::lock_guard hold(box->mutex);
      box->values.resize(seed >> 20U & 1023U, round);
    }
    if (round % 3 == 0) Drop(key);
  }
}

}  // namespace

int main() {
  for (unsigned round = 0;; ++round) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(Work, round * kThreads + i);
    for (std::thread& thread : threads) thread.join();
  }
}
