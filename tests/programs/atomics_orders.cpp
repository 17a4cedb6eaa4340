// Each memory order, with the failure orders of compare-exchange, and the fences.
#include <atomic>

#include "check.h"

static std::atomic<int> value;

int main() {
  value.store(1, std::memory_order_relaxed);
  value.store(2, std::memory_order_release);
  value.store(3, std::memory_order_seq_cst);
  CHECK(value.load(std::memory_order_relaxed) == 3);
  CHECK(value.load(std::memory_order_acquire) == 3);
  CHECK(value.load(std::memory_order_seq_cst) == 3);
  value.fetch_add(1, std::memory_order_relaxed);
  value.fetch_add(1, std::memory_order_acquire);
  value.fetch_add(1, std::memory_order_release);
  value.fetch_add(1, std::memory_order_acq_rel);
  value.fetch_add(1, std::memory_order_seq_cst);
  int expected = 0;
  CHECK(!value.compare_exchange_strong(expected, 9, std::memory_order_release, std::memory_order_relaxed));
  expected = 0;
  CHECK(!value.compare_exchange_strong(expected, 9, std::memory_order_acq_rel, std::memory_order_acquire));
  expected = 0;
  CHECK(!value.compare_exchange_strong(expected, 9, std::memory_order_seq_cst, std::memory_order_seq_cst));
  CHECK(value.compare_exchange_strong(expected, 9, std::memory_order_release, std::memory_order_relaxed));
  while (!value.compare_exchange_weak(expected, 10, std::memory_order_acquire, std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  value.store(11, std::memory_order_relaxed);  // between, so that the compiler does not merge them
  std::atomic_thread_fence(std::memory_order_release);
  value.store(12, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acq_rel);
  value.store(13, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::puts("done");
}
