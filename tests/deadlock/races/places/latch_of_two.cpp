#include <latch>
#include <thread>
static std::latch done(2);
static int a, b;
int main() {
  std::thread x([] { a = 1; done.count_down(); });  // NORACE
  std::thread y([] { b = 1; done.count_down(); });  // NORACE
  done.wait();
  int sum = a + b;  // NORACE
  x.join();
  y.join();
  return sum;
}
