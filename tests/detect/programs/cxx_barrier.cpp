// The completion function runs between the rounds.
#include <barrier>
#include <thread>
#include <vector>
int total, part[3];
int main() {
  auto finish = []() noexcept { total = part[0] + part[1] + part[2]; };
  std::barrier sync(3, finish);
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back([&, i] {
      for (int r = 0; r < 20; ++r) {
        part[i] = r;
        sync.arrive_and_wait();
        if (total != 3 * r) __builtin_abort();
#ifdef BUG
        total = 3 * r;
#endif
        sync.arrive_and_wait();
      }
    });
  for (auto& t : all) t.join();
}
