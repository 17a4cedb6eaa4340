/* N threads take a lock that spins, once: as many executions as orders of its owners, none abandoned. The loop is one
   operation that waits.
   EXPLORE: -DN=4 -> executions=24 total=24
   EXPLORE: -DN=4 -DEXCHANGE -> executions=24 total=24
   EXPLORE: -DN=4 -DPAUSE -> executions=24 total=24
   EXPLORE: -DN=4 -> options=--memory,c11 executions=24 total=24
   EXPLORE: -DN=4 -DEXCHANGE -> options=--memory,c11 executions=24 total=24
   EXPLORE: -DN=4 -DBUG -> findings=assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static atomic_int inside;
static int shared;
static void Take(void) {
#if defined EXCHANGE
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
  }
#elif defined PAUSE
  int expected = 0;
  while (!atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed)) {
    __builtin_ia32_pause();
    expected = 0;
  }
#else
  int expected = 0;
  while (!atomic_compare_exchange_strong(&lock, &expected, 1)) expected = 0;
#endif
}
static void* Work(void* number) {
#ifdef BUG  /* the last one looks, but does not take it */
  if (number == (void*)3) {
    while (atomic_load(&lock) != 0) {
    }
  } else {
    Take();
  }
  assert(atomic_fetch_add(&inside, 1) == 0);
  ++shared;
  atomic_fetch_sub(&inside, 1);
#else
  Take();
  ++shared;
#endif
  atomic_store_explicit(&lock, 0, memory_order_release);
  return number;
}
int main(void) {
  pthread_t threads[N];
  for (long i = 0; i < N; ++i) pthread_create(&threads[i], 0, Work, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return shared != N;
}
