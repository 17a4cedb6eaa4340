// A spinlock whose unlock does not release.
#include <stdatomic.h>

#define FREE 0
#define TAKEN 1

atomic_int spin = FREE;

static int spin_try(void) { return atomic_exchange_explicit(&spin, TAKEN, memory_order_acquire) == FREE; }

void spin_lock(void) {
  while (!spin_try()) {
  }
}

void spin_unlock(void) { atomic_store_explicit(&spin, FREE, memory_order_relaxed); }
