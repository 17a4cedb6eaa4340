/* Threads put messages into a hash table by compare-and-swap; from 12 threads on some meet (POPL 2005).
   EXPLORE: -DN=13 -> executions=64 options=--no-races
   EXPLORE: -DN=15 -> executions=4096 options=--no-races full
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef N
#define N 12
#endif
#define SIZE 128
#define MAX 4
static atomic_int table[SIZE];
static void* Work(void* argument) {
  int id = (int)(intptr_t)argument;
  for (int m = 1; m <= MAX; ++m) {
    int w = m * 11 + id;
    int h = w * 7 % SIZE;
    int expected = 0;
    while (!atomic_compare_exchange_strong(&table[h], &expected, w)) {
      h = (h + 1) % SIZE;
      expected = 0;
    }
  }
  return 0;
}
int main(void) {
  pthread_t threads[N];
  for (intptr_t i = 0; i < N; ++i) pthread_create(&threads[i], 0, Work, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return 0;
}
