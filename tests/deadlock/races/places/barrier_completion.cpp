// What a barrier calls when all have come is code of the program, wherever it was inlined.
#include <barrier>
#include <mutex>
#include <thread>
static std::mutex m;
static int rounds, value;
struct Count {
  void operator()() noexcept {
    m.lock();
    rounds++;  // RACE
    m.unlock();
  }
};
static std::barrier<Count> meet(2);
int main() {
  std::thread t([] {
    value = 1;  // NORACE
    meet.arrive_and_wait();
  });
  std::thread u([] { rounds++; });  // RACE
  meet.arrive_and_wait();
  value++;  // NORACE
  t.join();
  u.join();
}
