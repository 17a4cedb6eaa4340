/* A barrier between two phases; the twin leaves it out.
   EXPLORE: -> findings=none
   EXPLORE: -DBUG -> findings=data-race
 */
#include <pthread.h>
#include <stdint.h>
static pthread_barrier_t barrier;
static int cells[2];
static int sums[2];
static void* Work(void* argument) {
  intptr_t me = (intptr_t)argument;
  cells[me] = 1;
#ifndef BUG
  pthread_barrier_wait(&barrier);
#endif
  sums[me] = cells[0] + cells[1];
  return 0;
}
int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, 0, 2);
  for (intptr_t i = 0; i < 2; ++i) pthread_create(&threads[i], 0, Work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  pthread_barrier_destroy(&barrier);
  return sums[0] + sums[1] > 4;
}
