// A lock of the program's own, on an atomic_flag.
#include <atomic>
#include <thread>
class SpinLock {
 public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};
SpinLock spin;
int value;
void Work() {
#ifdef FIXED
  spin.lock();
#endif
  ++value;
#ifdef FIXED
  spin.unlock();
#endif
}
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
