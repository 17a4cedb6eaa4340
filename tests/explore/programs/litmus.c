/* Store buffering, message passing, and independent reads of independent writes, under sequential consistency.
   EXPLORE: -DSB -> executions=3
   EXPLORE: -DMP -> executions=3
   EXPLORE: -DIRIW -> executions=15
   EXPLORE: -DSB -> options=--algorithm,dfs executions=251
   EXPLORE: -DSB -> options=--deepen
   EXPLORE: -DSB -> options=--deepen,--preemptions,0 bounded
   EXPLORE: -DSB -> options=--delays,0 executions=1 bounded
   EXPLORE: -DSB -> options=--delays,20 executions=251
 */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static atomic_int y;
static void* XthenY(void* unused) {
  atomic_store(&x, 1);
#ifdef SB
  (void)atomic_load(&y);
#endif
#ifdef MP
  atomic_store(&y, 1);
#endif
  return unused;
}
static void* YthenX(void* unused) {
#ifdef MP
  (void)atomic_load(&y);
#else
  atomic_store(&y, 1);
#endif
#ifndef IRIW
  (void)atomic_load(&x);
#endif
  return unused;
}
#ifdef IRIW
static void* ReadXY(void* unused) {
  (void)atomic_load(&x);
  (void)atomic_load(&y);
  return unused;
}
static void* ReadYX(void* unused) {
  (void)atomic_load(&y);
  (void)atomic_load(&x);
  return unused;
}
#endif
int main(void) {
  pthread_t threads[4];
  int count = 0;
  pthread_create(&threads[count++], 0, XthenY, 0);
  pthread_create(&threads[count++], 0, YthenX, 0);
#ifdef IRIW
  pthread_create(&threads[count++], 0, ReadXY, 0);
  pthread_create(&threads[count++], 0, ReadYX, 0);
#endif
  for (int i = 0; i < count; ++i) pthread_join(threads[i], 0);
  return 0;
}
