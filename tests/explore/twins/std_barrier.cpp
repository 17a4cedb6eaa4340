// std::barrier between two phases; the twin leaves it out.
// EXPLORE: -std=c++20 -> findings=none
// EXPLORE: -std=c++20 -DBUG -> findings=data-race
// EXPLORE: -std=c++20 -> findings=none options=--memory,c11
// EXPLORE: -std=c++20 -DBUG -> findings=data-race options=--memory,c11
#include <barrier>
#include <thread>
int main() {
  std::barrier<> phase(2);
  int left = 0, right = 0, sum = 0;
  std::thread a([&] {
    left = 1;
#ifndef BUG
    phase.arrive_and_wait();
#endif
    sum = left + right;
  });
  std::thread b([&] {
    right = 1;
#ifndef BUG
    phase.arrive_and_wait();
#endif
  });
  a.join();
  b.join();
  return sum > 2;
}
