/* Increments and arrivals whose results nobody uses: their order is left open where it decides nothing.
   EXPLORE: -> executions=1
   EXPLORE: -> executions=1 options=--no-races
   EXPLORE: -> executions=216 options=--no-races,--commute,off
   A look sees each of the 8 subsets of the increments, in whatever order they came.
   EXPLORE: -DLOOK -> executions=8
   EXPLORE: -DLOOK -DBUG -> findings=assertion
   Who was the last one to come is asked.
   EXPLORE: -DSERIAL -> executions=6 options=--no-races
   Three threads at a barrier for two: one waits for ever, any of them.
   EXPLORE: -DPLACES=2 -> findings=deadlock
   A loop waits until exactly one of them has come.
   EXPLORE: -DAWAIT -> findings=livelock
   The increment of the second thread may come before that of the first: nothing orders the accesses then.
   EXPLORE: -DPUBLISH -> findings=data-race
   Here it cannot, because of a flag that orders nothing by itself: the increments order the accesses.
   EXPLORE: -DPUBLISH -DFLAG -> findings=none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef PLACES
#define PLACES 3
#endif
static atomic_int g_count, g_flag;
static pthread_barrier_t g_barrier;
static int g_data;

static void* Run(void* number) {
  long me = (long)number;
  (void)me;
#ifdef PUBLISH
  if (me == 0) g_data = 1;
#ifdef FLAG
  if (me == 1) {
    while (atomic_load_explicit(&g_flag, memory_order_relaxed) == 0) {
    }
  }
#endif
  if (me != 2) atomic_fetch_add(&g_count, 1);
#ifdef FLAG
  if (me == 0) atomic_store_explicit(&g_flag, 1, memory_order_relaxed);
#endif
  if (me == 1) return (void*)(long)g_data;
#elif defined(SERIAL)
  if (pthread_barrier_wait(&g_barrier) == PTHREAD_BARRIER_SERIAL_THREAD) g_data = 1;
#else
  atomic_fetch_add(&g_count, 1);
#if !defined(LOOK) && !defined(AWAIT)
  pthread_barrier_wait(&g_barrier);
#if PLACES == 3
  pthread_barrier_wait(&g_barrier);
#endif
#endif
#endif
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&g_barrier, NULL, PLACES);
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Run, (void*)i);
#ifdef LOOK
  int seen = atomic_load(&g_count);
  assert(seen >= 0 && seen <= 3);
#ifdef BUG
  assert(seen != 2);
#endif
#endif
#ifdef AWAIT
  while (atomic_load(&g_count) != 1) {
  }
#endif
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
#ifdef SERIAL
  assert(g_data == 1);
#endif
  return 0;
}
