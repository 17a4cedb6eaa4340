/* One writer, N readers, each of which then writes a variable of its own (POPL 2014): 2^N executions.
   EXPLORE: -DN=8 -> executions=256 options=--no-races
   EXPLORE: -DN=13 -> executions=8192 options=--no-races full
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
static atomic_int vars[N + 1];
static void* Write(void* unused) {
  (void)unused;
  atomic_store(&vars[0], 1);
  return 0;
}
static void* Read(void* argument) {
  intptr_t i = (intptr_t)argument;
  atomic_load(&vars[0]);
  atomic_store(&vars[i], 1);
  return 0;
}
int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[0], 0, Write, 0);
  for (intptr_t i = 1; i <= N; ++i) pthread_create(&threads[i], 0, Read, (void*)i);
  for (int i = 0; i <= N; ++i) pthread_join(threads[i], 0);
  return 0;
}
