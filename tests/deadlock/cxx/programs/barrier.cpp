#include <barrier>
#include <thread>
std::barrier both(2);
int value;
int main() {
  std::thread worker([] {
#ifdef FIXED
    value = 1;
    both.arrive_and_wait();
#else
    both.arrive_and_wait();
    value = 1;
#endif
  });
  both.arrive_and_wait();
  int seen = value;
  worker.join();
  return seen;
}
// expect: race value
