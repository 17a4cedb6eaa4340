// A hash table under striped locks; threads insert, look up and remove. usage: hashtable ROUNDS THREADS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Node {
  uint64_t key;
  uint64_t value;
  Node* next;
};

constexpr int kBuckets = 4096;
constexpr int kStripes = 64;

class Table {
 public:
  uint64_t Add(uint64_t key, uint64_t value) {
    std::lock_guard<std::mutex> hold(stripe_[key % kStripes].mutex);
    for (Node* node = bucket_[key % kBuckets]; node != nullptr; node = node->next) {
      if (node->key == key) return node->value += value;
    }
    bucket_[key % kBuckets] = new Node{key, value, bucket_[key % kBuckets]};
    return value;
  }
  bool Remove(uint64_t key) {
    std::lock_guard<std::mutex> hold(stripe_[key % kStripes].mutex);
    for (Node** at = &bucket_[key % kBuckets]; *at != nullptr; at = &(*at)->next) {
      if ((*at)->key != key) continue;
      Node* gone = *at;
      *at = gone->next;
      delete gone;
      return true;
    }
    return false;
  }

 private:
  struct alignas(64) Stripe {
    std::mutex mutex;
  };
  Node* bucket_[kBuckets] = {};
  Stripe stripe_[kStripes];
};

void Work(Table* table, uint64_t seed, long rounds, uint64_t* sum) {
  for (long i = 0; i < rounds; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    uint64_t key = (seed >> 40) % 20000;
    if ((seed >> 33) % 8 == 0) {
      *sum += table->Remove(key) ? 1 : 0;
    } else {
      *sum += table->Add(key, 1) & 1;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  long rounds = argc > 1 ? std::atol(argv[1]) : 300000;
  int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  static Table table;
  std::vector<std::thread> pool;
  std::vector<uint64_t> sums(static_cast<size_t>(threads) * 8);
  for (int i = 0; i < threads; ++i) pool.emplace_back(Work, &table, i + 1, rounds, &sums[static_cast<size_t>(i) * 8]);
  for (std::thread& thread : pool) thread.join();
  std::printf("done\n");
}
