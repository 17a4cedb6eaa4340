// A lock of the program's own, by compare-exchange.
#include <atomic>
#include <mutex>
#include <thread>
struct SpinLock {
  std::atomic<int> state{0};
  void lock() {
    int expected = 0;
    while (!state.compare_exchange_weak(expected, 1, std::memory_order_acquire)) expected = 0;
  }
  void unlock() { state.store(0, std::memory_order_release); }
};
SpinLock spin;
int value;
void Work() {
  std::lock_guard<SpinLock> guard(spin);
  ++value;
}
int main() {
  std::thread one(Work);
#ifdef FIXED
  Work();
#else
  ++value;
#endif
  one.join();
}
// expect: race value
// alarm when fixed: because the expected value is in memory
