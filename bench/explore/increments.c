// Threads that increment one counter and use what they find: the first three three times each, the fourth four times. Every order of the
// thirteen increments is another execution: 13! / (3! 3! 3! 4!) = 1,201,200.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef LAST
#define LAST 4
#endif

static atomic_int counter;

static void* Increment(void* times) {
  intptr_t found = 0;
  for (intptr_t i = 0; i < (intptr_t)times; ++i) found += atomic_fetch_add(&counter, 1);
  return (void*)found;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, Increment, (void*)(intptr_t)(i < 3 ? 3 : LAST));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}
