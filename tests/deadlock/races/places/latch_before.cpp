#include <latch>
#include <thread>
static std::latch done(2);
static int both;
int main() {
  std::thread x([] {
    ++both;  // RACE
    done.count_down();
  });
  std::thread y([] {
    ++both;  // RACE
    done.count_down();
  });
  done.wait();
  int sum = both;  // NORACE
  x.join();
  y.join();
  return sum;
}
