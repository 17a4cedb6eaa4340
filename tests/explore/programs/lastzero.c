/* N threads add one to their neighbour's cell, one looks for the last zero (POPL 2014).
   EXPLORE: -DN=6 -> executions=144 options=--no-races
   EXPLORE: -DN=10 -> executions=3328 options=--no-races full
   EXPLORE: -DN=12 -> executions=15360 options=--no-races full
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
static atomic_int cells[N + 1];
static void* Scan(void* unused) {
  int i = N;
  (void)unused;
  while (atomic_load(&cells[i]) != 0) --i;
  return 0;
}
static void* Write(void* argument) {
  intptr_t i = (intptr_t)argument;
  int before = atomic_load(&cells[i - 1]);
  atomic_store(&cells[i], before + 1);
  return 0;
}
int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[0], 0, Scan, 0);
  for (intptr_t i = 1; i <= N; ++i) pthread_create(&threads[i], 0, Write, (void*)i);
  for (int i = 0; i <= N; ++i) pthread_join(threads[i], 0);
  return 0;
}
