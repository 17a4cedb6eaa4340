// A lock of the runtime's own, which the target cannot see. Held for a few instructions; take it only with a
// RuntimeScope around, so that no signal handler of the target runs while it is held.
#pragma once

#include <sched.h>

#include <atomic>

namespace heddle::rt {

class SpinLock {
 public:
  void Lock() {
    if (word_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]]
      Wait();
  }
  bool TryLock() { return word_.exchange(1, std::memory_order_acquire) == 0; }
  void Unlock() { word_.store(0, std::memory_order_release); }

 private:
  // Looks before it tries, and less often with time: each try takes the holder's cache line away.
  __attribute__((noinline)) void Wait() {
    constexpr int kLongest = 256;
    int pauses = 16;
    do {
      if (pauses <= kLongest) {
        for (int i = 0; i < pauses; ++i) __builtin_ia32_pause();
        pauses *= 2;
      } else {
        sched_yield();
      }
    } while (word_.load(std::memory_order_relaxed) != 0 || word_.exchange(1, std::memory_order_acquire) != 0);
  }

  std::atomic<int> word_{0};
};

class SpinHolder {
 public:
  explicit SpinHolder(SpinLock& lock) : lock_(lock) { lock_.Lock(); }
  ~SpinHolder() { lock_.Unlock(); }
  SpinHolder(const SpinHolder&) = delete;
  SpinHolder& operator=(const SpinHolder&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace heddle::rt
