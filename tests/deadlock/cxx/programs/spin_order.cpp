// Two locks of the program's own in opposite order.
#include <atomic>
#include <thread>
struct SpinLock {
  std::atomic<bool> taken{false};
  void lock() {
    while (taken.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock() { taken.store(false, std::memory_order_release); }
};
SpinLock a, b;
int value;
void One() {
  a.lock();
  b.lock();
  ++value;
  b.unlock();
  a.unlock();
}
void Two() {
#ifdef FIXED
  One();
#else
  b.lock();
  a.lock();
  ++value;
  a.unlock();
  b.unlock();
#endif
}
int main() {
  std::thread one(One), two(Two);
  one.join();
  two.join();
}
// expect: deadlock
