#include <latch>
#include <thread>
static std::latch done(2);
static int a, b, c;
int main() {
  std::thread x([] { a = 1; done.count_down(); });  // RACE
  std::thread y([] { b = 1; done.count_down(); });  // RACE
  std::thread z([] { c = 1; done.count_down(); });  // RACE
  done.wait();
  int sum = a + b + c;  // RACE
  x.join();
  y.join();
  z.join();
  return sum;
}
