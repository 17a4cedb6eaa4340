// std::latch counts two down; the twin waits for three.
// EXPLORE: -std=c++20 -> findings=none
// EXPLORE: -std=c++20 -DBUG -> findings=deadlock
#include <latch>
#include <thread>
int main() {
#ifdef BUG
  std::latch done(3);
#else
  std::latch done(2);
#endif
  int a_value = 0, b_value = 0;
  std::thread a([&] {
    a_value = 1;
    done.count_down();
  });
  std::thread b([&] {
    b_value = 1;
    done.count_down();
  });
  done.wait();
  int sum = a_value + b_value;
  a.join();
  b.join();
  return sum != 2;
}
