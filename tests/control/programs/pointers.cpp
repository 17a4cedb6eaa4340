// What depends on addresses: blocks of several threads in the order of their addresses, stacks, thread-local variables.
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

static std::mutex m;
static std::set<int*> blocks;
static thread_local int local;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      int on_stack = 0;
      for (int k = 0; k < 5; ++k) {
        auto* block = new int(i * 10 + k);
        std::string text(static_cast<size_t>(100 * (k + 1)), 'x');
        std::lock_guard hold(m);
        blocks.insert(block);
        if (k == 4) std::printf("%d %p %p\n", i, static_cast<void*>(&on_stack), static_cast<void*>(&local));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int* block : blocks) std::printf("%d %p\n", *block, static_cast<void*>(block));
  int on_main = 0;
  std::printf("%p\n", static_cast<void*>(&on_main));
}
