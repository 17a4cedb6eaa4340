// The semaphore of libstdc++ 12 by hand: it remembers the counter before its looks, which all fail, and then waits for a
// change of what it remembers, when the other thread has put that back (bug 104928 of GCC). Right: waits while it is 0.
// EXPLORE: -DLOOKS=2 -> executions=66
// EXPLORE: -DLOOKS=2 -DBUG -> executions=204 findings=deadlock
// EXPLORE: -DLOOKS=1 -> options=--memory,c11 findings=none
// EXPLORE: -DLOOKS=1 -DBUG -> options=--memory,c11 findings=deadlock
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int counter = 1;
int owned;

static int TryAcquire(void) {
  int old = atomic_load_explicit(&counter, memory_order_acquire);
  return old != 0 && atomic_compare_exchange_strong_explicit(&counter, &old, old - 1, memory_order_acquire,
                                                             memory_order_relaxed);
}

static void Acquire(void) {
  do {
    int value = 0;
#ifdef BUG
    value = atomic_load_explicit(&counter, memory_order_acquire);
#endif
    for (int i = 0; i < LOOKS; ++i) {
      if (TryAcquire()) return;
    }
    syscall(SYS_futex, &counter, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
  } while (!TryAcquire());
}

static void Release(void) {
  if (atomic_fetch_add_explicit(&counter, 1, memory_order_release) > 0) return;
  syscall(SYS_futex, &counter, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}

static void *Use(void *unused) {
  Acquire();
  ++owned;
  Release();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, Use, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return owned != 2;
}
