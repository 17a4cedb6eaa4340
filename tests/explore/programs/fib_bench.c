/* Two threads compute Fibonacci numbers into each other's variables.
   EXPLORE: -DN=3 -> executions=141 options=--no-races
   EXPLORE: -DN=5 -> executions=8953 options=--no-races full
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef N
#define N 3
#endif
static atomic_int x = 1;
static atomic_int y = 1;
static void* AddToX(void* unused) {
  for (int i = 0; i < N; ++i) atomic_store(&x, atomic_load(&x) + atomic_load(&y));
  return unused;
}
static void* AddToY(void* unused) {
  for (int i = 0; i < N; ++i) atomic_store(&y, atomic_load(&y) + atomic_load(&x));
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, AddToX, 0);
  pthread_create(&threads[1], 0, AddToY, 0);
#ifdef FREE
  if (atomic_load(&x) > 1000 || atomic_load(&y) > 1000) abort();
#endif
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
