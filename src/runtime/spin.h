// A lock of the runtime's own, which the target cannot see. Held for a few instructions; take it only with a
// RuntimeScope around, so that no signal handler of the target runs while it is held.
#pragma once

#include <sched.h>

#include <atomic>

namespace heddle::rt {

class SpinLock {
 public:
  void Lock() {
    for (int tries = 0; word_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries < 64) {
        __builtin_ia32_pause();
      } else {
        sched_yield();
      }
    }
  }
  bool TryLock() { return word_.exchange(1, std::memory_order_acquire) == 0; }
  void Unlock() { word_.store(0, std::memory_order_release); }

 private:
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
